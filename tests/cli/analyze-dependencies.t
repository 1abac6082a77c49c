# SPDX-License-Identifier: BSD-2-Clause
# Reads after writes, and overwrites, by the same or by another process; compared with a reference.
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
"$IOTRACE" analyze -q --dependencies --section=reuse -j trace | jq -c '.reuse | to_entries | map(select(.key | test("write_|_write"))) | from_entries'
"$IOTRACE" analyze -q --dependencies --section=reuse trace
"$IOTRACE" analyze -q --dependencies --per-thread --threads=2 --section=reuse trace | tail -n 4
python3 "$TOOLS/analyze_compare.py" --options=--dependencies,--section=reuse "$IOTRACE" 21-40 | grep -v "not compared"
python3 "$TOOLS/analyze_compare.py" --options=--dependencies,--section=reuse,--per-thread "$IOTRACE" 41-44 | grep -v "not compared"
echo "=== limits"
"$IOTRACE" analyze -q --dependencies --one-job -t trace trace | grep '_by	'
run() {
	"$IOTRACE" analyze -q "$@" >out 2>err
	echo "exit $?"
	cat err
}
run --dependencies --part=1/2 trace
run --dependencies --state=x trace
"$IOTRACE" analyze -q --no-fsync -s state trace
run --dependencies state
run --dependencies --one-job state trace
