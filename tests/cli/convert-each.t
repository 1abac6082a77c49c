# SPDX-License-Identifier: BSD-2-Clause
# -O: one trace for each IN; after a failure the others are still converted, and the exit status is 1.
sh "$TOOLS/strace_log.sh" 2 /tmp/a >a.strace
sh "$TOOLS/strace_log.sh" 3 /tmp/b >b.strace
mkdir sub
cp a.strace sub/b.strace
echo "not a log" >bad
"$IOTRACE" convert -O traces --report=report.json a.strace bad absent b.strace sub/b.strace 2>messages
echo "exit status $?"
sed 's/(.*)/(FORMATS)/' messages
ls traces
python3 -m json.tool report.json >/dev/null && grep '"kept"' report.json
"$IOTRACE" convert a.strace >a.iot
"$IOTRACE" cat traces/a.strace.iot.zst | cmp a.iot -
"$IOTRACE" convert -O traces --compress=plain a.strace
cmp a.iot traces/a.strace.iot
"$IOTRACE" convert -O traces -o x a.strace 2>&1
echo "exit status $?"
echo '== warnings name the input'
for i in 1 2; do
	echo "1 1700000000.00000$i read(3</a>, \"\", 7) = 7 <0.000001>"
done >seven.strace
cp seven.strace eight.strace
"$IOTRACE" convert -O two seven.strace eight.strace 2>&1
"$IOTRACE" convert -O one seven.strace 2>&1
