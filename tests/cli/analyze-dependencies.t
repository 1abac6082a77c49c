# SPDX-License-Identifier: BSD-2-Clause
# Which process reads or overwrites what which one wrote: the whole trace, parts and states; compared with a reference.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
{
	echo "ff %file process=1 id=1 object=1 path=/a"
	echo "ff %file process=2 id=1 object=1 path=/a"
	echo "ff %file process=3 id=1 object=1 path=/a"
	echo 'c0 20 0 100 10 a 1 1 0'    # writes 256 bytes
	echo '80 20 0 40 10 a 1 1 0'     # the writer reads 64 of them,
	echo '80 20 20 60 10 a 1 2 0'    # another one 96, of which 64 are not read yet,
	echo 'c0 20 80 100 10 a 1 2 0'   # and overwrites 128 unread ones
	echo 'c0 20 0 10 10 a 1 3 0'     # 16 that the writer has read
	echo '80 20 400 40 10 a 1 1 0'   # reads what nobody has written
	echo 'c0 20 400 20 10 a 1 1 0'   # and writes half of it,
	echo 'c0 20 420 20 10 a 1 3 0'   # as another process does
} >trace
"$IOTRACE" analyze -q --dependencies --section=reuse -j trace | jq -c '.reuse | to_entries | map(select(.key | test("write_|_write|pair"))) | from_entries'
"$IOTRACE" analyze -q --dependencies --section=reuse trace
"$IOTRACE" analyze -q --dependencies --per-thread --threads=2 --section=reuse trace | tail -n 5
python3 "$TOOLS/analyze_compare.py" --options=--dependencies,--section=reuse "$IOTRACE" 21-40 | grep -v "not compared"
python3 "$TOOLS/analyze_compare.py" --options=--dependencies,--section=reuse,--per-thread "$IOTRACE" 41-44 | grep -v "not compared"
echo "=== five processes in two files"
{
	for p in 1 2 3 4 5; do
		echo "255 %file process=$p id=1 object=1 path=/a"
		echo "255 %file process=$p id=2 object=2 path=/b"
	done
	awk 'function random(n) { seed = (seed * 16807) % 2147483647; return int(seed / 65536) % n }
	    BEGIN { seed = 1; for (i = 0; i < 4000; i++) { at = random(4096)
		print random(3) ? 128 : 192, 32, at, 1 + random(4096 - at), 10, 10, 1 + random(2), 1 + random(5), 0 } }'
} >shared
"$IOTRACE" cat -q --framed --sync=100 --no-fsync --in-base=10 -o shared.iot shared
python3 "$TOOLS/analyze_compare.py" --options=--dependencies,--section=reuse,--top=8 "$IOTRACE" shared.iot | grep -v "not compared"
"$IOTRACE" analyze -q --dependencies --section=reuse -t --top=3 shared.iot | grep "pairs\|pair_"
run() {
	"$IOTRACE" analyze -q --no-fsync --dependencies "$@"
}
run --section=reuse,totals -t shared.iot >whole
run --section=reuse,totals -t --threads=3 shared.iot | cmp - whole && echo "on threads the same"
run -s whole.state shared.iot
for k in 1 2 3 4 5; do run --part=$k/5 -s $k.state shared.iot; done
run -s 34.state 4.state 3.state
run -s 345.state 34.state 5.state
run -s 12.state 1.state 2.state
run -s all.state 345.state 12.state
cmp all.state whole.state && echo "of parts the same state"
"$IOTRACE" analyze -q -t all.state | grep pair_ >joined
grep pair_ whole | cmp - joined && echo "and the same pairs"
echo "=== limits"
"$IOTRACE" analyze -q --dependencies --one-job -t trace trace | grep "^reuse.*\(_by\|pair\)"
{ cat trace; echo '80 20 0 10 10 a 1 1 0'; } >longer
for of in longer trace; do
	"$IOTRACE" analyze -q --no-fsync -s state $of
	"$IOTRACE" analyze -q --dependencies --one-job state trace 2>&1
	echo "exit $?"
done
