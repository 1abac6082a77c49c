# SPDX-License-Identifier: BSD-2-Clause
# What is behind the window comes out while the producer goes on.
mkfifo in
"$IOTRACE" reorder --window=1ms in >out &
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
"$IOTRACE" cat --format=csv out | cut -d, -f2
