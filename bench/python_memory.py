#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Peak memory of the module for Python on a trace of many records, as a table in Markdown; fails beyond the limits.

    python_memory.py [--records N] BUILD      BUILD has the libraries; 100000000

batches(): at most 96 MiB for the whole process. to_pandas(): at most the DataFrame, its largest column and 64 MiB more than
the process has without a trace; of a tenth of the records.
"""
import argparse
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MIB = 1 << 20
# Each step runs in a process of its own and prints its limit in bytes; peak() is what the process has needed so far.
COMMON = """
import resource, sys, numpy, iotrace
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
"""
STEPS = {
    "batches()": (1, """
assert sum(len(b["length"]) for b in iotrace.open(sys.argv[1]).batches()) == int(sys.argv[2])
print(peak(), 96 << 20)"""),
    "to_pandas()": (10, """
import pandas
pandas.DataFrame({"a": pandas.Categorical(["a"])})
before = peak()
frame = iotrace.open(sys.argv[1]).to_pandas()
assert len(frame) == int(sys.argv[2])
sizes = frame.memory_usage(index=False)
print(peak() - before, int(sizes.sum() + sizes.max()) + (64 << 20))"""),
}
# Two files, one without offsets, so that a column has unknown values.
LINES = "c0 22 0 1 0 1 1 1 0\n80 22 0 1 0 1 1 2 0\n"


def make(path, records):
    with open(path, "wb") as out, subprocess.Popen(["zstd", "-q", "-1"], stdin=subprocess.PIPE, stdout=out) as zstd:
        zstd.stdin.write(b"ff %file process=1 id=1 path=/data/one\nff %file process=2 id=1 path=/data/two offset=unknown\n")
        left = records // 2
        while left > 0:
            zstd.stdin.write(LINES.encode() * min(left, 1 << 16))
            left -= 1 << 16
        zstd.stdin.close()
        assert zstd.wait() == 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--records", type=int, default=100000000)
    p.add_argument("build")
    a = p.parse_args()
    fine = True
    env = dict(os.environ, IOTRACE_LIBRARY=os.path.abspath(a.build), PYTHONPATH=os.path.join(TOP, "python"))
    print("| step | records, M | peak, MiB | limit, MiB |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="iotrace-bench-") as folder:
        for name, (share, code) in STEPS.items():
            path, records = os.path.join(folder, "t.iot.zst"), a.records // share // 2 * 2
            make(path, records)
            done = subprocess.run([sys.executable, "-c", COMMON + code, path, str(records)], stdout=subprocess.PIPE, env=env, check=True)
            peak, limit = map(int, done.stdout.split())
            print(f"| {name} | {records / 1e6:.0f} | {peak / MIB:.0f} | {limit / MIB:.0f} |", flush=True)
            fine &= peak <= limit
    return not fine


if __name__ == "__main__":
    sys.exit(main())
