#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks laws that the results of `iotrace simulate` and `iotrace mrc` obey.

    simulate_laws.py IOTRACE FIRST-LAST      on random traces of these seeds, with operations
    simulate_laws.py IOTRACE TRACE...        on given traces and logs; with --physical first, on their physical records
    simulate_laws.py --counts IOTRACE TRACE  the counts that libCacheSim publishes for cloudPhysicsIO

The laws: the exact curve equals simulations of LRU at 20 sizes; OPT never misses more than another policy, and neither
OPT nor LRU misses more in a larger cache; evictions are misses less resident and dropped blocks; each written block is
written to the device, written again in the cache, or cancelled; rows add up to the whole; SHARDS with all keys is the
exact curve; curves of rows, reads and writes add up; simulations of a sample equal the reference on that sample;
misses of keys that are deleted are those of a dictionary; results depend neither on the number of threads nor on other simulations in the same pass.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import cache_reference

POLICIES = ["lru", "fifo", "clock", "lfu", "2q", "arc", "lirs", "s3fifo", "sieve", "wtinylfu", "opt"]
COUNTS = {1: .976421, 2: .970607, 3: .965681, 4: .959024, 5: .956934, 20: .927015}  # miss ratios, by objects


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def random_trace(seed):
    """A bare trace with objects, opens, unlinks, truncates and fsyncs; most of its data is reused."""
    rand = random.Random(seed)
    lines = []
    files = {}
    objects = 0
    for step in range(rand.randrange(200, 1500)):
        process = rand.randrange(1, 4)
        choice = rand.random()
        if choice < 0.03 or not files:
            number = len(files) + 1
            objects += 1
            shared = rand.randrange(1, objects + 1) if rand.random() < 0.3 else objects
            files[number] = [process, shared, 0]
            what = f" object={shared} path=/f{shared}" if rand.random() < 0.9 else ""
            lines.append(f"ff %file process={process} id={number}{what}")
        elif choice < 0.12:
            number, (process, shared, _) = rand.choice(list(files.items()))
            name = rand.choice(["unlink", "unlink", "truncate", "truncate", "fsync", "close", "rename"])
            result = rand.choice(["", " result=0", " result=0", " result=EACCES"])
            size = f" size={rand.randrange(0, 200000)}" if rand.random() < 0.7 else ""
            target = f" path=/f{shared}" if name in ("unlink", "rename") else f" file={number}"
            to = f" to=/f{rand.randrange(1, objects + 1)}" if name == "rename" else ""
            if name == "unlink" and rand.random() < 0.7:
                lines += [f"ff %op name=close process={files[n][0]} file={n}" for n in files if files[n][1] == shared]
            lines.append(f"ff %op name={name} process={process}{target}{to}{size}{result}")
        number, (process, _, at) = rand.choice(list(files.items()))
        length = rand.choice([0, 1, 100, 4096, 4096, 8192, 10000, 65536])
        offset = rand.choice([at, at, 0, rand.randrange(0, 300000), rand.randrange(0, 1 << 20)])
        files[number][2] = offset + length
        kind = rand.choice([0x80, 0x80, 0xc0, 0xc0, 0x81, 0x82, 0xc1])
        lines.append(f"{kind:x} 20 {offset:x} {length:x} {step % 3:x} a {number:x} {process:x} 0")
    return "\n".join(lines) + "\n"


