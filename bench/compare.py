#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the speed and memory of two builds of iotrace on the same inputs.

	compare.py [--records N] [--runs N] [--only WORD] OLD NEW MAKE_TRACE

OLD and NEW are iotrace programs, MAKE_TRACE is build/release/bench/make_trace. Prints a table in Markdown: for each
command the medians over all pairs of runs of NEW/OLD for CPU time, wall clock time and peak memory, and the medians of NEW. The two programs
run in alternation on the same processors, so that a slow moment of the machine affects both.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from convert import make, make_strace


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--records", type=int, default=3000000)
    p.add_argument("--runs", type=int, default=9)
    p.add_argument("--only", default="", help="commands whose name contains this word")
    p.add_argument("old", type=pathlib.Path)
    p.add_argument("new", type=pathlib.Path)
    p.add_argument("make_trace", type=pathlib.Path)
    return p.parse_args()


def make_traces(program, make_trace, records, d):
    """Makes traces of the workload "mixed", and one that is not sorted by start."""
    for name, seed in ("a.iot", 1), ("b.iot", 2), ("c.iot", 3), ("d.iot", 4):
        subprocess.run([make_trace, "mixed", str(records // 4 if seed > 1 else records), str(seed), d / name], check=True)
    for name in "b.iot", "a.iot":
        subprocess.run([program, "cat", "-o", d / (name + ".zst"), d / name], check=True)
    subprocess.run([program, "cat", "--base=10", "-o", d / "decimal.iot", d / "a.iot"], check=True)
    (d / "key").write_bytes(os.urandom(32))
    (d / "key").chmod(0o600)
    make("darshan_make.py", "--segments", records, "--ranks", 32, "--files", 8, "--version", 1, "--streams", d / "dxt.darshan")
    make("recorder_make.py", "--calls", records // 64, "--ranks", 64, d / "recorder")
    make_strace(d / "log.strace", records // 4)
    subprocess.run([program, "convert", "-q", "--unsorted", "-o", d / "unsorted.iot", d / "dxt.darshan"], check=True)


def commands(d):
    a, out = d / "a.iot", d / "out.iot"
    return {
        "decode (info)": ["info", a],
        "decode decimal (info)": ["info", d / "decimal.iot"],
        "decode .zst (info)": ["info", d / "a.iot.zst"],
        "decode, encode (cat)": ["cat", "-o", out, a],
        "decode .zst, encode (cat)": ["cat", "-o", out, d / "a.iot.zst"],
        "print (cat -f csv)": ["cat", "-f", "csv", "-o", out, d / "b.iot"],
        "print (cat -f jsonl)": ["cat", "-f", "jsonl", "-o", out, d / "b.iot"],
        "stat": ["stat", "--tsv", a],
        "slice": ["slice", "--records=1000-2000000", "-o", out, a],
        "anonymize": ["anonymize", "-q", "--key", d / "key", "-o", out, d / "b.iot"],
        "reorder": ["reorder", "-o", out, d / "unsorted.iot"],
        "reorder --memory=16M": ["reorder", "--memory=16M", "-o", out, d / "unsorted.iot"],
        "merge of 3": ["merge", "-q", "-o", out, d / "b.iot", d / "c.iot", d / "d.iot"],
        "merge of 2 .zst": ["merge", "-q", "-o", out, d / "a.iot.zst", d / "b.iot.zst"],
        "check": ["check", "-q", d / "b.iot"],
        "convert strace": ["convert", "-q", "-o", out, d / "log.strace"],
        "convert Darshan (DXT)": ["convert", "-q", "-o", out, d / "dxt.darshan"],
        "convert Recorder": ["convert", "-q", "-o", out, d / "recorder"],
    }


def cores_of():
    """Returns the first two processors available to this process."""
    return sorted(os.sched_getaffinity(0))[:2]


def run(program, words, cores):
    """Returns seconds of CPU time, MB of peak memory, and seconds of wall clock time."""
    began = time.perf_counter()
    child = subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    said = child.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit(f"{program} {words}: {said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, time.perf_counter() - began


def main():
    a = arguments()
    cores = cores_of()
    d = pathlib.Path(tempfile.mkdtemp(prefix="iotrace-bench-"))
    try:
        make_traces(a.new, a.make_trace, a.records, d)
        print("| command | CPU time, new/old | wall clock, new/old | memory, new/old | CPU s | MB |\n|---|---:|---:|---:|---:|---:|", flush=True)
        for name, words in commands(d).items():
            if a.only not in name:
                continue
            pairs = [(run(a.old, words, cores), run(a.new, words, cores)) for _ in range(a.runs)]
            cpu, memory, wall = (statistics.median(new[i] / old[i] for old, new in pairs) for i in range(3))
            seconds, megabytes = (statistics.median(new[i] for _, new in pairs) for i in (0, 1))
            print(f"| {name} | {cpu:.3f} | {wall:.3f} | {memory:.3f} | {seconds:.2f} | {megabytes:.0f} |", flush=True)
    finally:
        shutil.rmtree(d)


if __name__ == "__main__":
    main()
