#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the seeds that are derived: fuzz/corpus/stream from testdata/format, and roundtrip.

Run in the top folder after testdata/format has changed. Seeds of decode and strace, and those with
names that begin with "found-", are kept by hand.
"""
import gzip
import os
import random
import subprocess

STREAM, ROUNDTRIP = "fuzz/corpus/stream", "fuzz/corpus/roundtrip"
FORMAT = "testdata/format"


def save(folder, name, data):
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def load(path):
    with open(path, "rb") as f:
        return f.read()


def zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, stdout=subprocess.PIPE, check=True).stdout


def clear(folder):
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        if not name.startswith("found-"):
            os.remove(os.path.join(folder, name))


def stream():
    clear(STREAM)
    for name in sorted(os.listdir(FORMAT)):
        if name.endswith(".iot"):
            save(STREAM, name, b"0" + load(os.path.join(FORMAT, name)))
    for name in sorted(os.listdir(FORMAT + "/bad")):
        if name.endswith(".iot"):
            save(STREAM, "bad-" + name, b"0" + load(os.path.join(FORMAT, "bad", name)))
    sync = load(FORMAT + "/sync.iot")
    packed, frames = gzip.compress(sync, mtime=0), zstd(sync)
    half = len(sync) // 2
    save(STREAM, "sync-1-byte", b"1" + sync)
    save(STREAM, "sync-unverified", b"4" + sync)
    save(STREAM, "sync-cut", b"8" + sync[:half])
    save(STREAM, "sync-damaged", b"8" + sync.replace(b"ff %file", b"fz %file", 1))
    save(STREAM, "sync-to-gzip", b" " + sync)
    save(STREAM, "sync-to-zstd-often", b"P" + sync)
    save(STREAM, "sync-damage-in-the-middle", b"8" + sync[:half] + b"!" + sync[half + 1:])
    for name, data in (("gz", packed), ("zst", frames)):
        save(STREAM, "one." + name, b"0" + data)
        save(STREAM, "cut." + name, b"8" + data[:-9])
        save(STREAM, "bent." + name, b"8" + data[:60] + b"\xff" + data[61:])
    save(STREAM, "members.gz", b"2" + b"".join(gzip.compress(p, mtime=0)
                                               for p in (sync[:half], sync[half:])))
    save(STREAM, "frames.zst", b"2" + zstd(sync[:half]) + zstd(sync[half:]))


def roundtrip():
    clear(ROUNDTRIP)
    for how in range(14):
        some = random.Random(how)
        records = b"".join(bytes(some.randrange(256) if some.random() < 0.5 else some.randrange(4)
                                 for _ in range(12)) for _ in range(30))
        save(ROUNDTRIP, "random-%02d" % how, bytes([how]) + records)
    files = b"".join(bytes([0x06, 1, 0, 0, 1, 2, 9, i]) for i in range(40)) * 2
    save(ROUNDTRIP, "forty-files", b"\0" + files)
    processes = b"".join(bytes([0x0c, 1, 0, 0, 1, 3, i]) for i in range(70)) * 2
    save(ROUNDTRIP, "seventy-processes", b"\0" + processes)
    save(ROUNDTRIP, "empty", b"")


stream()
roundtrip()
