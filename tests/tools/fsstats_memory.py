#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures the peak memory of `iotrace fsstats` with ten million files, which fsstats_many.c makes up.

    fsstats_memory.py IOTRACE

./many.so is preloaded. Prints the peak without links, which may be 64 MiB, and with a million files of two links, which may
be 128 MiB.
"""
import os
import subprocess
import sys

FAULTS = 0
for linked, limit in ((0, 64), (10**6, 128)):
    env = {**os.environ, "LD_PRELOAD": "./many.so", "NAMES": str(10**7), "LINKED": str(linked)}
    with subprocess.Popen([sys.argv[1], "fsstats", "--json", "--exclude=many.so", "."], env=env, stdout=subprocess.PIPE) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    peak = usage.ru_maxrss / 1024
    wrong = status != 0 or b'"regular_files": 10000000' not in output or peak > limit
    print(f"10000000 files, {linked} with two links: {peak:.1f} MiB, at most {limit}" + (": WRONG" if wrong else ""))
    FAULTS += wrong
sys.exit(FAULTS > 0)
