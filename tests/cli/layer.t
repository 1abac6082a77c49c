# SPDX-License-Identifier: BSD-2-Clause
# Commands use the layer that a trace has; --layer selects another one.
"$IOTRACE" convert -q --format-version=1 -o disk.iot "$TESTDATA/csv/msr.csv"
"$IOTRACE" stat -q --json disk.iot 2>&1 | jq -c '[.layer, .total.reads, .total.writes]'
"$IOTRACE" simulate -q --json disk.iot 2>&1 | jq -c '[.parameters.layer, .trace.references.reads]'
"$IOTRACE" simulate -q --time --arrive=trace --json disk.iot 2>&1 | jq -c .parameters.layer
"$IOTRACE" mrc -q --json disk.iot 2>&1 | jq -c '[.parameters.layer, .references]'
"$IOTRACE" top --once --json disk.iot | jq -c '[.layer, .total.reads, .total.writes]'
"$IOTRACE" cat -q -f oracle -o disk.bin disk.iot && test -s disk.bin && echo 'oracle: not empty'
echo 'forms that do not name the layer:'
"$IOTRACE" analyze -q --section=totals --tsv disk.iot 2>&1 | grep -E 'physical|^totals	requests	'
"$IOTRACE" analyze -q --every=1h --tsv disk.iot 2>&1 | cut -f 2,3
"$IOTRACE" mrc -q --tsv disk.iot 2>&1 >/dev/null
"$IOTRACE" simulate disk.iot 2>&1 >/dev/null
"$IOTRACE" simulate -q --time disk.iot 2>&1
echo 'a pipe, and standard input:'
for command in stat simulate mrc; do
	cat disk.iot | "$IOTRACE" $command --json - 2>&1 | grep -o '"layer": *"[a-z]*"\|^iotrace.*'
done
"$IOTRACE" analyze --section=totals --tsv <disk.iot 2>/dev/null | grep '^totals	requests	'
echo 'another layer:'
"$IOTRACE" simulate -q --layer=logical --json disk.iot | jq -c '[.parameters.layer, .trace.references.reads]'
cat >both.iot <<'TRACE'
ff %trace layer=posix,mpiio
ff %process id=1 name=app
ff %file process=1 id=8 object=2 path=/dev/sda kind=disk
0 20 64 8 0 a 8 1 0
ff %file process=1 id=1 object=1 path=/a layer=mpiio
80 20 0 4000 0 a 1 1 0
ff %file process=1 id=2 object=1 path=/a layer=posix
80 20 0 1000 0 a 2 1 0
80 20 1000 1000 0 a 2 1 0
ff %op name=open time=3 process=1 file=1 path=/a result=0
TRACE
for layer in '' --layer=posix --layer=mpiio --layer=physical --physical; do
	echo "${layer:-default}" $("$IOTRACE" stat -q $layer --json both.iot | jq -c '[.layer, .total.reads, .total.read_bytes]') \
		$("$IOTRACE" mrc -q $layer --json both.iot | jq -c '[.parameters.layer, .references]') \
		$("$IOTRACE" analyze -q $layer --section=totals --tsv both.iot | grep '^totals	requests	' | cut -f 5)
done
echo 'a pipe, the first record of which is physical:'
cat both.iot | "$IOTRACE" stat -q --json - | jq -c '[.layer, .total.reads, .total.read_bytes]'
echo 'several inputs: logical records of one are enough'
"$IOTRACE" stat -q --by=input --json disk.iot both.iot | jq -c '[.layer, .total.reads]'
"$IOTRACE" stat -q --by=input --json disk.iot disk.iot 2>&1 | jq -c '[.layer, .total.reads]'
"$IOTRACE" stat --layer=disk disk.iot
"$IOTRACE" top --layer=mpiio disk.iot