class Checker:
    def __init__(self, iotrace, trace, options=()):
        self.iotrace, self.trace, self.options = iotrace, trace, list(options)
        self.wrong = 0

    def simulate(self, *words):
        return json.loads(run(self.iotrace, "simulate", "-q", "--json", *self.options, *words, self.trace))

    def mrc(self, *words):
        return json.loads(run(self.iotrace, "mrc", "-q", "--json", *self.options, *words, self.trace))

    def check(self, holds, law, *values):
        if not holds:
            print(f"{self.trace}: {law}: {values}")
            self.wrong += 1

    def curves(self):
        curve = {p["cache_blocks"]: p["misses"] for p in self.mrc("--points=20")["points"]}
        sizes = sorted(curve)
        if not sizes:
            return []
        every = self.simulate("-c", ",".join(f"{size}b" for size in sizes))
        direct = {s["cache_blocks"]: s["misses"] for s in every["simulations"]}
        self.check(curve == direct, "the exact curve equals simulations", curve, direct)
        for p, s in zip(self.mrc("--points=20")["points"], every["simulations"]):
            parts = {d: every["trace"]["references"][d + "s"] - s["hits"][d + "s"] for d in ("read", "write")}
            self.check(parts == {d: p[d + "_misses"] for d in parts}, "curves of reads and writes", p, parts)
        whole = {p["cache_blocks"]: p["misses"] for p in self.mrc("--points=20", "--method=shards", "--sample=1")["points"]}
        same = [size for size in sizes if size in whole]
        self.check(all(abs(whole[size] - curve[size]) <= 1 for size in same), "SHARDS of all keys", whole, curve)
        return sizes

    def simulations(self, sizes):
        chosen = sorted({sizes[len(sizes) * i // 4] for i in range(4)})
        words = ["-p", ",".join(POLICIES), "-c", ",".join(f"{size}b" for size in chosen)]
        one = self.simulate("--threads=1", *words)
        self.check(one == self.simulate("--threads=3", *words), "threads change nothing")
        by = {(s["policy"], s["cache_blocks"]): s for s in one["simulations"]}
        written = one["trace"]["references"]["writes"]
        for (policy, size), s in by.items():
            self.check(by["opt", size]["misses"] <= s["misses"], "OPT is best", policy, size)
            self.check(s["evictions"] == s["misses"] - s["resident_blocks"] - s["dropped_blocks"], "evictions", policy,
                       size, s)
            self.check(written == s["saved_writes"] + s["cancelled_writes"] + s["device_written_bytes"] // 4096,
                       "written blocks", policy, size, s)
        for policy in ("lru", "opt"):
            misses = [by[policy, size]["misses"] for size in chosen]
            self.check(misses == sorted(misses, reverse=True), "larger caches miss less", policy, misses)
        single = self.simulate("-p", "arc", "-c", f"{chosen[0]}b")["simulations"][0]
        self.check(single == by["arc", chosen[0]], "other simulations change nothing", single)
        n = one["trace"]["references"]["reads"] + written
        for method in ("exact", "aet"):
            curve = self.mrc("--by=op", f"--method={method}", "--points=10")
            for i, point in enumerate(curve["points"]):
                rows = sum(r["points"][i]["misses"] for r in curve["rows"])
                self.check(abs(rows - point["misses"]) <= 1 and point["misses"] <= n, "rows of a curve add up", method, point)
        for row in ("object", "process", "op", "file", "kind"):
            s = self.simulate("--by=" + row, "-c", f"{chosen[-1]}b")
            rows = s["simulations"][0]["rows"]
            self.check(sum(r["misses"] for r in rows) == s["simulations"][0]["misses"], "rows add up", row)

    def references(self):
        """Without operations, the keys are the whole input of a policy."""
        keys = [int(line) for line in run(self.iotrace, "simulate", "-q", *self.options, "--dump-references",
                                          self.trace).split()]
        reference = cache_reference.stack_distances(keys)
        distinct = len(set(keys))
        result = self.simulate("-c", "1b")
        if result["trace"]["unlinked"] + result["trace"]["truncated"] > 0 or distinct == 0:
            return
        self.check(result["trace"]["distinct_blocks"] == distinct, "distinct blocks", distinct)
        points = self.mrc("--points=20")["points"]
        for point in points:
            misses = sum(d is None or d > point["cache_blocks"] for d in reference)
            self.check(misses == point["misses"], "stack distances", point, misses)
        repeats = sum(a == b for a, b in zip(keys, keys[1:]))
        self.check(points[0]["misses"] == len(keys) - repeats, "one block", points[0])


def check_trace(iotrace, trace, options=()):
    checker = Checker(iotrace, trace, options)
    sizes = checker.curves()
    if sizes:
        checker.simulations(sizes)
        if os.path.getsize(trace) < 1 << 20:
            checker.references()
    return checker.wrong


def check_random(iotrace, first, last):
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(first, last + 1):
            path = os.path.join(scratch, f"seed-{seed}.iot")
            with open(path, "w") as file:
                file.write(random_trace(seed))
            wrong += check_trace(iotrace, path)
    return wrong


def misses_of_keys(operations, size):
    """LRU, in a dictionary: the first key is the oldest."""
    cache, misses = {}, 0
    for name, key in operations:
        hit = cache.pop(key, None)
        if name == "delete":
            continue
        misses += hit is None
        cache[key] = True
        if len(cache) > size:
            del cache[next(iter(cache))]
    return misses


def check_keys(iotrace, first, last):
    wrong = 0
    for seed in range(first, last + 1):
        rand = random.Random(seed)
        names = ["get", "gets", "set", "add", "replace"] + ["delete"] * (1 + seed % 4)
        operations = [("delete", 0)] * (seed % 2) + [(rand.choice(names), int(30 ** rand.random())) for _ in range(rand.choice([60, 300]))]
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, f"keys-{seed}.csv")
            with open(path, "w") as file:
                file.write("op,id\n" + "".join(f"{name},{key}\n" for name, key in operations))
            checker = Checker(iotrace, path, ["--unit=object", "--in-format=csv"])
            checker.curves()
            for point in checker.mrc("--points=20")["points"]:
                misses = misses_of_keys(operations, point["cache_blocks"])
                checker.check(misses == point["misses"], "deleted keys", point, misses)
            wrong += checker.wrong
    return wrong


def check_miniature(iotrace, seed=5, rate=0.25):
    """Simulations of a sample equal those of the reference on the keys with small hashes, in smaller caches."""
    rand, wrong = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "zipf.iot")
        with open(path, "w") as file:
            for _ in range(20000):
                block = int(8000 ** rand.random()) * 7919 % 8000
                file.write(f"{rand.choice([0x80, 0xc0]):x} 20 {block * 4096:x} 1000 1 0 1 1 0\n")
        checker = Checker(iotrace, path)
        keys = [int(line) for line in run(iotrace, "simulate", "-q", "--dump-references", path).split()]
        hashes = {key: cache_reference.xxh3_of_number(key, seed) for key in set(keys)}
        sample = [key for key in keys if hashes[key] < rate * 2**64]
        for policy in ("fifo", "arc", "s3fifo", "wtinylfu", "opt"):
            result = checker.mrc("--method=shards", f"--sample={rate}", f"--seed={seed}", f"--policy={policy}", "--points=3")
            checker.check(result["parameters"]["samples"] == len(set(sample)), "sampled blocks", policy)
            checker.check(all(p["cache_blocks"] * rate >= 1000 for p in result["points"]), "sizes of a sample", policy)
            for point in result["points"]:
                cache = cache_reference.new(policy, int(point["cache_blocks"] * rate + 0.5), sample)
                misses = sum(not cache.refer(key) for key in sample) / rate
                checker.check(abs(point["misses"] - misses) <= 0.5, "simulation of a sample", policy, point, misses)
                parts = point["read_misses"] + point["write_misses"]
                checker.check(abs(parts - misses) <= 1, "reads and writes of a sample", policy, point)
        wrong = checker.wrong
    return wrong


def check_counts(iotrace, trace):
    """Each line of the published trace is an object; with blocks of 512 bytes, records of one block are the same."""
    sizes = ",".join(f"{size}b" for size in COUNTS)
    with open(trace) as file:
        keys = [int(line) for line in file]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "keys.iot")
        with open(path, "w") as file:
            for i, key in enumerate(keys):
                file.write(f"80 20 {key * 4096:x} 1000 {i > 0:x} 0 1 1 0\n")
        result = json.loads(run(iotrace, "simulate", "-q", "--json", "-c", sizes, path))
    misses = {s["cache_blocks"]: s["misses"] for s in result["simulations"]}
    print(f"{len(keys)} references, {result['trace']['distinct_blocks']} distinct; misses {misses}")
    for size, ratio in COUNTS.items():
        if abs(misses[size] / len(keys) - ratio) > 1e-6:
            print(f"{size} objects: {misses[size]} misses, expected a ratio of {ratio}")
            return 1
    return int(result["trace"]["distinct_blocks"] != 48974)


def main():
    if sys.argv[1] == "--counts":
        wrong = check_counts(*sys.argv[2:4])
    elif "-" in sys.argv[2] and sys.argv[2].replace("-", "").isdigit():
        seeds = [int(seed) for seed in sys.argv[2].split("-")]
        wrong = check_random(sys.argv[1], *seeds) + check_keys(sys.argv[1], *seeds) + check_miniature(sys.argv[1])
    elif sys.argv[1] == "--physical":
        wrong = sum(check_trace(sys.argv[2], trace, ["--layer=physical"]) for trace in sys.argv[3:])
    else:
        wrong = sum(check_trace(sys.argv[1], trace) for trace in sys.argv[2:])
    print(f"{wrong} laws broken")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
