#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the seeds that are derived: from testdata/format, of numbers, and by iotrace analyze.

Run in the top folder after make, with the names of functions below or for all of them, if testdata/format or the states of analyses have changed. Seeds of the converters and of decode, and
those with names that begin with "found-" (what has failed once), "fuzzed-" (what reaches more) or
"encoded-" (traces of version 2) are kept by hand.
"""
import bz2
import gzip
import io
import lzma
import os
import random
import struct
import subprocess
import sys
import tarfile
import tempfile

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
        if not name.startswith(("found-", "fuzzed-", "encoded-")):
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


def arrow():
    """The traces of stream, and numbers from which traces are made, with all options."""
    folder = "fuzz/corpus/arrow"
    clear(folder)
    for name in ("example", "sync", "object", "disk", "directives", "bad-byte"):
        if os.path.exists(f"{STREAM}/{name}.iot"):
            save(folder, name, b"2" + load(f"{STREAM}/{name}.iot"))
    for how in range(24):
        some = random.Random(how)
        numbers = bytes(some.choice((0, 3, 255, some.randrange(256))) for _ in range(60 + 40 * how))
        save(folder, f"made-{how}", bytes([how * 11 % 128, ord("8"), how]) + numbers)


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


def bytes_of(seed, count):
    """Numbers for fuzz/made.h: small ones more often than others."""
    some = random.Random(seed)
    return bytes(some.randrange(256) if some.random() < 0.6 else some.randrange(8)
                 for _ in range(count))


def made():
    """Harnesses that make a trace of their input, or take it as one; see each for the first bytes."""
    sync, names = load(FORMAT + "/sync.iot"), load(FORMAT + "/directives.iot")
    bent = sync.replace(b"c0 22", b"c0 2g", 1)
    for name, edits in (("anonymize", b""), ("merge", b""), ("reorder", b""), ("repair", None),
                        ("seek", None), ("show", b"")):
        folder = "fuzz/corpus/" + name
        clear(folder)
        for how in range(4):
            first = bytes([(0x38 if edits is not None else 0x30) + how])
            data = first + bytes_of(how, 12 if edits is None else 0)
            save(folder, "made-%d" % how, data + bytes([5 * how]) + bytes_of(how + 10, 200))
        first = b"0" if edits is not None else b"8" + (bytes(9) if name == "seek" else b"")
        save(folder, "trace", first + sync)
        save(folder, "trace-damaged", first + bent)
        save(folder, "trace-names", first + names + (names if name == "merge" else b""))
        save(folder, "trace.zst", first + zstd(sync))
    for how in range(8):
        save("fuzz/corpus/merge", "made-often-%d" % how,
             bytes([(0x38 ^ (how & 3) ^ (how & 4) << 2) ^ 32 * (how & 1)])
             + b"".join(bytes([32]) + bytes_of(how + 50 + k, 300) for k in (0, 1)))
        save("fuzz/corpus/anonymize", "made-more-%d" % how,
             bytes([0x38 ^ (how & 3) ^ (how & 4) << 2, how]) + bytes_of(how + 60, 100))
    for how in range(4):
        save("fuzz/corpus/reorder", "made-often-%d" % how,
             bytes([0x38 + how, 32 + how]) + bytes_of(how + 30, 600))
    for how in range(16):
        first = bytes([(0x38 ^ how ^ (how & 8) * 3) ^ (8 if how % 3 == 0 else 0)])
        save("fuzz/corpus/show", "view-%02d" % how,
             first + (names if how % 3 == 0 else bytes([how]) + bytes_of(how + 40, 150)))
    clear("fuzz/corpus/slice")
    for how in range(8):
        save("fuzz/corpus/slice", "made-%d" % how,
             bytes([how % 2, how]) + bytes_of(how, 8) + bytes([4 * how]) + bytes_of(how + 20, 200))


def convert():
    """Inputs of the converters' harnesses, the first byte of which is theirs, with other options."""
    folder = "fuzz/corpus/convert"
    clear(folder)
    seeds = [("strace/" + name, 1, 0) for name in os.listdir("fuzz/corpus/strace")
             if not name.startswith(("found-", "fuzzed-", "encoded-"))]
    seeds += [("packets/plain", 4, 0), ("packets/shuffled", 0, 0), ("darshan/plain_341", 2, 0),
              ("darshan/parser", 0, 0), ("recorder/text", 3, 8), ("recorder/own", 0, 8)]
    for i, (name, source, more) in enumerate(sorted(seeds)):
        data = load("fuzz/corpus/" + name)[1:]
        for k, how in enumerate((16 * i & 127, 0x21 + 5 * i & 127)):
            save(folder, "%s-%d" % (name.replace("/", "-"), k),
                 bytes([0x30 ^ (source | more), 0x30 ^ how]) + data)
    log = load("testdata/strace/signals_stderr.strace")
    half = 400 * (log[:len(log) // 2])
    save(folder, "strace-long", bytes([0x30 ^ 1, 0x30 ^ 4]) + half[:20000])
    pieces = b"".join(b"log.%d %d\n" % (n, len(part)) + part for n, part in enumerate(
        load("testdata/strace/signals_ff/" + name) for name in sorted(os.listdir("testdata/strace/signals_ff"))[:4]))
    save(folder, "strace-folder", bytes([0x30 ^ 33, 0x30]) + pieces)
    for name in "text", "own", "v25":
        save(folder, "recorder-folder-" + name,
             bytes([0x30 ^ 32, 0x30]) + load("fuzz/corpus/recorder/" + name)[1:])
    save(folder, "strace-two", bytes([0x30 ^ 17, 0x30]) + log)


def parallel():
    folder = "fuzz/corpus/parallel"
    clear(folder)
    sync = load(FORMAT + "/sync.iot")
    for how in b"0123489@":
        save(folder, "sync-%c" % how, bytes([how]) + sync)
        save(folder, "damaged-%c" % how, bytes([how]) + sync.replace(b"c0 22", b"c0 2g", 1))
    save(folder, "one.gz", b"2" + gzip.compress(sync, mtime=0))
    save(folder, "frames.zst", b"2" + zstd(sync[:300]) + zstd(sync[300:]))


def tar_of(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data, kind in files:
            member = tarfile.TarInfo(name)
            member.size, member.type, member.linkname = len(data), kind, "/etc/passwd"
            tar.addfile(member, io.BytesIO(data) if data else None)
    return out.getvalue()


def inputs():
    folder = "fuzz/corpus/input"
    clear(folder)
    log = b'10 1.5 read(3, "", 9) = 9\n'
    plain = tar_of([("a/log.1", log, tarfile.REGTYPE), ("b", b"", tarfile.SYMTYPE),
                    ("../c", log, tarfile.REGTYPE), ("d", b"", tarfile.CHRTYPE)])
    save(folder, "log", log)
    save(folder, "empty", b"")
    save(folder, "log.gz", gzip.compress(log, mtime=0))
    save(folder, "log.zst", zstd(log))
    save(folder, "log.xz", lzma.compress(log))
    save(folder, "log.bz2", bz2.compress(log))
    save(folder, "cut.xz", lzma.compress(1000 * log)[:-30])
    save(folder, "links.tar.xz", lzma.compress(plain))
    save(folder, "links.tar", plain)
    save(folder, "links.tar.gz", gzip.compress(plain, mtime=0))
    save(folder, "nested.tar", tar_of([("x.tar.gz", gzip.compress(plain, mtime=0),
                                        tarfile.REGTYPE)]))
    save(folder, "cut.tar", plain[:700])


def words():
    folder = "fuzz/corpus/options"
    clear(folder)
    save(folder, "each-kind", b"-v\n--quiet\n-oX\n--number=7\n--size=5K\n--colour=red\nIN\n--\n-q")
    save(folder, "wrong", b"--nunber=7\n-n\n1\n--size=99999999999999999999T\n--colour\npink\n-x")
    save(folder, "times", b"--from=90s\n1.5h\n250ms\n50%\n2026-11-21T10:00:00+01:00\n@1700000000.5\n"
         b"9223372036854775807ns\n101%")
    save(folder, "lists", b"7,9-12,mpi*\n4294967295-4294967296\n9-7\n[a-\n*.db\n,")
    save(folder, "help", b"--help")
    folder = "fuzz/corpus/directive"
    clear(folder)
    for i, line in enumerate(load(FORMAT + "/directives.iot").splitlines()):
        if b"%" in line:
            save(folder, "line-%02d" % i, line[line.index(b" ") + 1:])
    save(folder, "built", bytes_of(1, 5) + b"\x03a b\x02\xc3\xa9\x02\xff%\x00\x01\n\x01=")


def ring_record(kind, code, description, fixed, text=b""):
    """A record of record/ring.h: its head, fixed part and texts, padded to a multiple of 8."""
    body = fixed + text + b"\0" * (-(len(fixed) + len(text)) % 8)
    return struct.pack("<HBBI", 8 + len(body), kind, code, description) + body


def rings():
    def transfer(code, description, *numbers):
        return ring_record(1, code, description, struct.pack("<qQQQQ", *numbers))

    def opened(code, description, result, path, inode=7, mode=0o100644):
        return ring_record(2, code, description, struct.pack("<QQQQqqiHHII", 1100, 1200, 1, inode, 0, 10000, result, mode, len(path), 0, 0), path)

    def operation(code, description, result, path=b"", to=b"", size=0):
        return ring_record(3, code, description, struct.pack("<QQqiHH", 1500, 1600, size, result, len(path), len(to)), path + to)

    folder = "fuzz/corpus/ring"
    clear(folder)
    begins = ring_record(4, 0, 0, struct.pack("<QII", 1000, 7, 0))
    start = ring_record(5, 0, 0, struct.pack("<QQIIqQQQII", 1001, 5, 7, 1, 3, 0, 0, 0, 6, 5), b"app\0x\0/dir\0")
    file = opened(1, 1, 3, b"/dir/./sub/..//file\0")
    ends = ring_record(7, 0, 0, struct.pack("<9Q", 2000, 9, 1, 2, 3, 4, 5, 6, 0))
    save(folder, "transfers", begins + start + file + transfer(1, 1, 0, 4096, 1300, 1400, 5) +
         transfer(0, 1, 4096, 10, 1250, 1400, 6) + transfer(2, 1, -2**63, 1, 1450, 1500, 7) + ends)
    save(folder, "operations", start + opened(2, 0, -2, b"/none\0") + opened(0, 2, 4, b"/dir\0", 8, 0o40755) +
         operation(8, 0, 0, b"/a\0", b"/b\0") + operation(12, 1, 0) + operation(3, 1, 0) + operation(30, 0, 1, b"./x\0"))
    save(folder, "children", start + ring_record(6, 1, 0, struct.pack("<QII", 1010, 8, 5), b"/x/y\0") +
         ring_record(6, 0, 0, struct.pack("<QII", 1020, 9, 0)) + operation(30, 0, -13, b"/x\0"))
    save(folder, "skipped", opened(1, 3, 3, b"/proc/self/io\0") + transfer(0, 3, 0, 100, 1300, 1400, 0))
    save(folder, "bad-times", transfer(0, 1, 0, 1, 1400, 1300, 0))
    save(folder, "bad-text", start + opened(1, 1, 3, b"no end"))
    save(folder, "bad-size", transfer(0, 1, 0, 1, 1300, 1400, 0) + struct.pack("<HBBI", 40, 1, 0, 1))


def spools():
    def entry(kind, data, process=0, ring=0, position=0, time=0):
        return struct.pack("<IIQQQQ", kind, process, len(data), ring, position, time) + data

    def padded(text):
        return text + b"\0" * (-len(text) % 8)

    def begin(samples):
        text = b"out.iot\0%trace source=record epoch=0\0app\0x\0"
        return entry(1, struct.pack("<QIIIBBBBQQQQQ", 0x314C4F4F5053434F, 0, 2, len(text), samples - 1, 0, samples, 0, 5,
                                    1000, 1000, 2000, 1500) + padded(text))

    def process(number):
        return entry(2, struct.pack("<IIQ", 7 + number, 1, 0), number)

    def event(kind, loss, number, text=b"", ring=0):
        record = struct.pack("<qQqQQIIIIBBHI", 2000, 0, 0, 3, 300, 0, ring, number, 2, loss, 0, 0, 0)
        return entry(5, struct.pack("<IIQ", kind, len(text), 5) + record + text, number, ring)

    def step(time):
        return entry(6, struct.pack("<QQ", 3000 + time, 3000 + time), time=time)

    rings = "fuzz/corpus/ring/"
    folder = "fuzz/corpus/spool"
    clear(folder)
    program = entry(3, padded(b"/bin/app\0"))
    transfers, operations, children = (load(rings + name) for name in ("transfers", "operations", "children"))
    lost, ended = event(8, 0, 0, ring=1), event(7, 0, 0, struct.pack("<40Q", *range(40)))
    save(folder, "one", begin(1) + process(0) + program + entry(4, transfers, 0, 1, 0, 5000) + step(4000) +
         lost + ended + step(6000))
    save(folder, "two", begin(2) + process(0) + entry(4, operations, 0, 1, 0, 5000) + process(1) + step(3000) +
         entry(4, children, 1, 2, 0, 5000) + entry(4, transfers, 0, 1, len(operations), 5000) + step(6000))
    save(folder, "damaged-ring", begin(1) + process(0) + entry(4, load(rings + "bad-text"), 0, 1, 0, 5000) +
         entry(4, transfers, 0, 1, 8, 5000) + step(6000))
    save(folder, "no-step", begin(1) + process(0) + step(2000) + entry(4, transfers, 0, 1, 0, 5000))
    save(folder, "cut", begin(1) + process(0) + step(2000) + entry(4, transfers, 0, 1, 0, 5000)[:-40])
    save(folder, "no-process", begin(1) + entry(4, transfers, 0, 1, 0, 5000) + step(6000))


def timing():
    """Options of fuzz_timing.c, and a few processes that share files."""
    folder = "fuzz/corpus/timing"
    clear(folder)
    for seed in range(12):
        rng = random.Random(seed)
        options = bytes([rng.choice([0, 0, 0x10, 0x20, 0x48]), *(rng.randrange(256) for _ in range(7))])
        lines = [f"ff %file process={p} id={f} object={f} path=/{f}{'d' * (f == 2)}" for p in (1, 2) for f in (1, 2, 3)]
        for _ in range(40):
            kind = (rng.choice([0x80, 0xC0]) if options[0] != 0x48 else rng.choice([0, 0x40])) | 8 * (rng.random() < 0.2)
            offset, length = rng.randrange(20) * 4096 + rng.choice([0, 0, 100]), rng.choice([0, 100, 4096, 20000])
            lines.append(f"{kind:x} 20 {offset:x} {length:x} {rng.randrange(5000):x} 64 {rng.randrange(1, 4):x} {rng.randrange(1, 3)} "
                         f"{rng.choice([0, 100, 50000]):x}")
            if rng.random() < 0.15:
                lines.append(rng.choice(["ff %op name=fsync process=1 file=1", "ff %op name=truncate process=1 file=3 size=5000",
                                         "ff %op name=unlink process=2 path=/3", "ff %op name=close process=1 file=1"]))
        save(folder, f"seed-{seed}", options + "\n".join(lines).encode() + b"\n")


def requests():
    """A trace of three processes, one of which is a thread, that share two files."""
    some = random.Random(7)
    lines = ["ff %trace epoch=1700000000123456789 ranks=2"]
    lines += [f"ff %process id={p} host=node{p} rank={p // 2}" + " thread-of=1" * (p == 2) for p in (1, 2, 3)]
    lines += [f"ff %file process={p} id={f} object={f} path=/{f}" for p in (1, 2, 3) for f in (1, 2)]
    for i in range(40):
        offset, length = some.choice([0, 4096, 100 * i, 8192 * i]), some.choice([10, 4096, 65536])
        lines.append(f"{some.choice([0x80, 0x80, 0xC0, 0xC8, 0x81]):x} 20 {offset:x} {length:x} {some.randrange(8):x} "
                     f"{some.randrange(1, 10):x} {some.choice([1, 2])} {some.choice([1, 2, 3])} {some.randrange(9):x}")
        if i % 13 == 5:
            lines.append(f"ff %op name={some.choice(['open', 'stat'])} process=1 file=1 time=30 took=5 result=0")
    return "\n".join(lines).encode() + b"\n"


def state(trace, *options):
    command = ["build/release/iotrace", "analyze", "-q", "--allow-empty", "-s", "-", *options, trace]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def bare(framed):
    """Without hashes, which a change of any byte would make wrong."""
    return subprocess.run(["build/release/iotrace", "cat", "-q", "--bare", "-"], input=framed,
                          stdout=subprocess.PIPE, check=True).stdout


def states():
    """States of a trace, and of its parts, the second of which is empty."""
    folder = "fuzz/corpus/load"
    clear(folder)
    with tempfile.TemporaryDirectory() as scratch:
        trace, empty = os.path.join(scratch, "trace.iot"), os.path.join(scratch, "empty.iot")
        save(scratch, "text", requests())
        save(scratch, "empty.iot", b"")
        subprocess.run(["build/release/iotrace", "cat", "-q", "--framed", "--sync=33", "--format-version=1",
                        "-o", trace, os.path.join(scratch, "text")], check=True)
        parts = [bare(state(trace, f"--part={k}/3")) for k in (1, 2, 3)]
        save(folder, "empty", bare(state(empty)))
        save(folder, "framed", state(trace, "--section=time"))
        save(folder, "middle", parts[1])
        save(folder, "parts", b"--\n".join(parts))
        save(folder, "time", bare(state(trace, "--section=time")))
        save(folder, "whole", bare(state(trace)))


def seek_table():
    """Each kind of edit of the table, in traces with many frames; then several edits at once."""
    folder = "fuzz/corpus/seek_table"
    clear(folder)
    for how in range(16):
        edits = bytes([how % 8, 0, how + 1, 7 * how + 1]) if how < 8 else bytes_of(how, 16)
        first = bytes([how, 1 if how < 8 else 4]) + edits.ljust(16, b"\0") + bytes([0, how, 0, 9 * how])
        save(folder, "edit-%02d" % how, first + bytes([[4, 8, 12, 36][how % 4]]) + bytes_of(how + 70, 600))


def parts():
    """Plans as they are, parts alone, and each kind of change of a field with a hash that matches or not."""
    folder = "fuzz/corpus/parts"
    clear(folder)
    for how in range(20):
        edits = b"".join(bytes([how + k, how + 5 * k, how + k, 128, how]) for k in range(3))
        first = bytes([3 + how % 4 + (0, 16, 32, 16)[how % 4], 0 if how % 4 in (0, 2) else 1 + how % 3])
        save(folder, "plan-%02d" % how, first + edits + bytes([how % 3 + (4, 8, 12, 36)[how % 4]]) + bytes_of(how + 90, 400))


GROUPS = [stream, seek_table, parts, arrow, roundtrip, states, timing, rings, spools, made, convert, parallel, inputs, words]


def main(names):
    unknown = set(names) - {group.__name__ for group in GROUPS}
    if unknown:
        sys.exit(f"make_corpus.py: {' '.join(unknown)}: expected some of {' '.join(group.__name__ for group in GROUPS)}")
    for group in GROUPS:
        if not names or group.__name__ in names:
            group()


main(sys.argv[1:])
