#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sorts the records of a packet stream completely, with a reader that shares no code with the library.

    packet_truth.py [--unsorted] packets.bin >records.csv

Columns as of `iotrace cat --format=csv --columns=raw`: times in ticks of the trace, CPU time since the record
before of the same process. Order: start, processId, sequence number, entry. Damage is looked through, packets
that come twice are skipped. --unsorted: with the sort key in front of each line and a blank behind
it, for sort(1), and the CPU clock as it is.
"""
import struct
import sys
import zlib

MAGIC = b"IOTPKT01"
HEADER = struct.Struct(">8sQIIQIIQQQ")


def good(data, at):
    if at + 64 > len(data):
        return None
    magic, kind, process, file, sequence, tick, entries, wall, cpu, crc = HEADER.unpack_from(data, at)
    size = 64 + 8 * (kind & 0xffffffff)
    if magic != MAGIC or size > 4096 or at + size > len(data):
        return None
    whole = bytes(data[at:at + 60]) + b"\0\0\0\0" + bytes(data[at + 64:at + size])
    if zlib.crc32(whole) != crc:
        return None
    return kind >> 56, process, file, sequence, tick, entries, size


def packets(data):
    at, seen = 0, set()
    while at < len(data):
        found = good(data, at)
        if found is None:
            at = data.find(MAGIC, at + 1)
            if at < 0:
                return
            continue
        kind, process, file, sequence, tick, entries, size = found
        if (process, sequence) not in seen:
            seen.add((process, sequence))
            yield kind, process, file, sequence, tick, entries, data[at + 64:at + size]
        at += size


def lines(data):
    for kind, process, file, sequence, tick, entries, payload in packets(data):
        if kind != 1:
            continue
        ns = tick // 1000 if tick % 1000 == 0 else 1
        word = struct.unpack(">%dQ" % (len(payload) // 8), payload)
        i = offset = length = 0
        for entry in range(entries):
            head, start, cpu = word[i:i + 3]
            i += 3
            offset += length
            if head >> 55 & 1:
                offset = word[i]
                i += 1
            if head >> 54 & 1:
                length = word[i]
                i += 1
            kind = head >> 56
            unit = 1 if kind & 0x80 else 512
            end = (start + (head & 0xffffffffffff)) * tick // 1000 // ns
            start = start * tick // 1000 // ns
            yield "%020d%010d%012d%03d %d,%d,%d,%d,%d,%d,0,%d,%d\n" % (
                start, process, sequence, entry, kind, start, end - start, cpu * tick // 1000 // ns,
                offset // unit, length // unit, file, process)


def main(words):
    unsorted = words[0] == "--unsorted"
    with open(words[-1], "rb") as f:
        data = f.read()
    out = sys.stdout
    if unsorted:
        out.writelines(lines(data))
        return
    clock = {}
    for line in sorted(lines(data)):
        column = line.split(" ", 1)[1].split(",")
        cpu = int(column[3])
        column[3] = str(cpu - clock.get(column[8], 0))
        clock[column[8]] = cpu
        out.write(",".join(column))


main(sys.argv[1:])
