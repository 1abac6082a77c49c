#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Darshan logs and Recorder traces with impossible or absurd counts: a message
# that names them, bounded memory and time, and no files left.

cat >logs.py <<'P'
import os, shutil, struct, sys, zlib
sys.path.insert(0, os.environ["TOOLS"])
from recorder_make import NAMES, block, pack_grammar

# Darshan 3.41: regions by number, 0 the names; all are zlib.
DEEP, HUGE, MOST = 1 << 62, 1 << 31, (1 << 63) - 1
JOB = struct.pack("<7q1024s", 1, 1700000000, 0, 1700000600, 0, 4, 7, b"") + b"/bin/app\n\0"
def log(name, regions, versions, minor=41, processes=4, head=None):
    job = zlib.compress(JOB[:40] + struct.pack("<q", processes) + JOB[48:])
    at, parts, maps = 1328 + len(job), [job], [(0, 0)] * 65
    for i, data in regions.items():
        maps[i] = (at, len(data))
        at += len(data)
        parts.append(data)
    flat = [v for m in maps for v in m]
    h = struct.pack("<8sqB7xQ130Q64I", b"3.%02d" % minor, 6567223, 0, 0, *flat,
                    *[versions.get(i, 0) for i in range(64)])
    if head:
        h = head(bytearray(h))
    open(name + ".darshan", "wb").write(bytes(h) + b"".join(parts))
def one(name, module, version, *data):
    log(name, {0: names, 1 + module: zlib.compress(b"".join(data), 9)}, {module: version})
def dxt(rank, writes, reads):
    return struct.pack("<Qqq64sqq", 5, rank, 0, b"host", writes, reads)
names = zlib.compress(struct.pack("<Q", 5) + b"/data/file\0")
segment = struct.pack("<qqdd", 0, 10, 0.5, 0.75)
one("dxt-sum", 10, 1, dxt(0, MOST, MOST), segment)
one("dxt-many", 10, 1, dxt(0, 1 << 40, 1 << 40), segment)
one("dxt-rank", 10, 1, dxt(HUGE, 1, 0), segment)
one("dxt-ranks", 10, 1, *(dxt(HUGE - 1 - i, 1, 0) + segment for i in range(20000)))
one("dxt-empty", 10, 1, bytes(16 << 20))
one("dxt-zeros", 10, 1, dxt(0, 1 << 40, 0), bytes(16 << 20))
one("heatmap", 15, 1, struct.pack("<Qqdqqq", 5, 0, 0.1, DEEP, 0, 0))
one("heatmap-wide", 15, 1, struct.pack("<Qqdqqq", 5, 0, 0.1, 65536, 0, 0), bytes(1 << 20))
one("lustre-old", 8, 1, struct.pack("<7q", 5, 0, 1, 1, 0, 1 << 20, DEEP))
one("lustre-new", 8, 2, struct.pack("<4q", 5, 0, MOST, MOST))
one("lustre-sum", 8, 2, struct.pack("<4q", 5, 0, 16384, 16384), bytes(100))
log("name", {0: zlib.compress(struct.pack("<Q", 5) + b"x" * (64 << 20), 9)}, {})
log("names", {0: zlib.compress(b"".join(struct.pack("<Q", i) + b"\0" for i in range(200000)), 9)}, {})
log("same", {0: zlib.compress(b"".join(struct.pack("<Q", 5) + b"/%06d\0" % i for i in range(300000))),
             11: zlib.compress(dxt(0, 1, 0) + segment)}, {10: 1})
one("dxt-none", 10, 1, *(struct.pack("<Qqq64sqq", 5 + i, i % 7, 0, b"host", 0, 0) for i in range(200000)))
log("processes", {0: names, 11: zlib.compress(dxt(0, 1, 0) + segment)}, {10: 1}, processes=DEEP)
def beyond(h):
    struct.pack_into("<QQ", h, 48 + 16 * 10, 1 << 60, 1 << 63)
    return h
log("region", {0: names, 11: zlib.compress(dxt(0, 1, 0) + segment)}, {10: 1}, head=beyond)
def unknown(h):
    struct.pack_into("<I", h, 1072 + 4 * 60, 1)
    return h
log("unknown", {0: names, 11: zlib.compress(dxt(0, 1, 0) + segment), 61: b"never read" * 10}, {10: 1}, head=unknown)

