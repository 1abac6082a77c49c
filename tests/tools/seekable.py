# SPDX-License-Identifier: BSD-2-Clause
"""Reads a file in the Zstandard seekable format as another program would.

    seekable.py FILE N

Compares N bytes at random offsets of the text, found through the seek table, with the whole text of `zstd -dc`. Exit
status 1 if one differs.
"""
import bisect
import itertools
import random
import struct
import subprocess
import sys


def unpack(data):
    return subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout


def frames(data):
    """Returns (offset in the file, offset in the text) of each frame, and of the end."""
    count, flags, magic = struct.unpack("<IBI", data[-9:])
    assert magic == 0x8F92EAB1 and flags == 0
    table = data[-(8 + 8 * count + 9):]
    assert struct.unpack("<II", table[:8]) == (0x184D2A5E, len(table) - 8)
    sizes = [struct.unpack_from("<II", table, 8 + 8 * i) for i in range(count)]
    offsets = [list(itertools.accumulate((s[k] for s in sizes), initial=0)) for k in (0, 1)]
    assert offsets[0][-1] + len(table) == len(data)
    return offsets


def main():
    with open(sys.argv[1], "rb") as f:
        data = f.read()
    text = unpack(data)
    packed, begins = frames(data)
    assert begins[-1] == len(text)
    rng, wrong = random.Random(1), 0
    for _ in range(int(sys.argv[2])):
        at = rng.randrange(len(text))
        i = bisect.bisect_right(begins, at) - 1
        part = unpack(data[packed[i]:packed[i + 1]])
        wrong += part[at - begins[i]:at - begins[i] + 100] != text[at:min(at + 100, begins[i + 1])]
    print(f"{len(begins) - 1} frames, {sys.argv[2]} offsets, {wrong} wrong")
    return wrong > 0


sys.exit(main())
