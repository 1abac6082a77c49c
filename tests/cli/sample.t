# SPDX-License-Identifier: BSD-2-Clause
# Counters of this host become samples at intervals; the trace can be read while it grows, and after a SIGKILL.
[ -r /proc/diskstats ] || { echo "/proc/diskstats cannot be read"; exit 77; }
mkdir bin
cat >bin/lctl <<'CODE'
#!/bin/sh
n=$(($(cat "$COUNT" 2>/dev/null || echo 0) + 1))
echo $n >"$COUNT"
[ "$n" != 3 ] || exit 1
echo "llite.scratch-ffff8800.stats="
echo "snapshot_time $((1764320400 + n)).000000000 secs.nsecs"
echo "read_bytes $((10 * n)) samples [bytes] 4096 1048576 $((4096 * n))"
echo "write_bytes $n samples [bytes] 4096 1048576 $((1048576 * n))"
echo "open $n samples [reqs]"
CODE
cat >bin/mmpmon <<'CODE'
#!/bin/sh
read -r request
[ "$request" = fs_io_s ] || exit 1
n=$(($(cat "$COUNT" 2>/dev/null || echo 0) + 1))
echo $n >"$COUNT"
echo "_fs_io_s_ _n_ 192.0.2.1 _nn_ node1 _rc_ 0 _t_ $((1764320400 + n)) _tu_ 0 _cl_ c1 _fs_ home _d_ 2 _br_ $((100 * n)) _bw_ $((200 * n)) _oc_ 1 _cc_ 1 _rdc_ $n _wc_ $n _dir_ 0 _iu_ 0"
CODE
chmod +x bin/lctl bin/mmpmon
run() {
	rm -f counts
	COUNT=$PWD/counts PATH=$PWD/bin:$PATH "$IOTRACE" sample -q --every=20ms "$@" 2>&1
}
samples() {
	"$IOTRACE" cat --bare --format-version=1 --base=10 "$1" 2>/dev/null | grep -v '%trace' | sed 's/host=[^ ]*/host=HOST/; s/^255 %lost time=[0-9]*/255 %lost time=T/'
}
run -n 4 --source=lustre -o lustre.iot
samples lustre.iot
"$IOTRACE" check -q lustre.iot
run --source=gpfs -n 2 -o gpfs.iot
samples gpfs.iot | head -n 1
# Of this host: each interval has a sample of each disk, and the interval is in %trace.
run -n 5 --source=disk --device='*' -o disk.iot
"$IOTRACE" cat disk.iot 2>/dev/null | grep -o 'interval=[0-9]*'
devices=$(wc -l </proc/diskstats)
[ "$("$IOTRACE" info disk.iot 2>/dev/null | awk '$1 == "samples" { print $2 }')" = $((5 * devices)) ] && echo "five samples of each device"
# Parts of a size; a name that exists is not replaced.
run -n 6 --source=disk --device='*' --rotate=1K -o parts.iot
ls parts.* | head -n 3
# It ends properly after SIGTERM, and leaves a trace that can be read after SIGKILL.
for signal in TERM KILL; do
	for suffix in iot iot.zst; do
		"$IOTRACE" sample -q --every=20ms --source=disk --device='*' -o $signal.$suffix &
		n=0
		until "$IOTRACE" analyze -q -t $signal.$suffix 2>/dev/null | grep -q 'samples	sample_count' || [ $n -gt 100 ]; do
			sleep 0.1
			n=$((n + 1))
		done
		[ $n -gt 100 ] || echo "$signal $suffix can be read while it grows"
		kill -$signal $! 2>/dev/null
		{ wait $!; } 2>/dev/null
		echo "exit status $?"
		"$IOTRACE" info $signal.$suffix 2>/dev/null | head -n 1 | sed 's/.*: //'
	done
done
# What it refuses.
exec 2>&1
"$IOTRACE" sample
"$IOTRACE" sample --source=tape -o x.iot
"$IOTRACE" sample --keep-parts=3 -o x.iot
"$IOTRACE" sample -n 1 --source=disk -o no/such/directory/x.iot
