# SPDX-License-Identifier: BSD-2-Clause
"""Compares `iotrace match` with shares computed in Python: random jobs and samples, all strategies.

usage: match_compare.py IOTRACE [FIRST-LAST]"""

import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

STRATEGIES = ("weighted", "simple", "discard", "double")
EPOCH = 1000


def make(seed):
    """Returns jobs (id, start, end, hosts, cpus of a host) and samples (host, start, end, bytes read, written)."""
    rng = random.Random(seed)
    shared = rng.random() < 0.5
    jobs, free = [], dict.fromkeys(range(4), EPOCH)
    for i in range(rng.randint(1, 30)):
        hosts = sorted(rng.sample(range(4), rng.randint(1, 3)))
        start = EPOCH + rng.randint(0, 900) if shared else max(free[h] for h in hosts) + rng.choice((0, 0, 5, 60))
        end = start + rng.randint(0 if shared else 1, 300)
        free.update(dict.fromkeys(hosts, end))
        jobs.append((f"{i:03}", start, end, hosts, rng.choice((0, 1, 2, 7))))
    samples = []
    for host in range(5):
        at, interval = EPOCH + rng.randint(0, 120), rng.choice((10, 60, 120))
        for _ in range(rng.randint(0, 12)):
            samples.append((host, at, at + interval,
                            *(rng.choice((0, 1, 5, rng.getrandbits(20), rng.getrandbits(57))) for _ in range(2))))
            at += interval + rng.choice((0, 0, 0, 30))
    return jobs, sorted(samples, key=lambda s: (s[1], s[0]))


def weighted(value, running, shared):
    """Returns the integer shares of jobs whose sum is the value."""
    weights = [length * (max(1, cpus) if shared else 1) for _, length, cpus, _ in running]
    exact = [Fraction(value * w, sum(weights)) for w in weights]
    shares = [int(e) for e in exact]
    order = sorted(range(len(shares)), key=lambda i: (shares[i] - exact[i], running[i][0]))
    for i in order[:value - sum(shares)]:
        shares[i] += 1
    return shares


def expected(jobs, samples, strategy):
    """Returns the bytes of each job, and the bytes that belong to no job."""
    sums, unmatched = {}, 0
    for host, start, end, *values in samples:
        running, spans = [], []
        for job, begin, stop, hosts, cpus in jobs:
            length = min(stop, end) - max(begin, start)
            if host in hosts and length > 0:
                running.append((job, length, cpus, stop >= end))
                spans.append((max(begin, start), min(stop, end)))
        spans.sort()
        shared = any(b[0] < a[1] for a, b in zip(spans, spans[1:]))
        for value in values:
            if strategy == "weighted":
                shares = weighted(value, running, shared) if running else []
                got = bool(running)
            elif strategy == "simple":
                shares = [value if r[3] else 0 for r in running]
                got = any(r[3] for r in running)
            else:
                all_of_it = strategy == "double" or len(running) == 1
                shares = [value if all_of_it else 0 for _ in running]
                got = bool(running) and all_of_it
            for r, share in zip(running, shares):
                sums[r[0]] = sums.get(r[0], 0) + share
            unmatched += 0 if got else value
    return sums, unmatched


def write(directory, jobs, samples):
    with open(f"{directory}/jobs.csv", "w", encoding="ascii") as file:
        file.write("job,start,end,hosts,nodes,cpus\n")
        for job, start, end, hosts, cpus in jobs:
            file.write(f'{job},{start},{end},"n[{",".join(f"{h:03}" for h in hosts)}]",{len(hosts)},{cpus * len(hosts)}\n')
    with open(f"{directory}/samples.iot", "w", encoding="ascii") as file:
        file.write(f"ff %trace source=gpfs epoch={EPOCH * 10**9}\n")
        for host, start, end, read, written in samples:
            file.write(f"ff %sample time={(start - EPOCH) * 10**6} took={(end - start) * 10**6} host=n{host:03} "
                       f"read-bytes={read} written-bytes={written}\n")


def run(iotrace, directory, strategy):
    """Returns the bytes of jobs in the table and in the trace, and the bytes in the trace that belong to no job."""
    common = ["-q", f"--jobs={directory}/jobs.csv", f"--strategy={strategy}", f"{directory}/samples.iot"]
    table = subprocess.run([iotrace, "match", "--tsv", *common], capture_output=True, check=True, text=True).stdout
    rows = [line.split("\t") for line in table.splitlines()[1:]]
    made = subprocess.run([iotrace, "match", "-o", "-", *common], capture_output=True, check=True).stdout
    trace = subprocess.run([iotrace, "cat", "-f", "text", "-"], input=made, capture_output=True, check=True).stdout.decode()
    sums, unmatched, last = {}, 0, 0
    for line in trace.splitlines():
        if "%sample " not in line:
            continue
        pairs = dict(pair.split("=", 1) for pair in line.split()[2:])
        assert int(pairs["time"]) >= last, "samples are out of order"
        last = int(pairs["time"])
        amount = int(pairs["read-bytes"]) + int(pairs["written-bytes"])
        if "job" in pairs:
            sums[pairs["job"]] = sums.get(pairs["job"], 0) + amount
        else:
            unmatched += amount
    return {row[0]: int(row[3]) for row in rows}, sums, unmatched


def main():
    iotrace = sys.argv[1]
    first, last = map(int, (sys.argv[2] if len(sys.argv) > 2 else "1-20").split("-"))
    matched = 0
    for seed in range(first, last + 1):
        jobs, samples = make(seed)
        if not samples:
            continue
        with tempfile.TemporaryDirectory() as directory:
            write(directory, jobs, samples)
            for strategy in STRATEGIES:
                want, unmatched = expected(jobs, samples, strategy)
                table, trace, left = run(iotrace, directory, strategy)
                want = {job: n for job, n in want.items() if n}
                assert {j: n for j, n in table.items() if n} == want, (seed, strategy, "table", table, want)
                assert {j: n for j, n in trace.items() if n} == want, (seed, strategy, "trace", trace, want)
                assert left == unmatched, (seed, strategy, left, unmatched)
                if strategy == "weighted":
                    assert sum(want.values()) + left == sum(s[3] + s[4] for s in samples), (seed, "sum")
        matched += 1
    print(f"{matched} schedules: equal, with {len(STRATEGIES)} strategies")
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main())
