#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Rows a second that the module for Python reads into pandas, as a table in Markdown; fails below the limits.

    python_speed.py [--runs N] BUILD [TRACE]      TRACE: of bench/arrow; 10 M records

CPU times of one thread, the best of the runs, which take the columns by turns.
"""
import argparse
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NUMBERS = "start_ns duration_ns offset length process file cpu_ns operation object".split()
COLUMNS = {"numbers": (NUMBERS, 15), "numbers, op, kind, path": (NUMBERS + ["op", "kind", "path"], 10)}


def seconds(path, columns):
    import time
    import iotrace
    before = time.process_time()
    rows = len(iotrace.open(path).to_pandas(columns=columns))
    return (time.process_time() - before) / rows


def measure(path, runs):
    import pandas
    pandas.DataFrame({"a": pandas.Categorical(["a"])})
    taken = [{name: seconds(path, columns) for name, (columns, _) in COLUMNS.items()} for _ in range(runs)]
    print("| columns | M rows/s | limit |\n|---|---:|---:|")
    fine = True
    for name, (_, limit) in COLUMNS.items():
        rate = 1e-6 / min(run[name] for run in taken)
        print(f"| {name} | {rate:.1f} | {limit} |")
        fine &= rate >= limit
    return fine


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("build")
    p.add_argument("trace", nargs="?")
    a = p.parse_args()
    # numpy would start threads, and the module looks for its libraries when it is imported.
    os.environ.update(OPENBLAS_NUM_THREADS="1", IOTRACE_LIBRARY=os.path.abspath(a.build))
    sys.path.insert(0, os.path.join(TOP, "python"))
    with tempfile.TemporaryDirectory(prefix="iotrace-bench-") as folder:
        path = a.trace or os.path.join(folder, "t.iot")
        if a.trace is None:
            subprocess.run([os.path.join(a.build, "bench/arrow"), "1", "10000000", path], stdout=subprocess.DEVNULL, check=True)
        return not measure(path, a.runs)


if __name__ == "__main__":
    sys.exit(main())
