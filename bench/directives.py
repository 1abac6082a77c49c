#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures how fast operations are decoded: a table in Markdown.

    directives.py IOTRACE [OTHER]...

Traces `make -j2` with strace as log_sizes.py does, repeats the %op lines of the trace up to two million lines, and writes them in versions 1
and 2 of the format. `iotrace info --no-verify` then delivers each as an event: with its kind, times, ids and its full text, in nanoseconds.
Each IOTRACE reads each trace in turns; the columns are the best CPU time of nine runs, operations per second, and instructions per
operation, counted by callgrind (of the second 100,000 operations).
"""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import log_sizes

RUNS, LINES, COUNTED = 9, 2000000, 100000


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def instructions(command):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def write(iotrace, lines, version, path):
    subprocess.run([iotrace, "cat", "-q", "--framed", f"--format-version={version}", "-o", path, "-"], input=b"".join(lines), check=True)
    return path


def trace_make(iotrace, directory):
    """Returns the %op lines of a trace of make."""
    log = dict(log_sizes.record_programs(directory, ["make -j2"]))["make -j2"]
    done = subprocess.run([iotrace, "convert", "-q", "--bare", log], stdout=subprocess.PIPE, check=True)
    return [line for line in done.stdout.splitlines(keepends=True) if b" %op " in line]


def main():
    programs = [os.path.abspath(path) for path in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        lines = trace_make(programs[0], directory)
        times = -(-LINES // len(lines))
        large = {v: write(programs[0], lines * times, v, directory / f"large{v}.iot") for v in (1, 2)}
        small = {(v, n): write(programs[0], (lines * times)[:n * COUNTED], v, directory / f"small{v}.{n}.iot")
                 for v in (1, 2) for n in (1, 2)}
        read = {(p, v): [p, "info", "--no-verify"] for p in programs for v in (1, 2)}
        best = dict.fromkeys(read, float("inf"))
        for _ in range(RUNS):
            for key, command in read.items():
                best[key] = min(best[key], cpu_seconds([*command, large[key[1]]]))
        print(f"{len(lines) * times:,} operations\n")
        print("| iotrace | version | CPU s | operations/s | instructions per operation |\n|---|---|---:|---:|---:|")
        for (program, version), command in read.items():
            once, twice = (instructions([*command, small[version, n]]) for n in (1, 2))
            seconds = best[program, version]
            print(f"| {program} | {version} | {seconds:.3f} | {len(lines) * times / seconds / 1e6:.1f} M | {(twice - once) // COUNTED:,} |")


main()
