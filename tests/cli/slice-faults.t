# SPDX-License-Identifier: BSD-2-Clause
# Damage outside of a slice is not read, damage inside is reported; usage.
i=0
while [ $i -lt 60 ]; do
	echo "c0 22 $i 8 a 1 3 7 1"
	i=$((i + 1))
done >t
"$IOTRACE" cat --framed --sync=10 --in-base=16 t >t.iot
sed 's/^c0 62 8 a 1 3 7 1$/&/; 35s/8/9/' t.iot >bad.iot
"$IOTRACE" slice --records=40-45 bad.iot | grep -c '^c0'
"$IOTRACE" slice --records=25-45 bad.iot >out && echo fine
echo "exit $?"
tail -n 2 out | cut -c 1-30
"$IOTRACE" slice --records=45- bad.iot >/dev/null && echo fine
head -c 700 t.iot >cut.iot
"$IOTRACE" slice --records=0-9 cut.iot | grep -c '^c0'
"$IOTRACE" slice -q --records=20- cut.iot >/dev/null || echo "exit $?"
"$IOTRACE" slice --records=50- <cut.iot >/dev/null || echo "exit $? without a note on an empty slice"
"$IOTRACE" slice --from=10h t.iot | wc -l
for option in --from=x --to=1x --from=101% --records=9-3 --records= --process=7, --process=9-3 --op=both --every=0 --from=@1700000000; do
	"$IOTRACE" slice $option t.iot >/dev/null || echo "exit $?"
done
"$IOTRACE" slice --from=2s --to=1s t.iot || echo "exit $?"
cat t.iot | "$IOTRACE" slice --from=50% || echo "exit $?"
"$IOTRACE" slice -o t.iot t.iot || echo "exit $?"
