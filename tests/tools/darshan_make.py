#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes a large Darshan log of format 3.41 with DXT data, for benchmarks.

	darshan_make.py [--segments N] [--ranks N] [--files N] [--bzip2|--none] [--streams]
	                [--start S] [--late S] OUT

Each rank has `files` files of its own, with random reads and writes of 2,500 bytes on average;
nothing is read back, so counters are those of the segments. --streams: one zlib stream per rank.
--start: when the job starts, seconds since 1970. --late: the last segment of each file starts so
many seconds after the start of the job.
"""
import argparse
import bz2
import random
import struct
import zlib

MAGIC, TICK = 6567223, 2.0**-22
POSIX_INTS, POSIX_DOUBLES = 69, 17


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--segments", type=int, default=2000000)
    p.add_argument("--ranks", type=int, default=16)
    p.add_argument("--files", type=int, default=1)
    p.add_argument("--version", type=int, default=2, help="of DXT_POSIX: 1 has no threads")
    p.add_argument("--streams", action="store_true")
    p.add_argument("--bzip2", action="store_true")
    p.add_argument("--none", action="store_true")
    p.add_argument("--start", type=int, default=1700000000)
    p.add_argument("--late", type=float)
    p.add_argument("out")
    return p.parse_args()


def record(rng, a, rank, name, count):
    """Returns the counters and the DXT data of one file of one rank."""
    lists, at, moved = ([], []), rng.random() * 1e-3, [0, 0]
    for i in range(count):
        if a.late is not None and i == count - 1:
            at = a.late
        at += rng.randrange(20, 60) * TICK
        took, length, read = rng.randrange(4, 20) * TICK, rng.randrange(1, 5000), rng.random() < 2 / 3
        segment = (rng.randrange(1 << 25), length, at, at + took)
        lists[read].append(segment + (0x7F0000000000 + rank,) if a.version > 1 else segment)
        moved[read] += length
        at += took
    ints = [0] * POSIX_INTS
    ints[0], ints[3], ints[4] = 1, len(lists[1]), len(lists[0])
    ints[14], ints[15] = moved[1], moved[0]
    counters = struct.pack(f"<Qq{POSIX_INTS}q{POSIX_DOUBLES}d", name, rank, *ints, *[0.0] * POSIX_DOUBLES)
    head = struct.pack("<Qqq64sqq", name, rank, 0, b"node%02d" % (rank // 8), len(lists[0]), len(lists[1]))
    shape = "qqddQ" if a.version > 1 else "qqdd"
    flat = [v for part in lists for s in part for v in s]
    return counters, head + struct.pack("<" + shape * count, *flat)


def main():
    a, names, counters, dxt = arguments(), [], [], []
    rng = random.Random(1)
    pack = (lambda d: bz2.compress(d)) if a.bzip2 else (lambda d: d) if a.none else (lambda d: zlib.compress(d, 6))
    per_file = a.segments // (a.ranks * a.files)
    for rank in range(a.ranks):
        trace = []
        for file in range(a.files):
            name = (rank << 32 | file) * 0x9E3779B97F4A7C15 & (1 << 64) - 1 | 1
            names.append(struct.pack("<Q", name) + b"/scratch/run/rank.%04d.%d.dat\0" % (rank, file))
            c, t = record(rng, a, rank, name, per_file)
            counters.append(c)
            trace.append(t)
        dxt.append(b"".join(trace))
    job = struct.pack("<7q1024s", 1000, a.start, 123456789, a.start + 600, 5, a.ranks, 4242, b"lib_ver=3.5.0\n")
    job += b"/scratch/bin/app --large\next4\t/\next4\t/scratch\0"
    dxt = b"".join(pack(t) for t in dxt) if a.streams else pack(b"".join(dxt))
    regions = [pack(job), pack(b"".join(names)), pack(b"".join(counters)), dxt]
    at = [1328]
    for r in regions:
        at.append(at[-1] + len(r))
    maps = {0: (at[1], len(regions[1])), 1 + 1: (at[2], len(regions[2])), 1 + 10: (at[3], len(regions[3]))}
    flat = [v for i in range(65) for v in maps.get(i, (0, 0))]
    versions = [{1: 4, 10: a.version}.get(i, 0) for i in range(64)]
    how = 1 if a.bzip2 else 2 if a.none else 0
    header = struct.pack("<8sqB7xQ130Q64I", b"3.41", MAGIC, how, 0, *flat, *versions)
    with open(a.out, "wb") as out:
        out.write(header + b"".join(regions))


if __name__ == "__main__":
    main()
