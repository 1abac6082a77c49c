#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Counts instructions and cache misses per record with cachegrind, without those of the preparation.

usage: profile.py BENCH [RECORDS]

Prints a table in Markdown. The second cache is simulated as this machine's (2 MiB), the first as valgrind finds it.
"""
import re
import shutil
import subprocess
import sys

NOTHING = "memcpy"
WORK = [
    ("mixed", ("floor_decode", "decode", "read_memory", "floor_encode", "write_memory")),
    ("sequential", ("floor_decode", "read_memory")),
    ("wide", ("floor_decode", "read_memory")),
]
COUNTS = (("instructions", r"I\s+refs"), ("misses of the first data cache", r"D1\s+misses"),
          ("of the second", r"LLd misses"), ("branches mispredicted", r"Mispredicts"))


def counts(bench, workload, only, records):
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes", "--LL=2097152,16,64",
               "--cachegrind-out-file=/dev/null", bench, "--json", "--runs=1", "--workload=" + workload,
               "--only=" + only, "--records=%d" % records]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = (re.search(pattern + r":\s+([\d,]+)", done.stderr) for _, pattern in COUNTS)
    return [int(match.group(1).replace(",", "")) for match in found]


def main():
    bench = sys.argv[1]
    records = int(sys.argv[2]) if len(sys.argv) > 2 else 300000
    if shutil.which("valgrind") is None:
        print("valgrind is not here: no profile.")
        return
    print("| each record | " + " | ".join(name for name, _ in COUNTS) + " |")
    print("|---|" + "---:|" * len(COUNTS))
    for workload, measurements in WORK:
        before = counts(bench, workload, NOTHING, records)
        for only in measurements:
            after = counts(bench, workload, only, records)
            values = ["%.*f" % (0 if i == 0 else 2, (a - b) / records)
                      for i, (a, b) in enumerate(zip(after, before))]
            print("| %s: %s | %s |" % (workload, only, " | ".join(values)))


main()
