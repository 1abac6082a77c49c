# SPDX-License-Identifier: BSD-2-Clause
# The collector: packets that arrive are in the file, more are appended, and other files are not
# changed. It waits for its first writer, which usually comes late, and ends with the last one or by a signal.
make=${IOTRACE%/iotrace}/packet_make
sh "$TOOLS/built.sh" packet_make || exit 77
$make --records=3000 --flush=500 >one.bin
$make --records=2000 --flush=500 --seed=2 >two.bin
mkfifo fifo other

timeout 300 "$IOTRACE" procstat -o all.bin fifo 2>&1 &
sleep 0.3
cat one.bin >fifo
wait $!
echo "exit status $?"
cmp one.bin all.bin && echo 'all of it'

echo 'appended, from two at a time:'
timeout 300 "$IOTRACE" procstat -q -o all.bin fifo other 2>&1 &
cat one.bin >fifo &
cat two.bin >other
wait
[ $(wc -c <all.bin) = $(cat one.bin one.bin two.bin | wc -c) ] && echo 'all of it'

echo 'until a signal:'
timeout 300 "$IOTRACE" procstat --keep -q -o kept.bin fifo 2>&1 &
collector=$!
cat one.bin >fifo
cat two.bin >fifo
sh "$TOOLS/until.sh" '[ $(cat kept.bin | wc -c) = $(cat one.bin two.bin | wc -c) ]'
kill -TERM $collector
wait $collector
cat one.bin two.bin | cmp - kept.bin && echo 'all of it'

echo 'refused:'
echo 'something else' >text
timeout 300 "$IOTRACE" procstat -o text - <one.bin 2>&1
echo "exit status $?, $(cat text)"
timeout 300 "$IOTRACE" procstat -o x.bin absent 2>&1
echo "exit status $?"
timeout 300 "$IOTRACE" procstat -o x.bin . 2>&1
echo "exit status $?"
timeout 300 "$IOTRACE" procstat -o /dev/full - <one.bin 2>&1
echo "exit status $?"
timeout 300 "$IOTRACE" procstat 2>&1
echo "exit status $?"
timeout 300 "$IOTRACE" procstat -o one.bin one.bin 2>&1
echo "exit status $?"

echo 'in parts, which cat(1) joins; a collector that is restarted appends to the last one:'
$make --records=200000 --flush=500 >large.bin
cat large.bin | timeout 300 "$IOTRACE" procstat -q --rotate=100K -o part.bin -
[ -e part.0002.bin ] || ls -l
cat part.*.bin | cmp - large.bin && echo 'all of it'
timeout 300 "$IOTRACE" procstat -q --rotate=1h -o part.bin - <two.bin
cat part.*.bin >parts.bin
cat large.bin two.bin | cmp - parts.bin && echo 'all of it'
for part in part.*.bin; do head -c 4 $part | od -An -tx1; done | sort -u | wc -l
timeout 300 "$IOTRACE" procstat --rotate=16K - <one.bin 2>&1
echo "exit status $?"
