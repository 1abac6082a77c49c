#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces thread_probe with strace, converts the log, and compares each record with the kernel's result.

	thread_truth.py IOTRACE THREAD_PROBE [--seeds=FIRST:LAST] [--operations=N] [--modes=f,ff,...]

Modes: f (one log), ff (a file for each thread), each also with y (names of descriptors) or without T
(durations): f, fy, fnoT, ff, ffy, ffnoT. A record is wrong if its offset differs from the kernel's
and is not flagged as unknown, or if it is of another file; one of a file that is not known is unnamed. Prints one line for each run and the sums;
exit status 1 if anything is wrong, 77 if strace cannot trace here.
"""
import argparse
import collections
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from truth import WRITE

CALLS = "trace=%desc,%file,%process,pipe,pipe2,socket,socketpair,eventfd2,lseek"
ASKED = re.compile(r"lseek\(\d+(<[^>]*>)?, 0, SEEK_CUR")
UNFINISHED = " <unfinished ...>"


def strace(probe, folder, seed, operations, mode):
    """Returns the log, or directory of logs, without the calls with which the probe queries positions."""
    options = ["-f"] + (["-ff"] if mode.startswith("ff") else [])
    if "noT" not in mode:
        options.append("-T")
    if mode.endswith("y"):
        options.append("-y")
    log = os.path.join(folder, "logs", "log")
    data = os.path.join(folder, "data")
    os.mkdir(os.path.dirname(log))
    os.mkdir(data)
    done = subprocess.run(["strace", *options, "-ttt", "-s", "0", "-e", "signal=none", "-e", "abbrev=!pipe,pipe2,socketpair",
                           "-e", CALLS, "-o", log, probe, data, str(seed), str(operations)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        return None, done.stdout.decode("utf-8", "replace").strip()
    for name in glob.glob(log + "*"):
        pending, kept = set(), []
        with open(name, encoding="latin-1") as f:
            for line in f:
                pid = line.split(" ", 1)[0] if not mode.startswith("ff") else ""
                if ASKED.search(line):
                    if UNFINISHED in line:
                        pending.add(pid)
                    continue
                if pid in pending and "<... lseek resumed>" in line:
                    pending.discard(pid)
                    continue
                kept.append(line)
        with open(name, "w", encoding="latin-1") as f:
            f.writelines(kept)
    return (os.path.dirname(log) if mode.startswith("ff") else log), data


def truth(data):
    """Returns thread -> its transfers in order."""
    out = collections.defaultdict(list)
    with open(os.path.join(data, "truth"), encoding="ascii") as f:
        for line in f:
            tid, way, offset, length, name = line.split()
            out[int(tid)].append((way, int(offset), int(length), name))
    return out


def records(tool, source):
    """Returns thread -> its records in order of start, and the counts."""
    trace = os.path.join(os.path.dirname(source), "out.iot")
    report = trace + ".json"
    subprocess.run([tool, "convert", "-q", "--per-thread", "--ops=none", "--report=" + report, "-o", trace, source],
                   check=True, stderr=subprocess.DEVNULL)
    text = subprocess.run([tool, "cat", "--format=csv", "--columns=raw", "--names", trace], stdout=subprocess.PIPE, check=True).stdout
    out = collections.defaultdict(list)
    for row in csv.DictReader(text.decode("utf-8", "surrogateescape").splitlines()):
        out[int(row["process"])].append(row)
    with open(report, encoding="utf-8") as f:
        counts = json.load(f)
    return out, counts


def compare(tool, source, data, show):
    sums = collections.Counter()
    found, counts = records(tool, source)
    for tid, wanted in truth(data).items():
        rows = found.get(tid, [])
        if len(rows) != len(wanted):
            sums["missing"] += abs(len(rows) - len(wanted))
        for number, ((way, offset, length, name), row) in enumerate(zip(wanted, rows)):
            sums["compared"] += 1
            flagged = row["offset"] == ""
            sums["flagged"] += flagged
            path = os.path.basename(row.get("path") or "")
            same = int(row["length"]) == length and bool(int(row["type"]) & WRITE) == (way == "w")
            ok = same and (flagged or (path == name and offset in (-1, int(row["offset"]))))
            if not ok and same and row["path"] == "" and offset in (-1, int(row["offset"])):
                sums["unnamed"] += 1
            elif not ok:
                sums["wrong"] += 1
                if sums["wrong"] <= show:
                    print(f"  thread {tid} transfer {number}: {path} {row} instead of {name} {way} {offset}+{length}")
    return sums, counts


def main():
    p = argparse.ArgumentParser()
    p.add_argument("iotrace")
    p.add_argument("probe")
    p.add_argument("--seeds", default="1:1")
    p.add_argument("--operations", type=int, default=60)
    p.add_argument("--modes", default="f,ff")
    p.add_argument("--show", type=int, default=5)
    p.add_argument("--keep")
    p.add_argument("--quiet", action="store_true")
    a = p.parse_args()
    first, last = map(int, a.seeds.split(":"))
    total = collections.Counter()
    for seed in range(first, last + 1):
        for mode in a.modes.split(","):
            with tempfile.TemporaryDirectory() as folder:
                if a.keep:
                    folder = os.path.join(a.keep, f"{mode}.{seed}")
                    os.makedirs(folder)
                source, data = strace(os.path.abspath(a.probe), folder, seed, a.operations, mode)
                if source is None:
                    print(f"strace cannot trace here: {data.splitlines()[-1] if data else ''}")
                    return 77
                sums, counts = compare(a.iotrace, source, data, a.show)
                total.update(sums)
                if not a.quiet:
                    print(f"{mode:6} seed {seed:3}: {sums['compared']} compared, {sums['flagged']} flagged, "
                          f"{sums['unnamed']} unnamed, {sums['wrong']} wrong, {sums['missing']} missing; "
                          f"{counts.get('missed', {})} {counts.get('position', {})}", flush=True)
    if not a.quiet:
        print(f"{total['compared']} compared, {total['flagged']} flagged, {total['unnamed']} unnamed, {total['wrong']} wrong, {total['missing']} missing")
    bad = total["wrong"] + total["missing"] > 0 or total["compared"] == 0
    if a.quiet:
        print("wrong" if bad else "none is wrong")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
