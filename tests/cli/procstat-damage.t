# SPDX-License-Identifier: BSD-2-Clause
# Streams with dropped, repeated, damaged and shuffled packets: the records of those that arrived, in
# order, and %lost with the number of records missing of each process.
make=${IOTRACE%/iotrace}/packet_make
sh "$TOOLS/built.sh" packet_make || exit 77

try() {
	echo "$@"
	$make --records=40000 --processes=16 --flush=1000 --truth=truth "$@" >packets.bin
	"$IOTRACE" convert -q -o trace.iot packets.bin 2>message
	echo "exit status $?"
	python3 "$TOOLS/packet_truth.py" packets.bin >wanted.csv
	"$IOTRACE" cat --format=csv --columns=raw trace.iot | tail -n +2 | cmp - wanted.csv && echo 'as a full sort'
	"$IOTRACE" cat --format-version=1 trace.iot | sed -n 's/.*%lost.* process=\([0-9]*\) packets=\([0-9]*\) .*/\1 \2/p' |
		awk '{ n[$1] += $2 } END { for (p in n) print "lost", p, n[p] }' | sort >lost
	grep lost truth | sort | cmp - lost && echo "lost: $(awk '{ n += $3 } END { print n + 0 }' lost)"
	damaged=$("$IOTRACE" cat --format-version=1 trace.iot | sed -n 's/.*%lost.* bytes=\([0-9]*\) .*/\1/p' |
		awk '{ n += $1 } END { print n + 0 }')
	[ "damaged $damaged" = "$(grep damaged truth)" ] && echo "damaged: $damaged"
	"$IOTRACE" convert --report=report.json packets.bin 2>message >again.iot
	cmp trace.iot again.iot
	grep -c '"late"' report.json
}

try
try --no-marks
try --tick=6000
try --drop=30000
try --duplicate=30000
try --damage=30000
try --garbage=30000
try --shuffle=30
try --drop=20000 --duplicate=20000 --damage=20000 --shuffle=30

echo 'cut off:'
$make --records=40000 >packets.bin
head -c 100000 packets.bin >cut.bin
"$IOTRACE" convert -o cut.iot cut.bin 2>&1 | sed 's/[0-9][0-9]*/N/g'
"$IOTRACE" cat cut.iot | tail -n 1 | sed 's/=.*//'
head -c 5000 /dev/zero >zero.bin
"$IOTRACE" convert --from=procstat zero.bin 2>&1 >zero.iot
echo "exit status $?"
exit 0
