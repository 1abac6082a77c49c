#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares Q, D and C of a trace, by device and RWBS, as blkparse prints them and as convert counts them.

	blktrace_compare.py IOTRACE FILE...

blkparse reads the concatenated files from standard input, so that the number of a CPU is that of the records.
"""
import collections
import re
import subprocess
import sys

LINE = re.compile(rb"\s*(\d+,\d+)\s+\d+\s+\d+\s+\d+\.\d{9}\s+\d+\s+([QDC])\s+([A-Z]+) ?(.*)")
PHASES = {"Q": "queued", "D": "issued", "C": "completed"}


def printed(files):
    """blkparse sorts what it reads, in windows, and its defaults omit nothing."""
    data = b"".join(open(f, "rb").read() for f in files)
    text = subprocess.run(["blkparse", "-q", "-i", "-"], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    totals = collections.Counter()
    for line in text.splitlines():
        found = LINE.match(line)
        if found is None:
            continue
        device, action, kind, rest = (part.decode(errors="replace") for part in found.groups())
        sectors = re.match(r"\d+ \+ (\d+)", rest)
        if sectors is None and "F" not in kind[0]:
            continue  # passed through
        key = f"{device} {PHASES[action]}.{kind}"
        totals[key] += 1
        totals[key + ".bytes"] += 512 * int(sectors[1]) if sectors else 0
    return totals


def counted(iotrace, files):
    """Of all devices: convert counts those below others, the rest is counted with --device."""
    totals = collections.Counter()
    for device in sorted({k.split()[0] for k in printed(files)}):
        trace = subprocess.run([iotrace, "convert", "-q", "--format-version=1", f"--device={device}", *files], stdout=subprocess.PIPE, check=True).stdout
        for line in trace.decode(errors="replace").splitlines():
            if not line.startswith("ff %counter ") or "device=" not in line:
                continue
            for word in line.split()[2:]:
                key, value = word.split("=")
                if key.split(".")[0] in PHASES.values():
                    totals[f"{device} {key}"] += int(value)
    return totals


def main():
    iotrace, files = sys.argv[1], sys.argv[2:]
    theirs, ours = printed(files), counted(iotrace, files)
    for key in sorted(theirs.keys() | ours.keys()):
        if theirs[key] != ours[key]:
            print(f"{key}: blkparse {theirs[key]}, convert {ours[key]}")
    print(f"{len(theirs)} totals, {sum(theirs[k] != ours[k] for k in theirs.keys() | ours.keys())} differ")


if __name__ == "__main__":
    main()
