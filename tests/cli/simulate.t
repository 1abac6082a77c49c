# SPDX-License-Identifier: BSD-2-Clause
# Counts that can be checked by hand: blocks A 0, A 1, A 0, B 0, A 1 in a cache of two blocks of LRU.
record() { # TYPE OFFSET LENGTH FILE, in hexadecimal digits
	echo "$1 20 $2 $3 1 a $4 1 0"
}
files() {
	echo 'ff %file process=1 id=1 object=1 path=/a'
	echo 'ff %file process=1 id=2 object=2 path=/b'
}
{ files; record 80 0 1000 1; record 80 1000 1000 1; record c0 0 10 1; record 80 0 1000 2; record 80 1000 1 1; } >five
"$IOTRACE" simulate -c 2b,3b five
"$IOTRACE" simulate --tsv -c 2b --by=object five
echo '- keys'
"$IOTRACE" simulate --dump-references five
echo '- a record of 3 blocks from the middle of one; length 0; read-ahead of the traced system; the other layer'
{ files; record 80 800 2800 1; record 80 0 0 1; record 82 0 1000 1; record 80 2fff 1 1; } >kinds
"$IOTRACE" simulate -c 8b --by=kind kinds
# What operations do: writes of A 0, A 1, A 2.
three() { files; record c0 0 3000 1; }
show() { # OPTION...: misses, evictions, written bytes, cancelled writes, dropped blocks
	"$IOTRACE" simulate -q --json -c 8b "$@" | jq -c '.simulations[0] |
	    [.misses, .device_written_bytes, .cancelled_writes, .dropped_blocks, .saved_writes]'
}
echo '- unlink while open: at the close; then A 0 again'
{ three; echo 'ff %op name=unlink process=1 path=/a result=0'; record c0 0 1000 1
  echo 'ff %op name=close process=1 file=1 result=0'; record c0 0 1000 2; } | show
echo '- unlink that failed'
{ three; echo 'ff %op name=close process=1 file=1'; echo 'ff %op name=unlink process=1 path=/a result=EACCES'; } | show
echo '- unlink of a closed file, by the name that rename gave it'
{ three; echo 'ff %op name=close process=1 file=1'; echo 'ff %op name=rename process=1 path=/a to=/c'
  echo 'ff %op name=unlink process=1 path=/c'; } | show
echo '- unlink of a closed file, by the name that an exchange gave it, and of the other file'
for path in /b /a; do
	{ three; echo 'ff %op name=close process=1 file=1'; echo 'ff %op name=exchange process=1 path=/a to=/b'
	  echo "ff %op name=unlink process=1 path=$path"; } | show
done
echo '- truncate to 4097 bytes: block 2 goes; without size: nothing'
{ three; echo 'ff %op name=truncate process=1 file=1 size=4097'; } | show
{ three; echo 'ff %op name=truncate process=1 file=1'; } | show
echo '- fsync, then A 0 again: written twice'
{ three; echo 'ff %op name=fsync process=1 file=1'; record c0 0 1000 1; } | show
echo '- write back, through, around; then a read'
for write in back through around; do
	{ three; record 80 0 1000 1; } | show --write=$write
done
echo '- a partial write of an absent block is read first: device reads'
{ files; record c0 10 10 1; record c0 1000 1000 1; } | "$IOTRACE" simulate -q --json --rmw | jq .simulations[0].device_read_bytes
echo '- unknown offsets'
{ echo 'ff %file process=1 id=1 object=1 offset=unknown'; record 80 0 2000 1; record 80 0 2000 1; } >unknown
for how in skip fresh; do
	"$IOTRACE" simulate --unknown=$how --json unknown | jq -c '[.trace.references.reads, .trace.distinct_blocks, .trace.unknown_offsets]'
done
echo '- object 0: one for each process and file'
{ record 80 0 1000 1; record 80 0 1000 2; echo '80 20 0 1000 1 a 1 2 0'; record 80 0 1000 1; } | show
echo '- physical'
{ echo 'ff %file process=1 id=5 kind=disk'; record 0 0 8 5; record 0 7 2 5; record 80 0 1000 1; } >physical
"$IOTRACE" simulate --layer=physical --json physical | jq -c '[.trace.references.reads, .trace.distinct_blocks]'
echo '- prefetching: a sequential scan of 16 blocks, two at a time'
{ files; i=0; while [ $i -lt 8 ]; do record 80 $(printf %x $((i * 8192))) 2000 1; i=$((i + 1)); done; } >scan
for how in none next:1 request window:32K; do
	"$IOTRACE" simulate -q --json -c 64b --prefetch=$how scan | jq -c '.simulations[0] | [.misses, .prefetched, .prefetch_used]'
