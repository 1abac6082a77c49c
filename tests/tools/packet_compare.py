#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the logs of packet_demo's processes with a trace of their packets.

    iotrace cat --format=csv --columns=raw trace.iot | packet_compare.py [--killed] DIR

All that was logged has to be in the trace, and nothing else. --killed: of each process, all before
its last "sent" at least.
"""
import glob
import os
import sys


def direct(folder, killed):
    sent, told = set(), set()
    for path in glob.glob(os.path.join(folder, "direct.*")):
        lines = open(path).read().split("\n")
        last = max((i for i, line in enumerate(lines) if line == "sent"), default=-1)
        records = [tuple(map(int, line.split(","))) for line in lines[:-1] if line != "sent"]
        marks = [i for i, line in enumerate(lines) if line == "sent"]
        upto = last + 1 - len(marks) if killed else len(records)
        sent.update(records[:upto])
        told.update(records)
    return sent, told


def converted(csv):
    clock, records, last = {}, set(), -1
    next(csv)
    for line in csv:
        kind, start, took, cpu, offset, length, operation, file, process = map(int, line.split(","))
        clock[process] = clock.get(process, 0) + cpu
        records.add((kind, start, took, clock[process], offset, length, file, process))
        if start < last:
            sys.exit("not in order: %s" % line)
        last = start
    return records


def main(words):
    killed = "--killed" in words
    sent, told = direct(words[-1], killed)
    seen = converted(sys.stdin)
    missing, more = sent - seen, seen - told
    print("%d of %d processes: %s" % (len(seen), len({r[-1] for r in seen}),
                                      "as they were" if not missing and not more else "differ"))
    # A process that is killed may have sent what it had no time to log: one I/O of a thread.
    if missing or (more and not killed) or len(more) > 64:
        print("missing %s, too many %s" % (sorted(missing)[:3], sorted(more)[:3]))
        sys.exit(1)


main(sys.argv[1:])
