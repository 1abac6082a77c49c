# SPDX-License-Identifier: BSD-2-Clause
# Statistics on several threads have the same values: streams, CPU clocks and times in I/O.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - >text <<'CODE'
import random
r = random.Random(1)
end = {}
print("ff %trace epoch=1700000000123456789 ranks=9")
for thread in range(6, 9):
    print("ff %%process id=%d thread-of=5" % thread)
for i in range(120000):
    process, file = r.randrange(1, 9), r.randrange(1, 5)
    offset = end.get((process, file), 0)
    if r.random() < .2:
        offset = r.randrange(40) * 4096
    length = r.choice((4096, 4096, 65536, r.randrange(1, 100)))
    end[process, file] = offset + length
    print("%x 20 %x %x %x %x %x %x %x" % (r.choice((0x80, 0xc0, 0xc0, 0x88, 0x81)), offset, length, r.randrange(200),
                                          r.choice((1, 5, 100, 5000)), file, process, r.randrange(20)))
    if r.random() < .002:
        print("ff %%op name=close process=%d file=%d result=0" % (process, file))
CODE
for name in trace.iot trace.iot.gz; do
	"$IOTRACE" cat -q --framed --sync=2000 --no-fsync -o $name text
	for threads in 1 2 3 4; do
		"$IOTRACE" analyze -q --tsv --threads=$threads $name >$threads
		cmp 1 $threads && echo "$name, $threads threads: the same values"
	done
done
# Also those of a pipe, and of a trace without %sync.
"$IOTRACE" analyze -q --tsv --threads=2 <trace.iot | cmp - 1
"$IOTRACE" analyze -q --tsv --threads=2 text | cmp - 1
# Damage: what precedes it is analyzed.
head -c 1500000 trace.iot >cut.iot
for threads in 1 2; do
	"$IOTRACE" analyze -q --tsv --threads=$threads cut.iot 2>error >$threads
	echo "exit $?"
	cat error
done
cmp 1 2
