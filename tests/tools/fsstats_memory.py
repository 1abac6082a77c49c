#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures the peak memory of `iotrace fsstats` with ten million files, which fsstats_many.c makes up.

    fsstats_memory.py IOTRACE

./many.so is preloaded. Prints the peak without links, which may be 64 MiB, with a million files of two links, which may
be 128 MiB, and with ten million directories in one, which may be 64 MiB with --memory=16M.
"""
import os
import subprocess
import sys

MADE = 10**7
CASES = (
    ("without links", {}, [], b'"regular_files": %d' % MADE, 64),
    ("a million with two links", {"LINKED": str(10**6)}, [], b'"regular_files": %d' % MADE, 128),
    # one thread: the library keeps one position of each
    ("directories, --memory=16M", {"FOLDERS": "1"}, ["--memory=16M", "--cross", "--threads=1"], b'"vanished": %d' % MADE, 64),
)
FAULTS = 0
for title, variables, options, expected, limit in CASES:
    env = {**os.environ, "LD_PRELOAD": "./many.so", "NAMES": str(MADE), **variables}
    with subprocess.Popen([sys.argv[1], "fsstats", "--json", "--exclude=many.so", *options, "."], env=env, stdout=subprocess.PIPE) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    peak = usage.ru_maxrss / 1024
    wrong = status != 0 or expected not in output or peak > limit
    print(f"{MADE} entries, {title}: {peak:.1f} MiB, at most {limit}" + (": WRONG" if wrong else ""))
    FAULTS += wrong
sys.exit(FAULTS > 0)
