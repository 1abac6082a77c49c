#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Times of iotrace analyze on one and two threads, next to those of info, which only counts.

	analyze_threads.py IOTRACE RUNS TRACE ...

Each trace is compressed with zstd first. The commands run in turns; a row has the medians of wall time and of CPU time, in
nanoseconds per record, the wall time of info as a share of that of two threads, and the CPU time of two threads divided by that of one.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

COMMANDS = (["info"], ["analyze", "--threads=1"], ["analyze", "--threads=2"])


def timed(command):
    """Returns wall and CPU time in nanoseconds."""
    begin = time.monotonic_ns()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {child.returncode}")
    return time.monotonic_ns() - begin, (usage.ru_utime + usage.ru_stime) * 1e9


def main():
    iotrace, runs, *traces = sys.argv[1:]
    print("| trace, .zst | info, wall (CPU) | one thread | two threads | info / two threads, wall | two threads / one, CPU |\n"
          "|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as scratch:
        for trace in traces:
            path = os.path.join(scratch, "trace.iot.zst")
            subprocess.run([iotrace, "cat", "-q", "--framed", "--no-fsync", "-o", path, trace], check=True)
            info = json.loads(subprocess.run([iotrace, "info", "-j", path], stdout=subprocess.PIPE, check=True).stdout)
            rounds = [[timed([iotrace, *command, "-q", path]) for command in COMMANDS] for _ in range(int(runs))]
            wall, cpu = ([statistics.median(r[i][k] for r in rounds) for i in range(3)] for k in (0, 1))
            shown = [f"{w / info['records']:.1f} ({c / info['records']:.1f})" for w, c in zip(wall, cpu)]
            share = statistics.median(r[0][0] / r[2][0] for r in rounds)
            excess = statistics.median(r[2][1] / r[1][1] for r in rounds)
            print(f"| {os.path.basename(trace)} | {' | '.join(shown)} | **{share:.2f}** | {excess:.2f} |", flush=True)


if __name__ == "__main__":
    main()
