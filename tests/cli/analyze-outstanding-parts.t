# SPDX-License-Identifier: BSD-2-Clause
# A request counts as outstanding while at most 65,536 later ones begin, in parts as in the whole trace, and whatever the later ones are.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - <<'CODE'
import random
random.seed(3)
def write(name, duration, early=lambda i: 0):
    now = last = 0
    with open(name, "w") as trace:
        for i in range(200000):
            now += random.randrange(20)
            start = max(now - early(i), 0)
            trace.write(f"80 20 {i * 4096:x} 1000 {start - last:x} {duration(i):x} {i % 4 + 1:x} 1 0\n")
            last = start
def short():
    return random.randrange(30)
write("long", lambda i: 30000000 if i % 9000 == 10 else short())
write("some", lambda i: 800000 if i % 97 == 10 else short())
write("zero", lambda i: 610000 if i in (19000, 30000) else 3 * (i % 70000 < 100))
write("late", lambda i: random.choice((0, 9, 900000)), lambda i: random.randrange(1000))
write("late-zero", lambda i: 700000 if i % 8000 == 0 else i % 70000 < 5, lambda i: random.randrange(1000))
write("unordered", lambda i: short(), lambda i: -9000000 if i == 50000 else 0)
CODE
for name in long some zero late late-zero unordered; do
	"$IOTRACE" cat -q --framed --sync=3000 --no-fsync -o $name.iot.zst $name
	"$IOTRACE" analyze -q --no-fsync --section=time -s whole.state $name.iot.zst
	for n in 2 7; do
		for k in $(seq $n); do
			"$IOTRACE" analyze -q --no-fsync --section=time -s $k.state --part=$k/$n $name.iot.zst
		done
		"$IOTRACE" analyze -q --no-fsync -s joined.state $(seq -f %.0f.state $n)
		cmp whole.state joined.state && echo "$name: $n parts: the state of the whole"
	done
	"$IOTRACE" analyze -q -t whole.state | grep -E 'concurrency_max|io_busy_ns|^note.*65536' | cut -f 2-6
done
