# SPDX-License-Identifier: BSD-2-Clause
# A request, or an operation, that spans thousands of others of later parts: the time in I/O of joined parts is exact.
awk 'BEGIN {
	print "ff %op name=fsync time=1 took=250000 process=1 file=1 result=0"
	print "80 20 0 1000 5 30d40 1 1 0"
	for (i = 0; i < 20000; i++)
		printf "%s 20 %x 1000 b 4 %x 1 0\n", i % 3 ? "80" : "c0", i * 4096, i % 2 + 1
}' >bare
"$IOTRACE" slice --all-of-it --sync=100 -o trace.iot bare
for k in 1 2 3 4 5 6 7 8; do
	"$IOTRACE" analyze --part=$k/8 --state=$k.state trace.iot
done
"$IOTRACE" analyze --state=whole.state trace.iot
"$IOTRACE" analyze --state=2345.state 4.state 5.state 3.state 2.state
"$IOTRACE" analyze --state=678.state 7.state 8.state 6.state
"$IOTRACE" analyze --state=joined.state 678.state 1.state 2345.state
cmp whole.state joined.state
"$IOTRACE" analyze --json trace.iot >whole.json
"$IOTRACE" analyze --json joined.state | cmp - whole.json
jq -c '.time.io_busy_ns // .metadata.io_busy_ns // [paths | map(tostring) | join(".") | select(test("busy"))]' whole.json
