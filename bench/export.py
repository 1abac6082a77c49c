#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Speed of the export formats, and of awk that writes the same CSV, as a table in Markdown.

    export.py [--calls N] [--runs N] IOTRACE

The trace is made of a Darshan log of N calls of 32 ranks, with names and ranks. Medians of CPU time on one core;
for libCacheSim also requests per second, because each I/O is a request for every block that it touches.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parent.parent / "tests/tools"
FORMATS = ("csv", "tsv", "csv --columns=raw", "jsonl", "fio", "oracle", "lcs", "chrome", "perfetto")
REQUEST = {"oracle": 24, "lcs": 28}
# The records of our raw CSV in the columns of cat -f csv, without names.
AWK = "BEGIN{FS=OFS=\",\"} NR>1{print $2,$3,($1%128>=64?\"write\":\"read\"),\"file\",$5,$6,$9,\"\",$8,\"\"}"


def cpu_of(command, out):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(out, "wb") as to:
        subprocess.run(command, stdout=to, check=True,
                       preexec_fn=lambda: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1]))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--calls", type=int, default=2000000)
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("iotrace", type=pathlib.Path)
    a = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="iotrace-bench-") as folder:
        d = pathlib.Path(folder)
        trace, out = d / "t.iot", d / "out"
        subprocess.run([sys.executable, TOOLS / "darshan_make.py", "--segments", str(a.calls), "--ranks", "32", "--files",
                        "8", "--version", "1", "--streams", d / "log"], check=True)
        subprocess.run([a.iotrace, "convert", "-q", "-o", trace, d / "log"], check=True)
        with open(d / "raw.csv", "wb") as raw:
            subprocess.run([a.iotrace, "cat", "-q", "-f", "csv", "--columns=raw", "--ns", trace], stdout=raw, check=True)
        commands = {f: [a.iotrace, "cat", "-q", "-f", *f.split(), trace] for f in FORMATS}
        commands["awk: raw csv to csv"] = ["awk", AWK, d / "raw.csv"]
        times = {name: [] for name in commands}
        requests = {}
        for _ in range(a.runs):
            for name, command in commands.items():
                times[name].append(cpu_of(command, out))
                if name in REQUEST:
                    requests[name] = out.stat().st_size // REQUEST[name]
        print("| format | records/s, M | requests/s, M |")
        print("|---|---:|---:|")
        for name, seconds in times.items():
            cpu = statistics.median(seconds)
            more = f"{requests[name] / cpu / 1e6:.1f}" if name in requests else ""
            print(f"| {name} | {a.calls / cpu / 1e6:.1f} | {more} |")


if __name__ == "__main__":
    main()
