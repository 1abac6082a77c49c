# SPDX-License-Identifier: BSD-2-Clause
# The last name of a file, and the first one in brackets, are the same in all commands, and of parts.
write() { # id object path time
	echo "ff %file process=7 id=$1 object=$2 path=$3"
	echo "ff %op name=create time=$4 took=0 process=7 file=$1 path=$3 result=0"
	printf "c0 22 0 1 1 1 %x 7 0\n" "$1"
	echo "ff %op name=close time=$4 took=0 process=7 file=$1 result=0"
}
rename() { # from to time [result [name]]
	echo "ff %op name=${5:-rename} time=$3 took=0 process=7 path=$1 to=$2 result=${4:-0}"
}
exchange() { # one other time [result]
	rename "$1" "$2" "$3" "${4:-0}" exchange
}
{
	write 1 1 /d/a 1
	rename /d/a /d/b 2
	rename /d/b /d/c 3
	write 2 2 /over 4
	write 3 3 /n%20w 5
	rename /n%20w /over 6
	write 4 4 /x 7
	write 5 5 /y 8
	rename /x /t 9
	rename /y /x 10
	rename /t /y 11
	write 6 6 /tmp 12
	rename /tmp /f1 13
	write 7 7 /tmp 14
	rename /tmp /f2 15
	write 8 8 /back 16
	rename /back /away 17
	rename /away /back 18
	write 9 9 /failed 19
	rename /failed /never 20 EACCES
	rename /d /e 21
	write 10 10 /d/a 22
	rename /e /e/below 23
	rename /d /d 24
	rename / /root 25
	rename /none /also-none 26
	write 11 11 /left/a 27
	write 12 12 /right/b%20b 28
	exchange /left /right 29
	exchange /left/b%20b /right/a 30
	write 13 13 /left/a/below 31
	exchange /left/a /left/a/below 32
	exchange /right /none 33
	write 14 14 /one 34
	exchange /one /one 35
	exchange /one /other 36 EINVAL
	exchange / /one 37
	exchange /only-here /one 38
} >t.iot
names() {
	grep -o ' /[^ ].*' | sed 's/^ //' | sort
}
"$IOTRACE" analyze --by=file t.iot | names | tee analyze
"$IOTRACE" stat --by=object t.iot | names | cmp - analyze
"$IOTRACE" stat --by=file t.iot | names | cmp - analyze
"$IOTRACE" top --by=object t.iot | names | cmp - analyze
sed 's| path=/| path=/2/|; s| to=/| to=/2/|' t.iot >two.iot
"$IOTRACE" stat --by=object t.iot two.iot | names | grep -v '^/2/' | diff - analyze # one row for each path
"$IOTRACE" stat --by=file --json t.iot two.iot | grep -o '"name":"/2/e/c","first_path":"[^"]*","input":"[^"]*"'
"$IOTRACE" analyze --by=file --json t.iot | grep -E '"(first_)?path": "/(e|d)' | sort
"$IOTRACE" stat --by=object --json t.iot | grep -o '"name":"/e/c","first_path":"[^"]*"'
"$IOTRACE" stat --by=dir --tsv t.iot | cut -f 4,14

echo "# parts, and states of parts"
"$IOTRACE" cat -q --framed --sync=1 --no-fsync -o synced.iot t.iot
"$IOTRACE" stat --by=object synced.iot | names | cmp - analyze
for n in 2 3 5; do
	states=
	for i in $(seq "$n"); do
		"$IOTRACE" analyze -q --part="$i/$n" --state="s$i" synced.iot || exit 1
		states="$states s$i"
	done
	"$IOTRACE" analyze --by=file $states | names | cmp - analyze
done

echo "# names too long for a path remain what they were"
{
	for i in $(seq 3000); do
		write "$i" "$i" "/d$i/f" "$i"
	done
	for i in $(seq 2999); do
		rename "/d$i" "/d$((i + 1))/d$i" "$((3000 + i))"
	done
} >deep.iot
"$IOTRACE" stat --by=object --top=3000 --json deep.iot | grep -o '"name":"[^"]*","first_path"' >deep
grep -c . deep
awk '{ n = length($1) } n > most { most = n } END { print most }' deep
