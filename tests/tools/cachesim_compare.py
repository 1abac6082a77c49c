#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the misses of iotrace simulate with those of libCacheSim's cachesim, of a table, or of cache_reference.py.

    cachesim_compare.py IOTRACE [--table=FILE | --reference] [--physical] [--unit=object] INPUT...

An input is a trace or log, or a list of keys, one in a line, if its name ends in .txt. --unit=object: each id of an input is a key, so a table
has it as the list of the same name. Sizes are a thousandth, a hundredth and a tenth of
the distinct blocks. The program is $CACHESIM, or cachesim of PATH if that is not set; without one the comparison says "skipped". Its results have four
decimals, so that counts may differ by a 20,000th of the references; those of LIRS by 0.1 % more, because its stack has no limit there.
Revision aa0fc40 of libCacheSim has the same rules as the policies of iotrace-simulate(1); it admits nothing with S3-FIFO below 20 blocks,
2Q below 4, LIRS at 1.

--table: exact counts; a line has the name of the input, its references and distinct blocks, a policy, and the misses at the three sizes.
--reference prints such a table, from the reference in Python; this takes minutes for a million references.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import cache_reference

NAMES = {"lru": "lru", "fifo": "fifo", "clock": "clock", "lfu": "lfu", "2q": "twoq", "arc": "arc", "s3fifo": "s3fifo",
         "sieve": "sieve", "opt": "belady", "lirs": "lirs"}
POLICIES = [*NAMES, "wtinylfu"]
SMALLEST = {"s3fifo": 20, "2q": 4, "lirs": 3}
RESULT = re.compile(r"cache size\s+(\d+)\s*,\s*(\d+) req, miss ratio ([01]\.\d+)")


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


class Input:
    def __init__(self, iotrace, path, options, directory):
        self.name, self.iotrace, self.options = os.path.basename(path), iotrace, options
        self.trace = path
        if "--unit=object" in options:
            self.name = os.path.basename(path).split(".")[0] + ".txt"
        if path.endswith(".txt"):
            self.options = [*options, "--in-format=csv", "--in-option=columns=txt"]
        if path.endswith(".txt") and "--unit=object" not in options:
            self.trace, self.options = os.path.join(directory, "keys.iot"), []
            with open(path) as keys, open(self.trace, "w") as trace:
                for line in keys:
                    trace.write(f"80 20 {int(line) * 4096:x} 1000 1 0 1 1 0\n")
        self.keys = [int(line) for line in self.simulate("--dump-references").split()]
        self.distinct = len(set(self.keys))
        self.sizes = [max(1, self.distinct // share) for share in (1000, 100, 10)]

    def simulate(self, *words):
        return run(self.iotrace, "simulate", "-q", *self.options, *words, self.trace)

    def misses(self, policies):
        found = json.loads(self.simulate("--json", "-p", ",".join(policies), "-c", ",".join(f"{size}b" for size in self.sizes)))
        if found["trace"]["unlinked"] + found["trace"]["truncated"]:
            sys.exit(f"{self.name}: operations remove blocks, which a list of keys cannot express")
        return {(s["policy"], s["cache_blocks"]): s["misses"] for s in found["simulations"]}


class Cachesim:
    """Runs the program on a list of keys, or for OPT on one with the next reference to each key."""

    def __init__(self, program, source, directory):
        self.program, self.source, self.directory = program, source, directory
        self.list, self.oracle = os.path.join(directory, "keys.txt"), os.path.join(directory, "keys.oracleGeneral.bin")
        with open(self.list, "w") as file:
            file.writelines(f"{key}\n" for key in source.keys)
        self.write_oracle()

    def write_oracle(self):
        after, records = {}, []
        for i in range(len(self.source.keys) - 1, -1, -1):
            key = self.source.keys[i]
            records.append(struct.pack("<IQIq", i & 0xffffffff, key, 1, after.get(key, -1)))
            after[key] = i + 1
        with open(self.oracle, "wb") as file:
            file.write(b"".join(reversed(records)))

    def misses(self, policy):
        """Misses by size, as ratios times references."""
        trace, kind = (self.oracle, "oracleGeneral") if policy == "opt" else (self.list, "txt")
        words = [self.program, trace, kind, NAMES[policy], ",".join(map(str, self.source.sizes)), "--ignore-obj-size", "1",
                 "--num-thread", "1", "-o", os.path.join(self.directory, "results")]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        found = {int(size): (int(n), float(ratio)) for size, n, ratio in RESULT.findall(done.stdout)}
        n = len(self.source.keys)
        if done.returncode or sorted(found) != sorted(set(self.source.sizes)) or any(r[0] != n for r in found.values()):
            sys.exit(f"{' '.join(words)}: exit status {done.returncode}, expected results of {n} references at the sizes:\n"
                     f"{done.stdout}{done.stderr}")
        return {size: ratio * n for size, (_, ratio) in found.items()}


def compare_program(program, source, directory):
    ours, cachesim, wrong = source.misses(NAMES), Cachesim(program, source, directory), 0
    for policy in NAMES:
        theirs, row = cachesim.misses(policy), []
        for size in sorted(set(source.sizes)):
            count, tolerance = ours[policy, size], len(source.keys) / 20000 + 1
            if policy == "lirs":
                tolerance += count / 1000
            differs = abs(count - theirs[size]) > tolerance and size >= SMALLEST.get(policy, 1)
            wrong += differs
            row.append(f"{size} blocks {count} misses, {theirs[size] / len(source.keys):.4f}{' DIFFERS' if differs else ''}")
        print(f"{source.name} {policy}: {'; '.join(row)}")
    return wrong


def compare_table(table, source):
    ours, wrong, rows = source.misses(POLICIES), 0, 0
    with open(table) as file:
        for line in file:
            name, n, distinct, policy, *misses = line.split()
            if name != source.name:
                continue
            rows += 1
            expected = [int(n), int(distinct), *map(int, misses)]
            found = [len(source.keys), source.distinct, *(ours[policy, size] for size in source.sizes)]
            if found != expected:
                print(f"{source.name} {policy}: {found}, expected {expected}")
                wrong += 1
    print(f"{source.name}: {rows} policies, {wrong} with other misses than the table")
    return wrong + (rows == 0)


def print_reference(source):
    for policy in POLICIES:
        misses = []
        for size in source.sizes:
            cache = cache_reference.new(policy, size, source.keys)
            misses.append(sum(not cache.refer(key) for key in source.keys))
        print(source.name, len(source.keys), source.distinct, policy, *misses, sep="\t", flush=True)
    return 0


def main():
    iotrace, *words = sys.argv[1:]
    table = next((word[8:] for word in words if word.startswith("--table=")), None)
    options = ["--layer=physical"] if "--physical" in words else []
    options += [word for word in words if word == "--unit=object"]
    program = os.environ.get("CACHESIM", shutil.which("cachesim"))
    if not table and "--reference" not in words and not program:
        print("skipped: no cachesim of libCacheSim in PATH or $CACHESIM")
        return 0
    wrong = 0
    for path in (word for word in words if not word.startswith("--")):
        with tempfile.TemporaryDirectory() as directory:
            source = Input(iotrace, path, options, directory)
            if table:
                wrong += compare_table(table, source)
            elif "--reference" in words:
                wrong += print_reference(source)
            else:
                wrong += compare_program(program, source, directory)
    if program and not table and "--reference" not in words:
        print(f"{wrong} differences")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
