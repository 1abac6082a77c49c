# SPDX-License-Identifier: BSD-2-Clause
# Transfers whose result contradicts their arguments are missing; a negative duration is unknown.
try() {
	"$IOTRACE" convert -o t.iot "$1" 2>&1
	echo "exit status $?"
	"$IOTRACE" cat t.iot | grep -E '^[^f]|completion|%counter|%lost'
}
pfw() {
	printf '{"id":%d,"name":"%s","cat":"POSIX","pid":7,"tid":7,"ts":%s,"dur":%s,"ph":"X","args":{"fname":"/a","fd":3,%s}}\n' "$@"
}
echo '== DFTracer'
{
	echo '['
	pfw 1 open64 1000 5 '"ret":3,"flags":2'
	pfw 2 read 1010 5 '"ret":10,"count":10'
	pfw 3 read 1020 5 '"ret":30,"count":10'
	pfw 4 read 1030 -5 '"ret":10,"count":10'
	pfw 5 pread64 1040 5 '"ret":10,"count":10,"offset":9223372036854775807'
	pfw 6 readv 1050 5 '"ret":30,"count":2'
} >app.pfw
try app.pfw
echo '== perf trace'
sed 's/count: 832\( *) *\)= 832$/count: 832\1= 8320/; s/\(copy_file_range(.*\)= [0-9]*$/\1= 99999999/' "$TESTDATA/perf/trace.txt" >trace.txt
cmp -s trace.txt "$TESTDATA/perf/trace.txt" && echo 'nothing was changed'
"$IOTRACE" convert -q -o t.iot trace.txt
echo "exit status $?"
"$IOTRACE" cat t.iot | grep -E '%counter|%lost'
