#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes a trace in the format of Recorder 3.0, of any size, from a seed.

	recorder_make.py DIRECTORY [--ranks N] [--calls N] [--seed N] [--signatures N] [--own] [--raw] [--text]
	                 [--container]

Each rank opens a file of its own and a shared one, then writes, reads and seeks in both: a grammar
of two levels of rules, with repeats. --own: files per rank instead of compression between them;
--raw: times not compressed. --container: one recorder.dat, in the layout of 2026. --text: DIRECTORY/expected.txt gets every call, "rank start end function
path length offset" with times in ticks. About 3 s for each million calls.
"""
import argparse
import array
import os
import random
import struct
import zlib

NAMES = """creat creat64 open open64 close write read lseek lseek64 pread pread64 pwrite pwrite64 readv writev fopen
fclose fwrite fread ftell fseek fsync unlink rename MPI_Barrier MPI_File_open H5Fopen ncmpi_open nc_open""".split()
ID = {name: i for i, name in enumerate(NAMES)}
TERMINALS_OF_ALL = 5


def block(data):
    packed = zlib.compress(data)
    return struct.pack("<QQ", len(packed), len(data)) + packed


def key(function, *args):
    text = b"".join(str(a).encode() + b" " for a in args)
    return struct.pack("<QiBBi", 0, ID[function], 0, len(args), len(text)) + text


def make_signatures(rng, count):
    paths = ["/scratch/made/shared.dat", "/scratch/made/some/longer/name/own.dat"]
    out = [("open", p, 66, 420) for p in paths] + [("close", p) for p in paths] + [("MPI_Barrier", "MPI_COMM_WORLD")]
    for i in range(count):
        path, size, offset = rng.choice(paths), rng.choice((8, 512, 4096, 65536)), rng.randrange(1 << 20) * 512
        out.append(rng.choice((
            ("pwrite", path, "%p", size, offset), ("pread", path, "%p", size, offset), ("write", path, "%p", size),
            ("read", path, "%p", size), ("lseek", path, offset, 0))))
    return out


def make_grammar(rng, signatures, calls):
    """Returns rules by id, with the start rule last, and the terminals in order."""
    data = range(TERMINALS_OF_ALL, signatures)
    rules, flat = {}, {}
    for i in range(64):
        rules[-2 - i] = [(rng.choice(data), rng.choice((1, 1, 1, 2, 3))) for _ in range(rng.randrange(4, 24))]
        flat[-2 - i] = [t for t, times in rules[-2 - i] for _ in range(times)]
    for i in range(64, 96):
        rules[-2 - i] = [(rng.randrange(-65, -1), rng.choice((1, 1, 2))) for _ in range(rng.randrange(3, 12))]
        flat[-2 - i] = [t for rule, times in rules[-2 - i] for _ in range(times) for t in flat[rule]]
    start, out = [(0, 1), (1, 1)], array.array("i", [0, 1])
    while len(out) < calls - 3:
        rule, times = rng.randrange(-97, -65), rng.choice((1, 1, 2, 40))
        if len(out) + times * len(flat[rule]) > calls - 3:
            rule, times = rng.choice(data), 1
        start.append((rule, times))
        out.extend((flat[rule] if rule < 0 else [rule]) * times)
    start += [(4, 1), (2, 1), (3, 1)]
    out.extend((4, 2, 3))
    rules[-1] = start
    return rules, out


def pack_grammar(rules):
    data = [struct.pack("<i", len(rules))]
    for rule, symbols in rules.items():
        data.append(struct.pack("<ii", rule, len(symbols)))
        data.append(b"".join(struct.pack("<ii", *s) for s in symbols))
    return b"".join(data)


def make_times(rng, calls):
    pairs, steps = array.array("I"), [rng.randrange(5, 400) for _ in range(4099)]
    for i in range(calls):
        start = steps[i % 4099]
        pairs.append(start)
        pairs.append(start + steps[i * 7 % 4093] // 2)
    return pairs


def pack_signatures(signatures, counts):
    data = [struct.pack("<i", len(signatures))]
    for i, s in sorted(enumerate(signatures), key=lambda x: zlib.crc32(str(x).encode())):
        k = key(*s)
        data.append(struct.pack("<iiii", i, 0, len(k), counts[i]) + k)
    return b"".join(data)


def write(folder, name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def pack_container(folder, ranks):
    """Combines the files of a directory into recorder.dat."""
    roles = {"recorder.ts": (1, -1), "recorder.cst": (2, -1), "ug.cfg": (3, -1), "ug.mt": (4, -1)}
    for rank in range(ranks):
        roles[f"{rank}.cst"], roles[f"{rank}.cfg"] = (5, rank), (6, rank)
    with open(os.path.join(folder, "recorder.mt"), "rb") as file:
        old = file.read()
    head = struct.pack("<5i", 3, 1, 0, ranks, len(NAMES)) + old[4:12] + bytes(4) + old[16:32] + bytes(4) + old[36:40]
    sections = [(0, -1, head + b"".join(n.encode().ljust(64, b"\0") for n in NAMES))]
    for name, role in roles.items():
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                sections.append((*role, file.read()))
            os.remove(path)
    os.remove(os.path.join(folder, "recorder.mt"))
    os.remove(os.path.join(folder, "VERSION"))
    at, table = 16 + 24 * len(sections), []
    for role, rank, data in sections:
        table.append(struct.pack("<IiQQ", role, rank, at, len(data)))
        at += len(data)
    write(folder, "recorder.dat", struct.pack("<8sII", b"RECORDER", 1, len(sections)) + b"".join(table) +
          b"".join(s[2] for s in sections))


def write_text(file, rank, signatures, order, pairs):
    at = 0
    for i, terminal in enumerate(order):
        s, start, end = signatures[terminal], at + pairs[2 * i], at + pairs[2 * i + 1]
        file.write(f"{rank} {start} {end} {' '.join(map(str, s))}\n")
        at = start


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    for name, value in (("ranks", 4), ("calls", 1000000), ("seed", 1), ("signatures", 2000)):
        p.add_argument("--" + name, type=int, default=value)
    for name in ("own", "raw", "text", "container"):
        p.add_argument("--" + name, action="store_true")
    a = p.parse_args()
    rng = random.Random(a.seed)
    os.makedirs(a.folder, exist_ok=True)
    signatures = make_signatures(rng, a.signatures)
    counts, payloads, grammars = [0] * len(signatures), [], []
    text = open(os.path.join(a.folder, "expected.txt"), "w") if a.text else None
    for rank in range(a.ranks):
        rules, order = make_grammar(rng, len(signatures), a.calls)
        pairs = make_times(rng, len(order))
        own = [0] * len(signatures)
        for terminal in order:
            own[terminal] += 1
        counts = [x + y for x, y in zip(counts, own)]
        payloads.append(pairs.tobytes() if a.raw else block(pairs.tobytes()))
        grammars.append(block(pack_grammar(rules)))
        if a.own:
            write(a.folder, f"{rank}.cst", block(pack_signatures(signatures, own)))
            write(a.folder, f"{rank}.cfg", grammars[-1])
        if text:
            write_text(text, rank, signatures, order, pairs)
    head = struct.pack("<i8B4xddi4B", a.ranks, 1, 1, 1, 1, 1, 1, 0, 1, 1.7e9, 1e-7, 0, not a.raw, not a.own, 0, 0)
    write(a.folder, "VERSION", b"3.0.0")
    write(a.folder, "recorder.mt", head.ljust(1024, b"\0") + "".join(n + "\n" for n in NAMES).encode())
    write(a.folder, "recorder.ts", struct.pack(f"<{a.ranks}Q", *map(len, payloads)) + b"".join(payloads))
    if not a.own:
        write(a.folder, "recorder.cst", block(pack_signatures(signatures, counts)))
        write(a.folder, "ug.cfg", b"".join(grammars))
        write(a.folder, "ug.mt", struct.pack(f"<{a.ranks + 1}i", *range(a.ranks), a.ranks))
    if a.container:
        pack_container(a.folder, a.ranks)


if __name__ == "__main__":
    main()
