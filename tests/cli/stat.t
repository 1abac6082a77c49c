# SPDX-License-Identifier: BSD-2-Clause
# Numbers that can be checked by hand.
cat >t <<'END'
ff %process id=7 name=worker
ff %file process=7 id=1 object=1 path=/a
ff %op name=open time=0 process=7 file=1 path=/a result=0
ff %op name=open time=0 process=7 path=/none result=ENOENT
c0 20 0 1000 0 a 1 7 0
c0 20 1000 1000 a a 1 7 0
80 20 5000 200 a a 1 7 0
ff %file process=7 id=2 object=1 path=/a
80 20 0 1000 a a 2 7 0
ff %file process=9 id=1 object=2 path=/tab%09%25%FF
80 20 0 0 a a 1 9 0
80 20 0 1 a a 1 9 0
80 20 0 ffffffff a a 5 9 0
00 20 0 8 a a 5 9 0
END
for by in object file process; do
	"$IOTRACE" stat --by=$by t
	"$IOTRACE" stat -q --tsv --by=$by t
done
"$IOTRACE" stat -q --json t
"$IOTRACE" stat -q --json --by=file t
"$IOTRACE" stat -q --json --by=process t
"$IOTRACE" stat -q --physical t
grep -v %op t | "$IOTRACE" stat -q
# Ranks have numbers of their own; two layers have the same I/O.
cat >layers <<'END'
ff %trace source=darshan layer=posix,mpiio
ff %process id=1 rank=0
ff %process id=2 rank=1 name=app
ff %file process=2 id=1 object=1 path=/a layer=mpiio
c0 20 0 1000 0 a 1 2 0
ff %file process=2 id=2 object=1 path=/a layer=posix
c0 20 0 1000 0 a 2 2 0
END
"$IOTRACE" stat --by=process layers 2>&1
"$IOTRACE" stat -q --by=process --tsv layers | cut -f 1,14,15
"$IOTRACE" stat -q --by=process --json layers | grep -o '"rank":[0-9]*'
"$IOTRACE" stat -q --by=file layers | head -n 3
"$IOTRACE" info layers | grep layer
"$IOTRACE" stat </dev/null
"$IOTRACE" stat --json </dev/null
head -n 5 t | "$IOTRACE" cat --framed | head -n 5 | "$IOTRACE" stat
echo "$?"
echo "disks alone:"
"$IOTRACE" convert -q -o disks "$TESTDATA/blktrace/v7.blkparse.txt"
for option in --physical -q; do
	"$IOTRACE" stat --tsv $option disks | cut -f 1,5-8
done
"$IOTRACE" stat --tsv disks 2>&1 >/dev/null
"$IOTRACE" stat --tsv - <disks 2>&1 | cut -f 1,5-8
cat disks | "$IOTRACE" stat --tsv - 2>&1 | cut -f 1,5-8
"$IOTRACE" stat "$TESTDATA/blktrace/v7.blkparse.txt" 2>&1 | sed "s|$TESTDATA/||" | head -n 4
# Rows combined by rank, host and directory, where the three of one kind are: 3 x 0x1000 + 0x10.
cat >job <<'END'
ff %trace host=login
ff %process id=1 rank=0 host=n1
ff %process id=2 rank=1 host=n1
ff %process id=3 rank=1 host=n2
ff %process id=4
ff %file process=1 id=1 object=1 path=/data/a
ff %file process=2 id=1 object=2 path=/data/b
ff %file process=3 id=1 object=3 path=top
ff %file process=4 id=1 object=4 path=/etc
ff %op name=stat time=0 process=1 path=/data/a took=1000 result=0
ff %op name=stat time=0 process=1 path=/none took=3000 result=ENOENT
ff %op name=open time=0 process=1 file=1 result=0
80 20 0 1000 0 a 1 1 0
80 20 0 1000 a 14 1 2 0
80 20 0 1000 a 1e 1 3 0
c0 20 0 10 a 28 1 4 0
END
for by in rank host dir op; do
	echo "by $by"
	"$IOTRACE" stat --by=$by --tsv job | cut -f 1-7,14,15
done
"$IOTRACE" stat --by=rank job
"$IOTRACE" stat --by=dir --sort=time --top=2 job | head -n 5
for sort in bytes ios time opens reads writes read written; do
	echo "$sort: $("$IOTRACE" stat --by=process --sort=$sort --tsv job | sed 1d | cut -f 1 | tr '\n' ' ')"
done
# Totals and latencies are those of the records themselves.
"$IOTRACE" cat -q --format=csv job >csv
head -n 2 csv
"$IOTRACE" stat --json job | grep -o '"latency_ns.*span_ns":[0-9]*'
# All of parts and whole agree, whatever the number of threads that count.
for by in rank host dir op file; do
	"$IOTRACE" cat --framed --sync=2 job | "$IOTRACE" stat --by=$by --tsv - >framed
	"$IOTRACE" stat --by=$by --tsv job | cmp - framed
done
# The same numbers from the rows of cat, by another program.
"$IOTRACE" convert -q -o cp.iot "$TESTDATA/strace/cp.strace"
"$IOTRACE" cat -q --format=csv cp.iot | awk -F, '
NR > 1 && $3 == "read" { reads[$10]++; read[$10] += $6 }
NR > 1 && $3 == "write" { writes[$10]++; written[$10] += $6 }
NR > 1 { paths[$10] = 1; ns[$10] += $2 }
END { for (p in paths) printf "%d\t%d\t%d\t%d\t%d\t%s\n", reads[p], writes[p], read[p], written[p], ns[p], p }' |
	sort >counted
"$IOTRACE" stat -q --tsv cp.iot | sed 1d | cut -f 5-9,14 | awk -F'\t' '$1 + $2 > 0' | sort >rows
cmp counted rows && wc -l <rows
