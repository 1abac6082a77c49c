#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints results in the form of cachesim of libCacheSim, computed by cache_reference.py, to test cachesim_compare.py.

    fake_cachesim.py TRACE TYPE POLICY SIZE[,SIZE...] [OPTION...]

With FAKE_MISSES=N each result has N more misses; with FAKE_LINES=N only N results are printed.
"""
import os
import struct
import sys

import cache_reference

NAMES = {"twoq": "2q", "belady": "opt"}


def keys_of(trace, kind):
    if kind == "txt":
        with open(trace) as file:
            return [int(line) for line in file]
    with open(trace, "rb") as file:
        records = list(struct.iter_unpack("<IQIq", file.read()))
    for i, (_, key, _, after) in enumerate(records):
        assert after == -1 or records[after - 1][1] == key and after > i + 1, "the next reference is to another key"
    return [record[1] for record in records]


def main():
    trace, kind, name, sizes = sys.argv[1:5]
    keys = keys_of(trace, kind)
    print("[INFO] simulator.c: 3 caches, 1 thread\n")
    for size in sizes.split(",")[:int(os.environ.get("FAKE_LINES", 99))]:
        cache = cache_reference.new(NAMES.get(name, name), int(size), keys)
        misses = sum(not cache.refer(key) for key in keys) + int(os.environ.get("FAKE_MISSES", 0))
        print(f"{trace} {name:>32} cache size {int(size):8}, {len(keys):16} req, miss ratio {misses / len(keys):.4f}, "
              f"byte miss ratio {misses / len(keys):.4f}")


main()
