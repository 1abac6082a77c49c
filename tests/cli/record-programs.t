# SPDX-License-Identifier: BSD-2-Clause
# iotrace record of programs of the system: bytes read and written of each file, as in a log that strace wrote of
# another run; and their output.
sh "$TOOLS/built.sh" libiotrace-record.so || exit 77
command -v strace >/dev/null && strace -o log true 2>err || { echo 'strace cannot be used here'; exit 77; }

bytes() {
	"$IOTRACE" cat -q --format=csv "$1" | grep "/here/" |
		awk -F, '{ bytes[$3 " " $10] += $6 } END { for (k in bytes) if (bytes[k] > 0) print k, bytes[k] }' | sort
}

run() {
	name=$1
	shift
	for how in recorded straced; do
		rm -rf here $how
		mkdir here
		i=0
		while [ $((i += 1)) -le 20 ]; do head -c ${i}321 /dev/zero >here/in$i; done
		if [ $how = recorded ]; then
			(cd here && "$IOTRACE" record -q -o ../a.iot -- "$@") >$how.out
			bytes a.iot >$how
		else
			(cd here && strace -qq -f -ttt -T -y -s 0 -o ../log -- "$@") >$how.out
			"$IOTRACE" convert -q -o b.iot log
			bytes b.iot >$how
		fi
	done
	cmp recorded.out straced.out
	diff straced recorded && echo "$name: $(wc -l <recorded) sums are equal"
}

run cp cp in3 copy
run cat sh -c 'cat in* >all; cat all | wc -c'
run tar tar cf all.tar in1 in2 in3 in4
run shell sh -c 'for i in 1 2 3; do echo line $i >>log; done; while read -r x; do echo "$x"; done <log; exec cat log'
run dd dd if=in20 of=out bs=100 count=50 skip=3 seek=2 status=none