done
echo '- limits'
{ record 80 ffffffffffffff00 200 1; } | "$IOTRACE" simulate 2>&1
{ record 80 8000000000000000 1 1; } | "$IOTRACE" simulate 2>&1
{ record 80 0 8000000000000000 1; } | "$IOTRACE" simulate 2>&1
"$IOTRACE" simulate -c 64GiB --memory=64M five 2>&1
"$IOTRACE" simulate -c 100b five --memory=1M -p opt | head -n 1
for wrong in -c0 -c1 -c100X -c10%% -c10. -c1.5% -c0% -plru,nothing -B4 --prefetch=next:0 --memory=1 -c1TiB; do
	"$IOTRACE" simulate $wrong five 2>&1 | head -n 1
done
"$IOTRACE" simulate -c 50% five five 2>&1 | head -n 1
cat five | "$IOTRACE" simulate -c 50% 2>&1
"$IOTRACE" simulate -p opt --prefetch=request five 2>&1 | head -n 1
# A plot is XML and has no script.
"$IOTRACE" simulate -c 1b,2b,3b -p lru,opt --svg=plot.svg five >/dev/null
python3 -c 'import xml.dom.minidom as x; print(len(x.parse("plot.svg").getElementsByTagName("circle")), "marks")'
# Reuse: process 1 reads A 0 .. A 2 at 0, 1 and 2 ms, process 2 at 10, 11, 12, and A 0 again at 13.
at() { # BLOCK MICROSECONDS_SINCE_THE_LAST PROCESS
	echo "80 20 ${1}000 1000 $2 0 1 $3 0"
}
{ echo 'ff %file process=1 id=1 object=1 path=/a'; echo 'ff %file process=2 id=1 object=1 path=/a'
  at 0 0 1; at 1 3e8 1; at 2 3e8 1; at 0 1f40 2; at 1 3e8 2; at 2 3e8 2; at 0 3e8 2; } >reuse
"$IOTRACE" simulate -q -c 2b --by=process reuse | tail -n 4
echo '- after a truncate, a block is not reused'
{ cat reuse; echo 'ff %op name=truncate process=1 file=1 size=0'; at 0 3e8 1; } | "$IOTRACE" simulate -q --json --by=process | jq -c .trace.reuse
# Estimates: reads of A 0 and 1 as one I/O, of A 3; writes of A 4 and A 6, which leave the cache at the end. A seek is 1 ms.
echo '- device time: 2 reads, 2 writes at the end; then with writes that wait'
{ files; record 80 0 2000 1; record 80 3000 1000 1; record c0 4000 1000 1; record c0 6000 1000 1; } >io
for write in back through; do
	"$IOTRACE" simulate -q --json --device=near=1ms,far=1ms,latency=1ms --write=$write io | jq -c '.simulations[0].estimate'
done
"$IOTRACE" simulate -q -c 1b --device=near=1ms,far=1ms,latency=1ms io | tail -n 2
"$IOTRACE" simulate --copies=2 io 2>&1 | head -n 1
echo '- prefetching on a pipe: up to the highest block so far, here none'
cat scan | "$IOTRACE" simulate -q --json -c 64b --prefetch=request - | jq -c '.simulations[0] | [.misses, .prefetched, .prefetch_used]'
{ cat scan; cat scan; } | "$IOTRACE" simulate -q --json -c 4b --prefetch=request | jq -c '.simulations[0] | [.misses, .prefetched, .prefetch_used]'
echo '- a record of 5,000 blocks that begins in the middle of one, twice: compulsory misses of the first one only'
{ files; record 80 800 1388000 1; record 80 800 1388000 1; } | "$IOTRACE" simulate -q --json --by=op |
    jq -c '(.trace, .simulations[0].rows[0]) | [.first_references.reads, .first_records.reads, .first_bytes.reads]'
echo '- parameters of the input: as given, or null'
"$IOTRACE" simulate -q --json --in-base=16 --in-tick=500 --recover five | jq -c '.parameters | [.input, .reading, .memory]'
"$IOTRACE" simulate -q --json --in-format=iotrace --in-option=memory=1M --no-verify - <five | jq -c '.parameters | [.input, .reading]'
"$IOTRACE" simulate -q --json -T --memory=64M five | jq -c '[.inputs[0].path, .parameters.reading, .parameters.memory]'
"$IOTRACE" mrc -q --json --points=5 --memory=64M --allow-empty five | jq -c '.parameters | [.input, .reading, .point_count, .memory]'
