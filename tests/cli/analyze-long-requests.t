# SPDX-License-Identifier: BSD-2-Clause
# Requests that are as long as the trace cost little: each is divided among pieces, not among 65,536 bins. States of parts join to that
# of the whole, and bytes are those of the requests.
awk 'BEGIN {
	for (i = 0; i < 4000; i++)
		printf "80 20 %x 100003 1 %x 1 %x 0\n", i * 4096, i % 3 ? 1048576 + i : 3145728, i % 2 + 1
}' >bare
"$IOTRACE" slice --all-of-it --sync=250 -o trace.iot bare
(
	ulimit -t 3
	"$IOTRACE" analyze --json trace.iot >whole.json
) || echo "too slow"
for k in 1 2 3; do
	"$IOTRACE" analyze --part=$k/3 --state=$k.state trace.iot
done
"$IOTRACE" analyze --state=whole.state trace.iot
"$IOTRACE" analyze --state=12.state 1.state 2.state
"$IOTRACE" analyze --state=123.state 3.state 12.state
cmp whole.state 123.state
"$IOTRACE" analyze --json 123.state | cmp - whole.json
jq -c '[.totals.requests, .totals.read_bytes, .time.bins]' whole.json
