# SPDX-License-Identifier: BSD-2-Clause
# Logs of the ranks of a job, from hosts that use the same process numbers: the I/O of each rank, and the
# slowest calls.
for rank in 0 1 2; do
	cat >$rank.strace <<E
7 1700000000.00000$rank execve("./app", ["./app"], 0x7f /* 1 var */) = 0 <0.000001>
7 1700000001.00000$rank openat(AT_FDCWD, "/scratch/shared", O_RDWR|O_CREAT|O_EXCL, 0644) = 3 <0.00010$rank>
7 1700000002.00000$rank pwrite64(3, "x", 100, ${rank}00) = 100 <0.00100$rank>
7 1700000003.00000$rank fsync(3) = 0 <$rank.000001>
7 1700000004.00000$rank unlink("/none") = -1 ENOENT (No such file or directory) <0.000002>
7 1700000005.00000$rank exit_group(0) = ?
7 1700000005.00000$rank +++ exited with 0 +++
E
	"$IOTRACE" convert --format-version=1 --rank=$rank --host=n$rank -o $rank.iot $rank.strace
done
"$IOTRACE" merge --format-version=1 -o job.iot 0.iot 1.iot 2.iot
"$IOTRACE" cat job.iot | grep -E '^ff %(trace|process)'
"$IOTRACE" stat --by=process job.iot
"$IOTRACE" slice --rank=2 job.iot | "$IOTRACE" stat --json
echo '== a clock that is ahead'
"$IOTRACE" merge --format-version=1 --shift-by=host --shift=n2=-1s 0.iot 2.iot | "$IOTRACE" cat --format=csv --columns=raw | cut -d , -f 2,5,8
echo '== ranks and hosts that are none'
for option in --rank=-1 --rank=x --rank=2147483648 --rank= --host=; do
	"$IOTRACE" convert --format-version=1 $option 0.strace 2>&1
	echo "exit status $?"
done
echo '== durations that are not known'
sed 's/ <[^>]*>$//' 0.strace | cut -d ' ' -f 1,3- | "$IOTRACE" convert --format-version=1 -q - | "$IOTRACE" stat | tail -n 5
