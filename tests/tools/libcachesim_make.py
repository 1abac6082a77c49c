#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes request traces of libCacheSim.

    libcachesim_make.py [--requests N] LAYOUT > FILE

LAYOUT is oracleGeneral, oracleGeneralOpNS, lcs1 ... lcs8, lcs-old, vscsi1 or vscsi2. The requests are the same in
all layouts, as far as these can express them.
"""
import argparse
import itertools
import struct
import sys

MAGIC = 0x123456789ABCDEF0
IDS, BLOCK, READ, WRITE, DELETE = 97, 4096, 12, 13, 9


def requests(count):
    """(time in microseconds, id, size, operation, tenant, number of the next request of this id)"""
    ids = [i * i % IDS for i in range(count)]
    following, last = [-1] * count, {}
    for i in reversed(range(count)):
        following[i] = last.get(ids[i], -1)
        last[ids[i]] = i + 1
    for i in range(count):
        operation = DELETE if i % 50 == 49 else WRITE if i % 3 == 0 else READ
        yield i * 250000, ids[i], BLOCK * (1 + i % 3), operation, i % 2, following[i]


def header(version, count):
    statistics = struct.pack("<5q", 1, count, IDS, 0, 0).ljust(8000, b"\0")
    return struct.pack("<QQ", MAGIC, version) + statistics + bytes(168) + struct.pack("<Q", MAGIC)


def old_header(layout, numbers, count):
    text = layout.encode().ljust(240, b"\0") + bytes(numbers) + bytes(231) + struct.pack("<4q", count, IDS, 0, 0)
    size = struct.calcsize(layout)
    return struct.pack("<Q", MAGIC) + text + bytes(480) + struct.pack("<IIQQ", len(layout) - 1, size, 1, MAGIC)


def item(layout, i, time, name, size, op, tenant, following):
    seconds = time // 1000000
    if layout in ("oracleGeneral", "lcs1"):
        return struct.pack("<IQIq", seconds, name, size, following)
    if layout == "oracleGeneralOpNS":
        return struct.pack("<IQIBHq", seconds, name, size, op, tenant, following)
    if layout == "lcs2":
        return struct.pack("<IQIIq", seconds, name, size, op | tenant << 8, following)
    if layout == "lcs-old":
        return struct.pack("<QIBIqH", name, size, op, seconds, following, tenant)
    if layout.startswith("lcs"):
        features = (1 << int(layout[3:]) >> 4) * 4
        return struct.pack("<IQqIIq", seconds, name, size, op | tenant << 8, 0, following) + bytes(features)
    command = 0x2A if op == WRITE else 0x28
    if layout == "vscsi1":
        return struct.pack("<IIIHHQQ", i, size, 1, command, 1 << 8, name, time)
    return struct.pack("<HHIIIQQQ", command, 2 << 8, i, size, 1, name, time, 100)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--requests", type=int, default=200)
    p.add_argument("layout")
    a = p.parse_args()
    out = sys.stdout.buffer
    if a.layout == "lcs-old":
        out.write(old_header("<QIBIqH", [1, 2, 4, 0, 5, 3, 0, 6, 0], a.requests))
    elif a.layout.startswith("lcs"):
        out.write(header(int(a.layout[3:]), a.requests))
    for i, request in zip(itertools.count(), requests(a.requests)):
        out.write(item(a.layout, i, *request))


if __name__ == "__main__":
    main()
