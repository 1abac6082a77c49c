#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs iotrace simulate and mrc on 1 TiB of distinct blocks and on ten million records.

    simulate_large.py IOTRACE MAKE_TRACE [blocks | mixed]

Each run has to succeed, or to fail with an error that states an amount of memory or a limit, as listed here. Prints CPU time and
peak memory. No run may need more than --memory (1 GiB by default) and a half.
"""
import os
import re
import subprocess
import sys
import tempfile

AMOUNT = r"needs? (more than )?\d+ MiB"
BLOCKS = (  # 268,435,456 blocks of 4 KiB, each referenced once
    ("simulate -c 32MiB", None),
    ("simulate -c 64MiB,256MiB -p lru,arc", None),
    ("simulate -c 32MiB --by=object", None),
    ("simulate -c 1TiB", r"has more than 67108864 blocks"),
    ("simulate -p lirs -c 64GiB", AMOUNT),
    ("simulate -c 10%", None),
    ("simulate -p opt", AMOUNT),
    ("simulate -T -B 64K -c 64MiB", None),
    ("mrc", AMOUNT),
    ("mrc --method=aet", AMOUNT),
    ("mrc --policy=arc", AMOUNT),
    ("mrc --method=shards", None),
)
MIXED = (  # 567 million references to 8.4 million blocks
    ("simulate -c 32MiB -p lru,arc,lirs,wtinylfu", None),
    ("simulate -c 1GiB --by=file", None),
    ("simulate -c 32MiB --prefetch=window:128K", None),
    ("simulate -c 32MiB -p opt", AMOUNT),
    ("simulate -T -c 64MiB", None),
    ("mrc", None),
    ("mrc --method=shards", None),
    ("mrc --method=aet", None),
)
LIMIT_MIB = 1536


def measured(command):
    """Returns the exit status, standard error, CPU seconds and peak memory in MiB."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    with child.stderr:
        errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, errors, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def run(iotrace, trace, words, expected):
    status, errors, seconds, mib = measured([iotrace, *words.split(), "-q", trace])
    right = status == 0 if expected is None else status in (1, 2) and re.search(expected, errors) is not None
    right = right and mib <= LIMIT_MIB
    what = errors.strip().split("\n")[-1][:150] if status != 0 else "done"
    print(f"{words}: {seconds:.1f} s of CPU time, {mib:.0f} MiB; {what}{'' if right else ' WRONG'}", flush=True)
    return not right


def main():
    iotrace, make_trace = sys.argv[1:3]
    parts, wrong = sys.argv[3:] or ["blocks", "mixed"], 0
    with tempfile.TemporaryDirectory() as scratch:
        if "blocks" in parts:
            path = os.path.join(scratch, "blocks.iot")
            with open(path, "w") as file:
                file.writelines(f"80 20 {i << 24:x} 1000000 1 0 1 1 0\n" for i in range(1 << 16))
            print("1 TiB of distinct blocks")
            wrong += sum(run(iotrace, path, *case) for case in BLOCKS)
        if "mixed" in parts:
            print("10,000,000 records")
            path = os.path.join(scratch, "mixed.iot")
            subprocess.run([make_trace, "mixed", "10000000", "1", path], check=True)
            wrong += sum(run(iotrace, path, *case) for case in MIXED)
    print(f"{wrong} runs are not as expected")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
