# SPDX-License-Identifier: BSD-2-Clause
# model: validation, variants, fitting, and what is refused; results do not depend on the order of inputs.
logs="python3 $TOOLS/model_logs.py"
cat >small.system <<'S'
# 8 I/O nodes of JUGENE; the tree does not limit them
compute-nodes = 128  request-max = 4MiB  ciod-buffer = 4MiB  page-pool = 1024MiB
tree = 850MiB/s      network = 10Gbit/s  server = 66GiB/s    internal = 0
tree-links = private # not shared
S
echo 'burst-buffer = size 64GiB, internal 850MiB/s, external 1Gbit/s' >slow.system
echo 'burst-buffer = size 16GiB, internal 850MiB/s, external 4Gbit/s' >fast.system
echo 'server = 901MiB/s' | cat small.system - >busy.system # the share of 8 of 600 I/O nodes
for kind in reads bursts mixed; do
	$logs $kind >$kind.iot
	echo "-- $kind"
	"$IOTRACE" model small.system $kind.iot
	for variant in slow fast; do
		"$IOTRACE" model --variant=$variant.system small.system $kind.iot | sed -n 7,9p
	done
done
echo "-- the time of jobs: with one host it grows as the I/O does; with several, by the share of I/O at most"
sed -E 's/host=io([0-9]+)(.*) job=[0-9]+/host=io\1\2 job=\1/' mixed.iot | "$IOTRACE" model --variant=slow.system --tsv small.system - |
    awk 'NR > 1 { d = $6 - $5 - ($3 - $2); jobs++; wrong += d > 2 || d < -2 } END { print jobs, wrong }'
"$IOTRACE" model --variant=slow.system --tsv small.system reads.iot |
    awk 'NR > 1 { jobs++; wrong += $7 < 1 || $7 > 1.000001 + $2 / $5 * ($4 - 1) } END { print jobs, wrong }'
echo "-- bursts, all at once"
"$IOTRACE" model --variant=slow.system busy.system bursts.iot | sed -n 7,12p
echo "-- the order of inputs"
grep -v 'host=io0003' mixed.iot >without.iot
grep 'host=io0003\|%trace' mixed.iot >with.iot
"$IOTRACE" model --variant=slow.system --json small.system mixed.iot >one.json
"$IOTRACE" model --variant=slow.system --json small.system with.iot without.iot | cmp - one.json && echo equal
echo "-- the samples that begin in ten minutes"
"$IOTRACE" slice -q --from=600s --to=1200s mixed.iot | "$IOTRACE" model small.system - | cksum >slice.sum
awk -F'time=| took' '/%trace/ || $2 >= 600000000 && $2 < 1200000000' mixed.iot | "$IOTRACE" model small.system - | cksum | cmp - slice.sum && echo equal
echo "-- counters"
"$IOTRACE" model -o counters.iot small.system mixed.iot >/dev/null
"$IOTRACE" check counters.iot
"$IOTRACE" model small.system counters.iot | tail -n 4
"$IOTRACE" model --plots=plots --variant=slow.system small.system mixed.iot >/dev/null
ls plots
echo "-- fit"
$logs full >full.iot
echo 'network = 1GB/s' | cat small.system - >known.system
"$IOTRACE" model -o known.iot known.system full.iot >/dev/null
$logs short >short.iot
"$IOTRACE" model --fit=network=980MB/s:1020MB/s:5 small.system known.iot
"$IOTRACE" model --fit=network=950MB/s:1050MB/s:2 small.system short.iot
echo "-- refused"
echo 'io-nodes = 6' | cat small.system - >few.system
"$IOTRACE" model few.system mixed.iot
echo 'colour = red' | "$IOTRACE" model - mixed.iot
"$IOTRACE" model --fit=network=1:2 small.system mixed.iot
"$IOTRACE" model small.system "$TESTDATA/format/example.iot"
sed 's/reads=21/reads=many/' mixed.iot | "$IOTRACE" model --tsv small.system - | head -n 1
sed 's/ written-bytes=0$//' mixed.iot | "$IOTRACE" model --tsv small.system - | grep bytes
{ sed 's/target=fs/target=a/; s/reads=[0-9]*/reads=3000000000/' mixed.iot; grep -v %trace mixed.iot | sed 's/reads=[0-9]*/reads=3000000000/'; } |
    "$IOTRACE" model small.system -
sed '$s/time=[0-9]*/time=10000000000000/' mixed.iot | "$IOTRACE" model small.system -
"$IOTRACE" model "$TESTDATA/model/jugene.system" mixed.iot | head -n 2
exit 0
