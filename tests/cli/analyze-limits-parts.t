# SPDX-License-Identifier: BSD-2-Clause
# A later part keeps the beginnings of 262,144 streams: ten files that are open from the first part on, and that it uses after more
# others, begin anew, which is counted; nothing else differs from the whole.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - <<'CODE'
with open("a.iot", "w") as trace:
    def use(file, block):
        trace.write(f"80 20 {block << 12:x} 1000 1 1 {file:x} 1 0\n")
    for file in range(1, 11):
        use(file, 0)
    for file in range(11, 600011):
        use(file, 0)
        trace.write(f"ff %op name=close process=1 file={file} path=/{'x' * 60}\n")
    for file in range(1, 11):
        use(file, 1)
CODE
"$IOTRACE" cat -q --framed --sync=20000 --no-fsync -o framed.iot a.iot
"$IOTRACE" analyze -q -t framed.iot >whole
for k in 1 2; do "$IOTRACE" analyze -q --no-fsync --part=$k/2 -s $k.state framed.iot; done
"$IOTRACE" analyze -q -t 1.state 2.state >joined
grep -E "^limits|order.followers" joined | cut -f 1-5
# Of the order, only requests that have no predecessor differ; the other differences are in limits.
diff whole joined | grep '^[<>]' | cut -f 1 | sort | uniq -c | awk '{ print $2, $3 }'
# All parts but the last one have fewer files.
for k in 1 2 3; do "$IOTRACE" analyze -q --no-fsync --part=$k/3 -s $k.state framed.iot; done
"$IOTRACE" analyze -q --no-fsync -s 12.state 1.state 2.state
"$IOTRACE" analyze -q -t 12.state 3.state | diff whole - | grep '^[<>]' | cut -f 1-2
# More than 64 names and results, in other parts others: the joined state is that of the whole.
awk 'BEGIN {
	for (i = 0; i < 800; i++) {
		n = (int(i / 8) + i % 8) * 37 % 100
		printf "80 20 %x 1000 1 1 1 %d 0\n", i * 4096, 9
		printf "ff %%op name=call%d time=%d took=2 process=1 result=E%d\n", n, i * 10 + 3, n
	}
}' </dev/null >names.iot
"$IOTRACE" cat -q --framed --sync=50 --no-fsync -o framed.iot names.iot
for k in 1 2 3 4 5; do "$IOTRACE" analyze -q --no-fsync --part=$k/5 -s $k.state framed.iot; done
"$IOTRACE" analyze -q --no-fsync -s 45.state 4.state 5.state
"$IOTRACE" analyze -q --no-fsync -s 123.state 2.state 1.state 3.state
"$IOTRACE" analyze -q --no-fsync -s whole.state framed.iot
"$IOTRACE" analyze -q --no-fsync -s joined.state 123.state 45.state
cmp whole.state joined.state && echo 'names: the state of the whole'
"$IOTRACE" analyze -q -t joined.state | awk -F '\t' '$2 ~ /^(calls|errors)$/ { n[$2]++ } $2 ~ /^other_(calls|errors)$/ { print $2, $NF, $5 } END { print n["calls"], n["errors"] }'
