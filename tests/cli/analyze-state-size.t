# SPDX-License-Identifier: BSD-2-Clause
# A compressed state takes at most the bytes of its trace, or 64 KiB; so do the states of two parts together.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
trace() {
	python3 - $* <<'CODE'
import random, sys
records, processes, files, sequential = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
r = random.Random(3)
end = {}
for size in sys.argv[5:]:
    print("ff %trace source=random command=" + "".join(r.choice("abcdefgh") for i in range(int(size))))
for i in range(records):
    process, file = r.randrange(1, processes + 1), r.randrange(1, files + 1)
    offset = end.get((process, file), 0) if r.random() < sequential else r.randrange(1 << 18) * 4096
    length = r.choice((4096, 4096, 65536, 131072, 262144, 1 << 20, r.randrange(1, 100000)))
    end[process, file] = offset + length
    print("%x 20 %x %x %x %x %x %x 0" % (r.choice((0x80, 0xc0, 0xc0)), offset, length, r.randrange(50), r.randrange(20, 400), file + files * process, process))
CODE
}
# records processes files sequential [bytes of a command]
while read -r workload; do
	trace $workload | "$IOTRACE" cat -q --framed --sync=5000 --no-fsync -o trace.iot.zst
	"$IOTRACE" analyze -q --no-fsync -s state.zst trace.iot.zst
	for k in 1 2; do "$IOTRACE" analyze -q --no-fsync --part=$k/2 -s $k.state.zst trace.iot.zst; done
	limit=$(wc -c <trace.iot.zst)
	test $limit -ge 65536 || limit=65536
	for states in state.zst "1.state.zst 2.state.zst"; do
		size=$(cat $states | wc -c)
		test $size -le $limit && echo "$workload: within the limit" || echo "$workload: $size bytes, expected at most $limit"
	done
done <<END
100 8 4 0.9
1000 8 4 0.7
10000 8 4 0.9
30000 8 4 0.9
66000 8 4 0.9
100000 8 4 0.7
10000 1 1 1
66000 1 1 1
10000 1 1 0
66000 1 1 0
1000 500 2 0.7
66000 8 4 0.7
20000 20 2 0.2
20000 2000 3 0.8
30000 8 5000 0 40000
END
