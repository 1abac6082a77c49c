# SPDX-License-Identifier: BSD-2-Clause
# A compressed state takes fewer bytes than its trace if that has many requests, and at most 64 KiB if it has 1000.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
trace() {
	python3 - $1 <<'CODE'
import random, sys
r = random.Random(3)
end = {}
for i in range(int(sys.argv[1])):
    process, file = r.randrange(1, 9), r.randrange(1, 5)
    offset = end.get((process, file), 0) if r.random() < .7 else r.randrange(1 << 18) * 4096
    length = r.choice((4096, 4096, 65536, 131072, 262144, 1 << 20, r.randrange(1, 100000)))
    end[process, file] = offset + length
    print("%x 20 %x %x %x %x %x %x 0" % (r.choice((0x80, 0xc0, 0xc0)), offset, length, r.randrange(50), r.randrange(20, 400), file + 4 * process, process))
CODE
}
at_most() {
	size=$(wc -c <"$1")
	test $size -le $2 && echo "$1 has at most $3" || echo "$1 has $size bytes, expected at most $2"
}
trace 100000 | "$IOTRACE" cat -q --framed --no-fsync -o many.iot.zst
"$IOTRACE" analyze -q --no-fsync -s many.state.zst many.iot.zst
at_most many.state.zst $(wc -c <many.iot.zst) "the bytes of its trace"
trace 1000 | "$IOTRACE" cat -q --framed --no-fsync -o few.iot.zst
"$IOTRACE" analyze -q --no-fsync -s few.state.zst few.iot.zst
at_most few.state.zst 65536 "64 KiB"
