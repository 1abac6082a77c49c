# SPDX-License-Identifier: BSD-2-Clause
# merge --physical ties each physical record to the logical one that caused it, or to none.
# TYPE FLAGS OFFSET LENGTH START TOOK OPERATION FILE PROCESS CPU, in decimal; directives begin with 255
frame() { # OUT
	awk '$1 != 255 { start = $5; $5 = start - last; last = start } { print }' |
		"$IOTRACE" cat --in-base=10 --in-tick=1 --framed -o "$1" -
}
cat >logical.txt <<END
255 %trace source=record host=h epoch=1000 lacks=cpu
255 %process id=10 name=app parent=9
255 %file process=10 id=3 object=1 path=/data/direct flags=direct
255 %file process=10 id=4 object=2 path=/data/buffered
255 %file process=10 id=5 object=3 path=/data/synced flags=sync
255 %extent object=2 offset=0 length=65536 device=8,0 sector=8192
192 0 0 8192 100 50 0 3 10 0
192 0 8192 4096 200 50 0 3 10 0
192 0 0 100 300 5 0 4 10 0
192 0 100 8000 310 5 0 4 10 0
255 %op name=fsync time=400 took=100 process=10 file=4 result=0
192 0 0 4096 600 100 0 5 10 0
128 0 16384 4096 800 100 0 4 10 0
128 0 20480 4096 1000 100 0 4 10 0
128 0 0 4096 1200 100 0 5 10 0
END
frame logical.iot <logical.txt
# In this order: direct, direct; too short for its write; write-back of a worker: by map; during the fsync,
# then metadata and a journal; O_SYNC; read-ahead of which the next read uses a part; the time of a
# read of another process.
physical() { # EPOCH
	cat <<END
255 %trace source=blktrace $1 lacks=cpu
255 %process id=10 name=app
255 %process id=77 name=kworker/u4:1
255 %file process=10 id=1 object=1 path=/dev/block/8:0 kind=disk source-id=8,0
255 %file process=77 id=1 object=1 path=/dev/block/8:0 kind=disk source-id=8,0
64 0 100 8 110 10 0 1 10 0
64 0 200 8 120 10 0 1 10 0
64 0 300 4 210 10 0 1 10 0
64 0 8192 8 330 10 0 1 77 0
64 0 8200 8 410 10 0 1 10 0
65 0 40 8 420 10 0 1 10 0
64 0 50 8 430 10 0 1 77 0
64 0 400 16 610 10 0 1 10 0
2 0 8224 32 810 10 0 1 10 0
0 0 500 8 1210 10 0 1 77 0
END
}
physical epoch=1000 | frame physical.iot
physical | frame without.iot
"$IOTRACE" merge --physical=physical.iot --format-version=1 -o tied.iot logical.iot
echo "exit $?"
"$IOTRACE" cat --ns --format=csv --columns=raw tied.iot
sed -n 's/^ff \(%[cp][or].*\)/\1/p' tied.iot
"$IOTRACE" check tied.iot

echo "stat shows the cost of each file at the disk"
"$IOTRACE" stat -q tied.iot | sed -n '/calls read/,$p'
"$IOTRACE" stat -q --json tied.iot | jq -c '.ties | .kinds[], (.tie_files[] | del(.process, .file)), del(.kinds, .tie_files)'

echo "and so do analyze, its states, and the report"
ties() { # PATH...
	"$IOTRACE" analyze -q --tsv "$@" | grep '^ties'
}
ties tied.iot | cut -f 2,3,5,6
"$IOTRACE" analyze -q tied.iot | sed -n '/^bytes of disks/,/^not tied/p'
"$IOTRACE" analyze -q --section=totals tied.iot | sed -n '/^files at the disks/,/^read ahead/p'
ties tied.iot >whole
"$IOTRACE" cat -q --framed --sync=8 --no-fsync -o cut.iot tied.iot
for k in 1 2 3; do "$IOTRACE" analyze -q --no-fsync --part=$k/3 -s p$k.state cut.iot; done
ties p3.state p1.state p2.state | cmp whole - && echo "parts have the ties of the whole"
sed 's/host=h/host=g/' tied.iot >unframed && "$IOTRACE" cat -q --no-verify --framed -o host.iot unframed
ties --one-job tied.iot host.iot | cut -f 2,3,5 | grep 'none\|written_tied'
"$IOTRACE" analyze -q --html=report.html tied.iot >report.txt
sed -n '/Files at the disks/,/<\/section>/p' report.html | sed -n 's/<[^>]*>/ /g; s/  */ /gp' 
"$IOTRACE" analyze -q --tsv logical.iot | grep -c '^ties'

rm p?.state cut.iot host.iot unframed whole report.*

echo "the order of the inputs does not matter, and ties of a tied trace are the same" >&2
"$IOTRACE" merge --physical=logical.iot --format-version=1 -o other.iot physical.iot && cmp tied.iot other.iot
echo '255 %trace host=h epoch=1000 lacks=cpu' | frame empty.iot
"$IOTRACE" merge --physical=tied.iot --format-version=1 -o again.iot empty.iot
grep -v '%trace\|%end' tied.iot >tied; grep -v '%trace\|%end' again.iot | cmp tied -

echo "without an epoch the clocks cannot be compared" >&2
"$IOTRACE" merge --physical=without.iot -o no.iot logical.iot
echo "exit $?"
"$IOTRACE" merge -q --physical=without.iot --shift=without.iot=1us -o yes.iot logical.iot
echo "exit $?"
"$IOTRACE" merge --physical=physical.iot --keep-ids -o no.iot logical.iot
echo "exit $?"

echo "an extent that lacks a key" >&2
sed 's/ sector=8192//' logical.txt | frame bad.iot
"$IOTRACE" merge --physical=physical.iot -o no.iot bad.iot
echo "exit $?"
ls