# Recorder 3.0, one rank with two calls that the grammar expands.
def key(function, *args):
    text = b"".join(str(a).encode() + b" " for a in args)
    return struct.pack("<QiBBi", 0, NAMES.index(function), 0, len(args), len(text)) + text
KEYS = [key("open", "/f", 66, 420), key("write", "/f", "%p", 8)]
def signatures(count=len(KEYS), keys=KEYS):
    return struct.pack("<i", count) + b"".join(struct.pack("<iiii", i, 0, len(k), 1) + k for i, k in enumerate(keys))
def trace(name, grammar, calls=2, ranks=1, cst=None, size=None, packed=None):
    os.mkdir(name)
    def put(file, data):
        open(os.path.join(name, file), "wb").write(data)
    put("VERSION", b"3.0.0")
    head = struct.pack("<i8B4xddi4B", ranks, 1, 1, 1, 1, 1, 1, 0, 1, 1.7e9, 1e-7, 0, 1, 0, 0, 0)
    put("recorder.mt", head.ljust(1024, b"\0") + "".join(n + "\n" for n in NAMES).encode())
    times = block(struct.pack("<II", 10, 20) * calls)
    put("recorder.ts", struct.pack("<Q", len(times)) + times)
    put("0.cst", block(cst or signatures()))
    put("0.cfg", packed or block(grammar if isinstance(grammar, bytes) else pack_grammar(grammar)))
fine = {-1: [(0, 1), (1, 1)]}
trace("fine", fine)
# Opens that no read can refer to, and reads that search for their open.
N = 150000
trace("opens", {-1: [(0, N), (1, N)]}, calls=2 * N,
      cst=signatures(2, [key("open", "/f", 1, 420), key("read", "/f", "%p", 8)]))
trace("circle", {-1: [(0, 1), (-2, 1)], -2: [(1, 1), (-1, 1)]})
trace("itself", {-1: [(0, 1), (-1, 2147483647)]})
chain = {-i: [(-i - 1, 1)] for i in range(1, 300000)}
trace("deep", {**chain, -300000: [(0, 1), (1, 1)]})
trace("deep-circle", {**chain, -300000: [(-7, 1)]})
trace("wide", {-1: [(0, 1)] + [(1, 1)] * 300000}, calls=300001)
trace("bomb", {-1: [(-2, 1 << 30)], -2: [(-3, 1 << 30)], -3: [(0, 1)]})
trace("beyond", {**{-i: [(-i - 1, 2147483647)] for i in range(1, 64)}, -64: [(0, 1)]})
trace("rules", struct.pack("<i", 2147483647))
trace("symbols", struct.pack("<iii", 1, -1, 2147483647))
trace("signatures", fine, cst=signatures(2147483647))
trace("key", fine, cst=struct.pack("<iiiii", 1, 0, 0, 2147483647, 1) + KEYS[0])
trace("ranks", fine, ranks=2147483647)
trace("claims", fine, packed=struct.pack("<QQ", 20, 1 << 62) + block(b"")[16:].ljust(20, b"\0"))
trace("packed", fine, packed=(lambda z: struct.pack("<QQ", len(z), 512 << 20) + z)(zlib.compress(bytes(1 << 20), 1)))
P
python3 logs.py || exit 1

# try INPUT: in 1 GiB of memory and 100 seconds of CPU time.
try() {
	(
		case ${MODE-release} in
		release | debug) ulimit -v 1048576 ;; # sanitizers want all of it
		esac
		ulimit -f 409600
		ulimit -t 100
		"$IOTRACE" convert -o out.iot "$1" 2>err.txt
	)
	echo "$1: $?"
	cut -c 1-150 err.txt | grep -v '^iotrace: warning.*has no \(DXT \)\?data' | head -n 3
	[ -e out.iot ] && "$IOTRACE" cat out.iot | grep -c '^[c8]'
	rm -f out.iot
}
export TMPDIR="$PWD"
for log in *.darshan; do
	try "$log"
done
echo "== counters of absurd shape are there, and what is not understood is counted"
"$IOTRACE" convert -q unknown.darshan | grep -o 'source=unknown.*'
"$IOTRACE" convert -q heatmap-wide.darshan | grep -c '%counter'
for log in */; do
	try "${log%/}"
done
echo "== left here"
ls -A | grep -v '^logs\.py$\|\.txt$\|\.darshan$'
