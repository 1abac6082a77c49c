#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the output of `iotrace convert` for Recorder traces with the known transfers.

	recorder_truth.py IOTRACE DATA_DIRECTORY [TRACE...]

recorder_text (tests/tools/recorder_text.c) is expected beside IOTRACE. DATA_DIRECTORY has traces/, ref/
(every call as recorder2text prints it, mistakes corrected), expected/ (every transfer as the traced
programs themselves wrote it down), archives/ and corrupt/. One row per trace (truth.py): calls, records
and bytes each way, records marked as ambiguous and those with unknown offsets, then how many differ; exit
status 1 if anything does that is not named, with a reason, in PLACES or EXCEPTIONS. Says "skipped" if the
directory is not there.

	ref       calls, from the first to the last byte of their lines, against ref/
	expected  transfers against expected/: rank, file, direction, offset; what is not in the trace, too
	told      the same against what the programs are said to have done, where expected/ has nothing
	lengths   transfers of these two that moved fewer bytes than the trace says
	totals    the trace's own counts against its calls, by --check

More rows: archives and texts of the same traces, which must give the same; damaged traces, which must be
refused (exit status 2), or told as damaged (1) with what is whole kept.
"""
import collections
import os
import re
import sys
import tarfile

import truth

KI, MI, NS = 1024, 1024 * 1024, 10**9

# Sections are those of recorder.md, the description of the format beside the data.
TWO = "of two handles on one path that are open at once it is not stored which one reads (section 8)"
DUPFD = "a write through a descriptor of fcntl(F_DUPFD) is not traced and has moved the position (section 8)"
SHORT = "a read before it met the end of a file of unknown size, and moved less than it asked for (section 8)"
END = "at the end of a file that was opened without being emptied: its size is not known, and marked so (section 8)"
ASKED = "results are not stored: of a file of unknown size, the length is what was asked for (section 8)"
PAUSE = "of a pause of more than 2^32 ticks, multiples of that are not stored (section 6)"
# (trace, rank, number of the transfer): why nobody can tell its offset from the trace
PLACES = {("sem", rank, n): why for rank in (0, 1) for n, why in ((10, TWO), (11, TWO), (22, DUPFD))}
PLACES.update({("big", *place): SHORT for place in ((0, 7), (2, 28268), (3, 7), (3, 8), (3, 59880), (3, 59886))})
PLACES["python", 0, 43] = END
# (trace, reference): how much differs, and why
EXCEPTIONS = {("big", "lengths"): (24, ASKED), ("gap_overflow", "pause"): (1, PAUSE)}

Transfer = collections.namedtuple("Transfer", "write file offset lengths")


class Converted(truth.Conversion):
    def transfers(self):
        ranks = collections.defaultdict(list)
        for row in self.rows:
            ranks[int(row["process"]) - 1].append(Transfer(
                bool(int(row["type"]) & truth.WRITE), os.path.basename(row["path"]),
                truth.offset(row), (int(row["length"]),)))
        return ranks


# What is known


class Known:
    """Reads expected/*.tsv: transfers by rank, or only sums (rank, bytes written and read)."""

    def __init__(self, path):
        by_descriptor = "old_2.1" in path or "old_2.2" in path  # they show copies made by F_DUPFD
        self.posix, self.mpi = collections.defaultdict(list), collections.defaultdict(list)
        self.sums, self.hidden = {}, collections.defaultdict(list)
        with open(path) as file:
            for line in file:
                f = line.rstrip("\n").split("\t")
                if f[1:2] == ["totals"]:
                    self.sums[int(f[0])] = tuple(int(word.split("=")[1]) for word in f[3:5])
                if len(f) < 6:
                    continue
                rank, op, name, offset, asked, got = int(f[0]), f[1], f[2].replace(" ", "_"), *map(int, f[3:6])
                hidden = re.search(r"untraced: (\w+)", op)
                if hidden and not (hidden[1] == "F_DUPFD" and by_descriptor):
                    self.hidden[f"through {hidden[1]}, which is not traced (section 8)"].append((rank, f"at {offset}"))
                    continue
                kind = self.mpi if op.startswith("MPI_File") else self.posix
                kind[rank].append(Transfer("write" in op, name, offset, (got, asked)))


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


def gap():  # and a pause of 5 s behind the first
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
    """Returns the name of the original: derived_dat_x is x in another layout."""
    return name.split("_", 2)[2] if name.startswith("derived_") else name


def places(found):
    """Returns the (rank, what) pairs as text; #n is the n-th transfer of the rank, from 0."""
    ranks = collections.defaultdict(list)
    for rank, what in found:
        ranks[rank].append(what)
    return ", ".join(f"rank {rank} {' '.join(what)}" for rank, what in ranks.items())


class Comparison:
    """Compares the transfers of a trace's ranks with the known ones."""

    def __init__(self, row, reference, ordered):
        self.row, self.reference, self.ordered = row, reference, ordered
        self.compared = self.wrong = 0
        self.short, self.named = [], collections.defaultdict(list)

    def rank(self, rank, want, have):
        names = {t.file for t in want}
        have = [t for t in have if None in names or t.file in names]
        if not self.ordered:
            want, have = (sorted(x, key=lambda t: (t.file or "", t.write, t.offset)) for x in (want, have))
        self.compared += len(want)
        self.wrong += abs(len(want) - len(have))
        for number, (a, b) in enumerate(zip(want, have)):
            place = (self.row.name, rank, number)
            if a.write != b.write or b.lengths[0] not in a.lengths or a.file not in (None, b.file):
                self.wrong += 1
            elif a.offset != b.offset and place in PLACES and len(want) == len(have):
                self.named[PLACES[place]].append((rank, f"#{number}"))
            elif a.offset != b.offset:
                self.wrong += 1
            if a.lengths[0] < b.lengths[0]:
                self.short.append((rank, f"#{number}"))

    def end(self, hidden):
        stale = sum(place[0] == self.row.name for place in PLACES) - sum(map(len, self.named.values()))
        self.row.expect("named, and not different", stale)
        for why, found in [*self.named.items(), *hidden.items()]:
            self.row.count(self.reference, 0, len(found))
            self.row.excuse(len(found), f"{self.reference}: {places(found)}: {why}")
        self.row.differ(self.reference, self.compared + sum(map(len, hidden.values())), self.wrong)
        self.row.differ("lengths", self.compared, len(self.short), places(self.short))


class Checker:
    def __init__(self, tool, data):
        self.tool, self.data = tool, data
        self.text = os.path.join(os.path.dirname(tool), "recorder_text")

    def path(self, *parts):
        return os.path.join(self.data, *parts)

    # Every call against ref/

    def decoded(self, source):
        ranks, lines = {}, None
        for line in truth.run(self.text, source).stdout.split(b"\n"):
            if line.startswith(b"# rank "):
                lines = ranks.setdefault(int(line[7:]), [])
            elif line:
                lines.append(line)
        return ranks

    def compare_calls(self, row):
        archive = self.path("ref", source_of(row.name) + ".tar.xz")
        if not os.path.exists(archive):
            return
        ranks, compared, differing = self.decoded(self.path("traces", row.name)), 0, 0
        with tarfile.open(archive) as tar:
            for member in tar:
                base = os.path.basename(member.name)
                if not base.endswith(".txt"):
                    continue
                want = [line for line in tar.extractfile(member).read().split(b"\n") if line]
                have = ranks.pop(int(base[:-4]), [])
                if row.name.startswith(("old_2.1", "old_2.2")):  # sorted there by an unstable sort
                    want.sort()
                    have.sort()
                compared += len(want)
                differing += abs(len(want) - len(have)) + sum(a != b for a, b in zip(want, have))
        row.differ("ref", compared, differing + sum(map(len, ranks.values())))

    # Every transfer against what is known

    def compare_transfers(self, row, posix):
        base = source_of(row.name)
        table = self.path("expected", base + ".tsv")
        known = Known(table) if os.path.exists(table) else None
        if known and (known.posix or known.mpi):
            compare = Comparison(row, "expected", True)
            for rank, want in sorted(known.posix.items()):
                compare.rank(rank, want, posix[rank])
            if known.mpi:
                have = Converted(self.tool, self.path("traces", row.name), "--layer=mpiio").transfers()
                for rank, want in sorted(known.mpi.items()):
                    compare.rank(rank, want, have[rank])
            compare.end(known.hidden)
        elif base in MADE:
            maker, ordered = MADE[base]
            compare = Comparison(row, "expected" if known else "told", ordered)
            for rank, want in maker():
                compare.rank(rank, want, posix[rank])
                sums = tuple(sum(t.lengths[0] for t in want if t.write == way) for way in (True, False))
                if known and known.sums:
                    row.expect(f"sums of rank {rank}", int(sums != known.sums[rank]), f"{sums} for {known.sums[rank]}")
            compare.end({})
        elif known:
            row.expect("expected", 1, "it tells nothing")

    def compare_counts(self, row, posix, trace):
        for (file, write), count in COUNTED.get(row.name, {}).items():
            have = sum(t.write == write and t.file == file for ts in posix.values() for t in ts)
            row.differ("told", 1, int(have != count), f"{file}: {have} transfers, {count} are known")
        if row.name == "gap_overflow":
            pause = int(trace.rows[1]["start"]) - int(trace.rows[0]["start"]) if len(trace.rows) > 1 else 0
            row.count("told", 1, int(pause // NS != 5))
            row.expect("pause", int(pause // NS != 5), f"5 s have become {pause / NS:.3f} s")

    def check(self, table, name):
        trace = Converted(self.tool, self.path("traces", name), "--check")
        report, posix = trace.report, trace.transfers()
        calls = report["input_calls"]
        row = table.row(name, calls, *trace.sizes(), sum(report.get("ambiguous", {}).values()),
                        report.get("unknown", {}).get("offset_records", 0))
        row.expect("exit status", trace.status, trace.message)
        row.expect("not understood", report.get("unparsed", 0))
        row.differ("totals", calls, report.get("differences", 0), report.get("first_differences", ""))
        self.compare_calls(row)
        self.compare_transfers(row, posix)
        self.compare_counts(row, posix, trace)
        row.end()

    # Archives give the same, and so does the text of recorder2text, but for patterns

    def check_same(self, table):
        for file in sorted(os.listdir(self.path("archives"))):
            name = file.split(".tar")[0].replace("_deep", "").replace("_nodir", "")
            want, have = (Converted(self.tool, p) for p in (self.path("traces", name), self.path("archives", file)))
            row = table.row(f"archives/{file}", *have.sizes())
            row.differ("differ", len(want.rows), int(want.trace != have.trace) or int(not want.rows))
            row.end()
        for name in ("n1_strided", "nn", "many", "old_2.2.1", "idle_ranks"):
            file = f"ref/{name}.tar.xz"
            want, have = (Converted(self.tool, p) for p in (self.path("traces", name), self.path(file)))
            row = table.row(file, *have.sizes())
            a, b = (collections.Counter((rank, t) for rank, ts in c.transfers().items() for t in ts)
                    for c in (want, have))
            row.differ("differ", len(want.rows), sum((a - b).values()) + sum((b - a).values()))
            row.end()

    # Damage gives a message

    def check_corrupt(self, table):
        # The address sanitizer needs more than any limit.
        limit = "ulimit -v 1000000; "
        if truth.run("sh", "-c", limit + 'exec "$1" --version', "sh", self.tool).returncode != 0:
            limit = ""
        before = ("sh", "-c", limit + 'exec timeout 300 "$@"', "sh")
        for file in sorted(os.listdir(self.path("corrupt"))):
            name = file.split(".tar")[0]
            trace = Converted(self.tool, self.path("corrupt", file), before=before)
            kept = trace.trace is not None
            row = table.row(name, trace.status, "warned" if kept else "refused", *trace.sizes())
            row.expect("exit status", int(trace.status != (1 if kept else 2)))
            row.expect("message", int(not trace.message.startswith("iotrace: ")), trace.message)
            row.expect("%lost", int(kept and not any(trace.directives("%lost"))))
            row.expect("records", abs(trace.report.get("records", 0) - len(trace.rows)))
            row.end(re.sub(r"^iotrace: (\S*/)?", "", trace.message))


def main():
    tool, data, names = truth.arguments(__doc__)
    c = Checker(tool, data)
    tables = [truth.Table("trace:21", "calls:6 records:7 read:8 written:8 ambiguous:9 unknown:7",
                          "ref:5 expected:8 told:5 lengths:7 totals:6", EXCEPTIONS)]
    for name in names or sorted(os.listdir(c.path("traces"))):
        c.check(tables[0], name)
    tables[0].end()
    if not names:
        tables.append(truth.Table("archive/text:33", "records:7 read:8 written:8", "differ:6"))
        c.check_same(tables[1])
        tables.append(truth.Table("damaged:30", "exit:4 said:7 records:7 read:8 written:8"))
        c.check_corrupt(tables[2])
    return truth.finish("Recorder", *tables)


if __name__ == "__main__":
    sys.exit(main())
