# SPDX-License-Identifier: BSD-2-Clause
# A part opens its trace once, and reads at most 256 KiB before its own bytes, beside the seek table.
for tool in strace python3; do
	command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
strace -o /dev/null true 2>/dev/null || { echo "strace cannot trace here"; exit 77; }
python3 -c '
import random
random.seed(1)
print("ff %trace epoch=1700000000000000000 lacks=cpu")
for i in range(400000):
    print(f"80 20 {random.randrange(1 << 40):x} {random.randrange(1 << 30):x} 5 3 {i % 4 + 1:x} 1 0")' |
	"$IOTRACE" cat -q --framed --sync=20000 --no-fsync -o t.iot.zst
"$IOTRACE" parts -n 8 --min-size=1 t.iot.zst >plan
for part in --part=3/8 "--plan=plan --part=3"; do
	trace=t.iot.zst
	case $part in --plan*) trace= ;; esac
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -y -o calls -e trace=openat,read,pread64,lseek \
		"$IOTRACE" analyze -q --no-fsync -s part.state $part $trace
	python3 - "$part" "$(sed -n '3s/.* from=\([0-9]*\).*/\1/p' plan)" <<'CODE'
import re, sys
opened = read = 0
for line in open("calls"):
    if "t.iot.zst" not in line:
        continue
    opened += "openat(" in line
    if f", {sys.argv[2]}, SEEK_SET" in line:
        break
    n = re.search(r"(?:read|pread64)\(.*= (\d+)", line)
    read += int(n.group(1)) if n else 0
print(f"{sys.argv[1]}: openings: {opened}, at most 256 KiB: {read <= 256 << 10}")
CODE
done
echo "-- a state has no parts"
"$IOTRACE" analyze -q --part=1/2 -s no.state part.state 2>&1
echo "status $?"
