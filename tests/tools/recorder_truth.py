#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares what `iotrace convert` makes of Recorder's traces with what is known to have happened.

	recorder_truth.py IOTRACE RECORDER_TEXT DATA_DIRECTORY [TRACE...]

RECORDER_TEXT is tests/tools/recorder_text.c. DATA_DIRECTORY has traces/, ref/ (every call as
recorder2text prints it, mistakes corrected), expected/ (every transfer as the traced programs
themselves wrote it down), archives/ and corrupt/. One row per trace: calls and records, bytes each
way, calls that differ from ref/, transfers that differ in rank, file, direction, offset or length
from what is known. Exit status 1 if anything differs that is not named in EXCEPTIONS. Says "skipped"
if the directory is not there.
"""
import collections
import csv
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile

WRITE = 0x40
KI, MI = 1024, 1024 * 1024

TWO = "of two handles on one path that are open at once it is not stored which one reads"
DUPFD = "a write through a descriptor of fcntl(F_DUPFD) is not traced and has moved the position"
SHORT = "a read before it met the end of a file of unknown size, and moved less than it asked for"
END = "at the end of a file that was opened without being emptied: its size is not known, and marked so"
# (trace, rank, number of the transfer): why nobody can tell its offset from the trace
EXCEPTIONS = {("sem", rank, n): why for rank in (0, 1) for n, why in ((10, TWO), (11, TWO), (22, DUPFD))}
EXCEPTIONS.update({("big", *place): SHORT for place in ((0, 7), (2, 28268), (3, 7), (3, 8), (3, 59880), (3, 59886))})
EXCEPTIONS["python", 0, 43] = END

Transfer = collections.namedtuple("Transfer", "write file offset lengths")


def run(command):
    return subprocess.run(command, capture_output=True)


class Converted:
    def __init__(self, tool, source, *options):
        with tempfile.TemporaryDirectory() as tmp:
            out, report = os.path.join(tmp, "t.iot"), os.path.join(tmp, "r.json")
            done = run([tool, "convert", "-q", "-o", out, "--report", report, *options, source])
            self.status, self.message = done.returncode, done.stderr.decode(errors="replace").strip()
            self.report = json.load(open(report)) if os.path.exists(report) else {}
            self.rows, self.text = [], b""
            if os.path.exists(out):
                text = run([tool, "cat", "--format=csv", "--names", "--ns", out]).stdout.decode(errors="replace")
                self.rows = list(csv.DictReader(io.StringIO(text)))
                self.text = run([tool, "cat", "--format=text", out]).stdout

    def transfers(self):
        ranks = collections.defaultdict(list)
        for row in self.rows:
            ranks[int(row["process"]) - 1].append(Transfer(
                bool(int(row["type"]) & WRITE), os.path.basename(row["path"]),
                int(row["offset"]), (int(row["length"]),)))
        return ranks

    def bytes(self, write):
        return sum(int(r["length"]) for r in self.rows if bool(int(r["type"]) & WRITE) == write)


# What is known


def known_table(path):
    """expected/*.tsv: (POSIX, MPI) transfers by rank; None where it has only totals."""
    by_descriptor = "old_2.1" in path or "old_2.2" in path  # they show copies made by F_DUPFD
    posix, mpi = collections.defaultdict(list), collections.defaultdict(list)
    with open(path) as file:
        for line in file:
            f = line.rstrip("\n").split("\t")
            if len(f) < 6 and ("totals" in f or "bigreg" in line):
                return None, None
            if len(f) < 6 or "openat" in f[1] or ("F_DUPFD" in f[1] and not by_descriptor):
                continue
            rank, op, name, offset, asked, got = int(f[0]), f[1], f[2].replace(" ", "_"), *map(int, f[3:6])
            kind = mpi if op.startswith("MPI_File") else posix
            kind[rank].append(Transfer("write" in op, name, offset, (got, asked)))
    return posix, mpi


def bigreg(ranks=4, n=25000):
    for r in range(ranks):
        yield r, ([Transfer(True, None, (i * ranks + r) * 64, (64,)) for i in range(n)] +
                  [Transfer(False, None, (i * ranks + r) * 64, (64,)) for i in range(n)])


def big():
    for r in range(4):
        x, size, position, i, out = 12345 + r, 0, 0, 0, []
        while i < 75000:
            x = (x * 1664525 + 1013904223) % (1 << 32)
            offset, what = ((x >> 12) % 2000) * 512, (x >> 8) & 3
            if what == 0:
                out.append(Transfer(True, None, offset, (512,)))
                size = max(size, offset + 512)
            elif what == 1:
                out.append(Transfer(True, None, offset, (256,)))
                position = offset + 256
                size = max(size, position)
                i += 1
            elif what == 2:
                out.append(Transfer(False, None, offset, (max(0, min(512, size - offset)), 512)))
            else:
                got = max(0, min(128, size - position))
                out.append(Transfer(False, None, position, (got, 128)))
                position += got
            i += 1
        yield r, out


def ior_posix():
    for r in range(4):
        at = [(s * 4 + r) * 262144 + j * 65536 for s in range(3) for j in range(4)]
        yield r, [Transfer(True, None, o, (65536,)) for o in at] + [Transfer(False, None, o, (65536,)) for o in at]


def threads():
    out = []
    for t in range(4):
        for i in range(100):
            out.append(Transfer(True, None, (1000 * t + i) * 4096, (1000 + t,)))
            if i % 10 == 9:
                out.append(Transfer(False, None, (1000 * t + i) * 4096, (500,)))
    yield 0, out


def threads_neg():
    out = [Transfer(True, "thr0.dat", i * MI, (MI,)) for i in range(8)]
    for t in (1, 2, 3):
        out += [Transfer(True, f"thr{t}.dat", i * 4096, (100 + t,)) for i in range(200)]
    yield 0, out + [Transfer(True, "main.dat", 0, (1,))]


def dd():
    out = []
    for i in range(40):
        out.append(Transfer(False, "src.bin", 131072 + i * 65536, (65536,)))
        out.append(Transfer(True, "dst.bin", 196608 + i * 65536, (65536,)))
    yield 0, out


def userfunc():
    at, out = 0, []
    for size in (3, 4, 3, 4):
        out.append(Transfer(True, "uf.dat", at, (size,)))
        at += size
    yield 0, out


def gap():
    yield 0, [Transfer(True, None, 0, (1,)), Transfer(True, None, 1, (2,)), Transfer(True, None, 3, (3,))]


def ior_fpp():
    for r in range(4):
        yield r, [Transfer(write, f"iorf.dat.{r:08}", i * 16384, (16384,)) for write in (True, False) for i in range(16)]


def mdtest():
    for r in range(2):
        yield r, [Transfer(write, f"file.mdtest.{r}.{i}", 0, (300,)) for write in (True, False) for i in range(20)]


def python():
    out = [Transfer(True, "py.bin", 1000 * i, (100,)) for i in range(20)]
    out += [Transfer(False, "py.bin", 1000 * i + 10, (50,)) for i in range(20)]
    yield 0, out + [Transfer(w, "py.bin", o, (n,)) for w, o, n in
                    ((True, 5000, 3), (False, 5003, 30), (True, 123, 10), (True, 19100, 3))]


def archive(file, last):
    def make():
        yield 0, [Transfer(True, file, i * 10240, (10240 if i < 10 else last,)) for i in range(11)]
    return make


def cpsparse():
    yield 0, [Transfer(False, "src.bin", i * 131072, (131072,)) for i in range(23)] + [
        Transfer(False, "src.bin", 3014656, (131072,))]


# name: generator, order counts
MADE = {
    "big": (big, True), "bigreg": (bigreg, True), "bigreg_intra": (bigreg, True), "ior_posix": (ior_posix, False),
    "ior_mpiio": (ior_posix, False), "threads": (threads, False), "threads_neg": (threads_neg, False),
    "ior_fpp": (ior_fpp, False), "mdtest": (mdtest, False), "python": (python, True),
    "tar": (archive("d.tar", 10240), True), "bsdtar": (archive("d2.tar", 8192), True), "cpsparse": (cpsparse, True),
    "dd": (dd, True), "userfunc": (userfunc, True), "gap_overflow": (gap, True),
}
# Counts that the programs or their authors tell: (file, write): transfers
COUNTED = {
    "sqlite": {("t.db", True): 341, ("t.db-journal", True): 693},
    "fio": {("fio.dat", True): 256 + 121, ("fio.dat", False): 135},
}


def source_of(name):
    """derived_dat_x is x in another layout."""
    return name.split("_", 2)[2] if name.startswith("derived_") else name


class Checker:
    def __init__(self, tool, text, data):
        self.tool, self.text, self.data = tool, text, data
        self.wrong, self.named, self.rows = [], set(), 0

    def path(self, *parts):
        return os.path.join(self.data, *parts)

    def fail(self, name, what):
        self.wrong.append(f"{name}: {what}")

    # Every call against ref/

    def decoded(self, source):
        ranks, lines = {}, None
        for line in run([self.text, source]).stdout.split(b"\n"):
            if line.startswith(b"# rank "):
                lines = ranks.setdefault(int(line[7:]), [])
            elif line:
                lines.append(line)
        return ranks

    def compare_calls(self, name):
        archive = self.path("ref", source_of(name) + ".tar.xz")
        if not os.path.exists(archive):
            return "-"
        ranks, differing = self.decoded(self.path("traces", name)), 0
        with tarfile.open(archive) as tar:
            for member in tar:
                base = os.path.basename(member.name)
                if not base.endswith(".txt"):
                    continue
                want = [line for line in tar.extractfile(member).read().split(b"\n") if line]
                have = ranks.pop(int(base[:-4]), [])
                if name.startswith(("old_2.1", "old_2.2")):  # sorted there by an unstable sort
                    want.sort()
                    have.sort()
                differing += abs(len(want) - len(have)) + sum(a != b for a, b in zip(want, have))
        differing += sum(map(len, ranks.values()))
        if differing:
            self.fail(name, f"{differing} calls differ from ref/")
        return differing

    # Every transfer against what is known

    def differ(self, name, rank, want, have, ordered):
        names = {t.file for t in want}
        have = [t for t in have if None in names or t.file in names]
        if not ordered:
            want, have = (sorted(x, key=lambda t: (t.file or "", t.write, t.offset)) for x in (want, have))
        wrong = abs(len(want) - len(have))
        for number, (a, b) in enumerate(zip(want, have)):
            if (a.write, a.offset) == (b.write, b.offset) and b.lengths[0] in a.lengths and a.file in (None, b.file):
                continue
            if (name, rank, number) in EXCEPTIONS and len(want) == len(have):
                self.named.add((name, rank, number))
            else:
                wrong += 1
        if wrong:
            self.fail(name, f"rank {rank}: {wrong} of {len(want)} transfers are not as known")
        return wrong

    def compare_transfers(self, name, posix):
        base, total, compared = source_of(name), 0, 0
        table = self.path("expected", base + ".tsv")
        known, mpi = known_table(table) if os.path.exists(table) else (None, None)
        if known is None and base in MADE:
            maker, ordered = MADE[base]
            for rank, want in maker():
                compared += len(want)
                total += self.differ(name, rank, want, posix[rank], ordered)
        for rank, want in sorted((known or {}).items()):
            compared += len(want)
            total += self.differ(name, rank, want, posix[rank], True)
        if mpi:
            have = Converted(self.tool, self.path("traces", name), "--layer=mpiio").transfers()
            for rank, want in sorted(mpi.items()):
                compared += len(want)
                total += self.differ(name, rank, want, have[rank], True)
        counted = COUNTED.get(base, {})
        for (file, write), count in counted.items():
            have = sum(t.write == write and t.file == file for ts in posix.values() for t in ts)
            compared += 1
            if have != count:
                total += 1
                self.fail(name, f"{file}: {have} transfers, {count} are known")
        if compared:
            return total + sum(place[0] == base for place in self.named), compared
        return "-", 0

    def check(self, name):
        c = Converted(self.tool, self.path("traces", name), "--check")
        if c.status != 0 or c.report.get("differences", 0) or c.report.get("unparsed", 0):
            self.fail(name, f"exit {c.status} {c.message} {c.report.get('first_differences', '')}")
        calls, (wrong, compared) = self.compare_calls(name), self.compare_transfers(name, c.transfers())
        ambiguous = sum((c.report.get("ambiguous") or {}).values())
        unknown = (c.report.get("unknown") or {}).get("offset_records", 0)
        print(f"{name:24} {c.report.get('calls', 0):>7} {len(c.rows):>7} {c.bytes(False):>11} {c.bytes(True):>11} "
              f"{calls:>5} {wrong:>5} {compared:>7} {ambiguous:>5} {unknown:>5}")
        self.rows += 1

    # Archives give the same, damage gives a message

    def check_archives(self):
        for file in sorted(os.listdir(self.path("archives"))):
            name = file.split(".tar")[0].replace("_deep", "").replace("_nodir", "")
            want = Converted(self.tool, self.path("traces", name)).text
            if Converted(self.tool, self.path("archives", file)).text != want or not want:
                self.fail(file, "does not give what its folder gives")
        # The text of recorder2text gives the same transfers, but for patterns.
        for name in ("n1_strided", "nn", "many", "old_2.2.1", "idle_ranks"):
            want = Converted(self.tool, self.path("traces", name)).transfers()
            have = Converted(self.tool, self.path("ref", name + ".tar.xz")).transfers()
            key = lambda t: (t.file, t.write, t.offset)
            if {r: sorted(t, key=key) for r, t in want.items()} != {r: sorted(t, key=key) for r, t in have.items()}:
                self.fail(name, "its text does not give the same transfers")

    def check_corrupt(self):
        files = sorted(os.listdir(self.path("corrupt")))
        # The address sanitizer needs more than any limit.
        limit = "ulimit -v 1000000; "
        if run(["sh", "-c", limit + 'exec "$1" --version', "sh", self.tool]).returncode != 0:
            limit = ""
        for file in files:
            with tempfile.TemporaryDirectory() as tmp:
                command = ["sh", "-c", limit + 'exec timeout 300 "$@"', "sh", self.tool, "convert", "-q",
                           "-o", os.path.join(tmp, "t.iot"), self.path("corrupt", file)]
                done = run(command)
            if done.returncode != 1 or not done.stderr.startswith(b"iotrace: "):
                self.fail(file, f"exit {done.returncode} {done.stderr[:200]}")
        return len(files)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    tool, text, data = sys.argv[1:4]
    if not os.path.isdir(data):
        print("skipped: no", data)
        return 0
    c = Checker(tool, text, data)
    print(f"{'trace':24} {'calls':>7} {'records':>7} {'read':>11} {'written':>11} {'calls':>5} {'trans':>5} "
          f"{'known':>7} {'ambig':>5} {'unkn':>5}")
    for name in sys.argv[4:] or sorted(os.listdir(c.path("traces"))):
        c.check(name)
    corrupt = 0
    if len(sys.argv) == 4:
        c.check_archives()
        corrupt = c.check_corrupt()
    for place in sorted(c.named):
        print(f"named: {place[0]}, rank {place[1]}, transfer {place[2]}: {EXCEPTIONS[place]}")
    for line in c.wrong:
        print("wrong:", line)
    print(f"Recorder: {c.rows} traces, {corrupt} damaged ones refused, {len(c.wrong)} wrong")
    return 1 if c.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
