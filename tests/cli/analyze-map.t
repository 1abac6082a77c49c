# SPDX-License-Identifier: BSD-2-Clause
# The criteria of a study as one table, of one run and of several side by side.
for job in 1 2 3 4 5 6; do
	{
		echo "ff %trace job=$job ranks=$((2 * job)) user=u command=/bin/app%20-x"
		echo "ff %file process=1 id=1 object=1 path=/a"
		echo "ff %file process=1 id=2 object=2 path=/b layer=mpiio"
		echo "ff %op name=create process=1 file=1 time=0 took=5"
		for i in $(seq $((job + 4))); do
			printf '80 20 %x %x f4240 a 1 1 0\n' $((i * 4194304)) $((job * 1000000))
			printf '80 20 %x 40 10 a 2 1 0\n' $((i * 1000))
		done
		echo 'c0 20 0 200000 f4240 f4240 1 2 0'
	} >$job.iot
done
"$IOTRACE" analyze -q --section=map 3.iot
"$IOTRACE" analyze -q --section=map 6.iot 1.iot 2.iot 5.iot 4.iot 3.iot
echo "=== values are those of other sections"
"$IOTRACE" analyze -q -j 3.iot >all
"$IOTRACE" analyze -q -j --section=map 3.iot >map
jq -c keys map
jq -S .map all >expected
jq -S .map map | cmp - expected && echo "alone: the same"
jq -c '[.map."1.3".read_bytes_per_s_max == .time.read_bytes_per_s_max, .map."2.2".write_small_share == .sizes.write_small_share."1048576", .map."2.10".lag == .order.repetition.lag,
	.map."4.4".write_required == .classes.write_reason_share.required, .map."2.7"]' all
"$IOTRACE" analyze -q -j --section=map,sizes 3.iot | jq -c keys
"$IOTRACE" analyze -q --section=map,sizes 3.iot | grep -c .
echo "=== of states, and as rows"
"$IOTRACE" analyze -q -s 3.state --no-fsync 3.iot
"$IOTRACE" analyze -q -j --section=map 3.state | jq -S .map | cmp - expected && echo "state: the same"
"$IOTRACE" analyze -q -t --section=map 6.iot 3.state | sed -n '1,6p;$p'
"$IOTRACE" analyze -q -j --section=map 6.iot 3.state | jq '[.by, .rows[0].key, .rows[1].key]' -c
"$IOTRACE" analyze -q -j --section=map 6.iot 3.state | jq -S '.rows[0] | del(.key)' | cmp - expected && echo "row: the same"
echo "=== without requests"
printf 'ff %%trace job=9 ranks=1\n' >9.iot
"$IOTRACE" analyze -q --section=map 9.iot | sed -n '4,8p'
"$IOTRACE" analyze -q -t --section=map 9.iot 1.iot | sed -n '1,4p'
