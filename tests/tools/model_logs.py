#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints made samples of I/O nodes as a trace, for `iotrace model`.

    model_logs.py KIND [HOSTS] [LOGS]

reads      jobs that read for as long as the network needs, with computation in between
bursts     jobs that write less than a burst buffer holds, and compute while it drains
mixed      jobs of all kinds: reads and writes of different sizes, mostly computation
full       more I/O than a network of 1 GB/s transfers: reads in three intervals, then writes in three
short      I/O of random lengths, which never fills an interval

Deterministic. Intervals are two minutes; a job has four hosts and six intervals.
"""
import random
import sys

US = 10**6  # ticks of a trace that does not state them
INTERVAL = 120
MIB = 1 << 20


def sample(host, k, job, reads, read, writes, written):
    return (k * INTERVAL * US, f"ff %sample time={k * INTERVAL * US} took={INTERVAL * US} source=gpfs host=io{host:04d} target=fs job={job} "
            f"reads={reads} writes={writes} read-bytes={read} written-bytes={written}")


def io_of(kind, rng, k):
    """Returns the requests and bytes of reads, and of writes, of an interval."""
    if kind == "reads":
        n = rng.randrange(500, 2000)
        return n, n * 4 * MIB, 0, 0
    if kind == "bursts":
        n = rng.randrange(500, 2000)
        return 0, 0, n, n * 4 * MIB
    if kind == "mixed":
        reads = rng.choice([0, 0, 0, rng.randrange(1, 60), rng.randrange(1, 400)])
        writes = rng.choice([0, 0, rng.randrange(1, 60), rng.randrange(1, 400), rng.randrange(1, 1500)])
        read_size, write_size = rng.choice([4096, 100000, MIB, 4 * MIB]), rng.choice([1000, 65536, MIB, 6 * MIB])
        return reads, reads * read_size + rng.randrange(reads + 1), writes, writes * write_size + rng.randrange(writes + 1)
    if kind == "full":
        n = 13 * 10**8 * INTERVAL // (4 * MIB) if k % 4 != 3 else 0
        return (n, n * 4 * MIB, 0, 0) if k % 8 < 4 else (0, 0, n, n * 4 * MIB)
    n = rng.randrange(1, 10000)
    return n, n * MIB, rng.randrange(100), 0


def main():
    kind = sys.argv[1]
    hosts = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    logs = int(sys.argv[3]) if len(sys.argv) > 3 else 36
    rng = random.Random(7)
    samples = []
    for host in range(hosts):
        for k in range(logs):
            reads, read, writes, written = io_of(kind, rng, k)
            samples.append(sample(host, k, f"{host // 4}.{k // 6}", reads, read, writes, written))
    print("ff %trace source=gpfs lacks=completion,cpu,offset epoch=1300000000")
    for _, text in sorted(samples):
        print(text)


main()
