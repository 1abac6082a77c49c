# SPDX-License-Identifier: BSD-2-Clause
# The layer of a part is that of the first records of its trace, of which it reads at most 256 KiB: if logical records follow many
# physical ones, it is refused, and no state is written.
for tool in strace python3; do
	command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
strace -o /dev/null true 2>/dev/null || { echo "strace cannot trace here"; exit 77; }
records()
{
	python3 -c '
import random, sys
random.seed(1)
for i in range(int(sys.argv[2])):
    print(f"{sys.argv[1]} 20 {random.randrange(1 << 40):x} {random.randrange(1, 1 << 20):x} 5 3 {i % 4 + 1:x} 1 0")' "$@"
}
records 0 400000 >disk.iot
{ cat disk.iot; records 80 10; } >late.iot
for name in disk late; do
	"$IOTRACE" cat -q --framed --sync=20000 --no-fsync -o $name.iot.zst $name.iot
	echo "-- $name"
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -y -o calls -e trace=openat,read,pread64,lseek \
		"$IOTRACE" analyze -q --no-fsync -s part.state --part=8/8 $name.iot.zst 2>&1
	echo "status $?"
	ls part.state 2>/dev/null
	rm -f part.state
	python3 - $name.iot.zst <<'CODE'
import os, re, sys
read = 0
for line in open("calls"):
    n = re.search(r"(?:read|pread64)\(.*= (\d+)", line) if sys.argv[1] in line else None
    read += int(n.group(1)) if n else 0
size = os.path.getsize(sys.argv[1])
print("bytes of an eighth and at most 256 KiB:", read <= size // 8 + size // 20 + (256 << 10))
CODE
done
"$IOTRACE" analyze -q --no-fsync -s whole.state --layer=logical late.iot.zst
for k in 1 2 3; do "$IOTRACE" analyze -q --no-fsync -s $k.state --layer=logical --part=$k/3 late.iot.zst; done
"$IOTRACE" analyze -q --no-fsync -s joined.state 1.state 2.state 3.state
cmp whole.state joined.state && echo 'with --layer: the state of the whole'
