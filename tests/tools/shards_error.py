#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares estimated miss-ratio curves (iotrace mrc --method=shards and aet) with exact ones.

    shards_error.py IOTRACE [--seeds=N] [--mrc=OPTION]... [TRACE...]

Traces: Zipf's law, loops of several lengths, phases with scans, and given ones, of which .vscsi has physical records.
For each trace and seed: the mean absolute error at 100 sizes with equal ratios from 1 block to all, and the same with
equal differences; the share of the sizes at which the true value is within the printed bounds. Also the error of AET
at sizes with equal ratios. The rows of the table are for Markdown. Fails if the bounds cover less than 90 % over all
seeds of a trace, or if a mean error at either sizes reaches 0.02 with 8192 sampled keys or more.
"""
import bisect
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

REFERENCES = 3000000


def zipf(rand):
    """Zipf's law with exponent 0.9 on a million keys, of which popular ones are not adjacent."""
    distinct = 1000000
    sums = list(itertools.accumulate((i + 1) ** -0.9 for i in range(distinct)))
    return [k * 2654435761 % distinct for k in rand.choices(range(distinct), cum_weights=sums, k=REFERENCES)]


def loops(rand):
    """Four loops, of 40,000 to 400,000 keys, in turns of random length."""
    sizes, at, keys = [300000, 120000, 40000, 400000], [0] * 4, []
    while len(keys) < REFERENCES:
        i = rand.choices(range(4), weights=[3, 3, 3, 2])[0]
        for _ in range(rand.randrange(1, 400)):
            keys.append((i << 20) + at[i])
            at[i] = (at[i] + 1) % sizes[i]
    return keys


def phases(rand):
    """Scans, random references in a region, and skewed ones in one of eight regions."""
    keys = []
    while len(keys) < REFERENCES:
        n, kind = rand.randrange(20000, 150000), rand.random()
        if kind < 0.3:
            start = rand.randrange(1 << 22)
            keys += range(start, start + n)
        elif kind < 0.6:
            start, width = rand.randrange(1 << 20), rand.randrange(5000, 200000)
            keys += [start + rand.randrange(width) for _ in range(n)]
        else:
            start, width = rand.randrange(8) << 17, rand.choice([1000, 30000, 100000])
            keys += [start + int(width ** rand.random()) for _ in range(n)]
    return keys


def make(iotrace, keys, path):
    with subprocess.Popen([iotrace, "cat", "-q", "-o", path], stdin=subprocess.PIPE, text=True) as cat:
        for at in range(0, len(keys), 100000):
            cat.stdin.write("".join(f"80 20 {key * 4096:x} 1000 1 0 1 1 0\n" for key in keys[at:at + 100000]))
    return path


class Curve:
    """An exact curve; value(size) is the miss ratio."""

    def __init__(self, mrc):
        points = [line.split("\t") for line in mrc("--tsv", "--all").splitlines()[1:]]
        self.sizes = [int(point[0]) for point in points]
        self.ratios = [float(point[3]) for point in points]

    def value(self, size):
        return self.ratios[max(0, bisect.bisect_right(self.sizes, size) - 1)]


class Sample:
    def __init__(self, exact, result):
        self.exact = exact
        self.points = [(p["cache_blocks"], p["miss_ratio"], p.get("miss_ratio_low"), p.get("miss_ratio_high")) for p in result["points"]]
        self.kept = result["parameters"].get("samples", 0)

    def errors(self):
        return [abs(ratio - self.exact.value(size)) for size, ratio, _, _ in self.points]

    def at_equal_ratios(self):
        errors = self.errors()
        return sum(errors) / len(errors)

    def at_equal_differences(self):
        """At 100 sizes, each with the estimate for the next smaller size of the sampled curve."""
        sizes = [point[0] for point in self.points]
        total = 0
        for i in range(1, 101):
            size = self.exact.sizes[-1] * i // 100
            point = self.points[max(0, bisect.bisect_right(sizes, size) - 1)]
            total += abs(point[1] - self.exact.value(point[0]))
        return total / 100

    def covered(self):
        inside = [low <= self.exact.value(size) <= high for size, _, low, high in self.points]
        return sum(inside) / len(inside)


def check(iotrace, path, seeds, options):
    layer = ["--layer=physical"] if path.endswith(".vscsi") else []

    def mrc(*words):
        return subprocess.run([iotrace, "mrc", "-q", *layer, *words, path], check=True, capture_output=True,
                              text=True).stdout
    exact = Curve(mrc)
    samples = [Sample(exact, json.loads(mrc("--json", "--method=shards", "--points=100", f"--seed={seed}", *options)))
               for seed in range(seeds)]
    covered = sum(sample.covered() for sample in samples) / seeds
    linear = [sample.at_equal_differences() for sample in samples]
    ratios = [sample.at_equal_ratios() for sample in samples]
    aet = Sample(exact, json.loads(mrc("--json", "--method=aet", "--points=100"))).at_equal_ratios()
    kept = [sample.kept for sample in samples]
    print(f"| {os.path.basename(path).split('.')[0]} | {exact.sizes[-1]:,} | {min(kept):,} | {' '.join(f'{e:.4f}' for e in ratios)} | "
          f"{' '.join(f'{e:.4f}' for e in linear)} | {covered:.3f} | {aet:.4f} |", flush=True)
    return covered < 0.9 or any(max(pair) >= 0.02 and n >= 8192 for pair, n in zip(zip(linear, ratios), kept))


def main():
    iotrace, seeds, options, paths = sys.argv[1], 5, [], []
    for word in sys.argv[2:]:
        if word.startswith("--seeds="):
            seeds = int(word[8:])
        elif word.startswith("--mrc="):
            options.append(word[6:])
        else:
            paths.append(word)
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for kind in (zipf, loops, phases):
            paths.append(make(iotrace, kind(random.Random(1)), os.path.join(scratch, kind.__name__ + ".iot.zst")))
        print("| trace | largest distance | keys, at least | errors at equal ratios | at equal differences | covered | AET |\n"
              "|---|---:|---:|---|---|---:|---:|")
        for path in paths:
            wrong += check(iotrace, path, seeds, options)
    print(f"{wrong} of {len(paths)} traces have wrong bounds or large errors")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
