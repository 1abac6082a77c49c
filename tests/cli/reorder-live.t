# SPDX-License-Identifier: BSD-2-Clause
# Events older than the window are written while the producer runs; verified, when their interval is complete.
mkfifo in
"$IOTRACE" reorder --no-verify --window=1ms in >out &
exec 3>in
echo 'ff %iotrace version=1 tick=1000' >&3
for start in 64 100 -50 2000 10 3000; do
	echo "80 0 0 200 $start 1 0 3 1 0" >&3
done
sh "$TOOLS/until.sh" '[ "$(grep -c ^80 out)" -ge 5 ]'
grep -c '^80' out
echo '80 0 0 200 1 1 0 3 1 0' >&3
exec 3>&-
wait
"$IOTRACE" cat --format=csv --columns=raw out | cut -d, -f2

# Intervals of two records.
"$IOTRACE" cat --sync=2 --framed out >trace
grep -n '%sync' trace | cut -d: -f1 >syncs
first=$(sed -n 1p syncs) second=$(sed -n 2p syncs)
rm -f out
"$IOTRACE" reorder --window=1ns in >out &
exec 3>in
head -n "$first" trace >&3
sh "$TOOLS/until.sh" '[ "$(grep -c "^[8e]0" out)" -ge 1 ]'
sed -n "$((first + 1)),$((second - 1))p" trace >&3
sleep 0.2
grep -c '^[8e]0' out
sed -n "$second,\$p" trace >&3
exec 3>&-
wait
"$IOTRACE" cat --format=csv --columns=raw out | tail -n +2 | wc -l
