#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the output of `iotrace convert` for strace logs with the known transfers.

	strace_truth.py IOTRACE DATA_DIRECTORY [TRACE...]

DATA_DIRECTORY has logs (*.strace, *.strace.zst), -ff sets and truth/: every transfer as the traced
programs themselves wrote it down, the kernel's byte counters, contents of files. One row per trace
(truth.py): records and bytes each way, records with unknown offsets, positions that had to be taken
anew, lines not understood, and how many checks were made; exit status 1 if anything differs that is not
named, with a reason, in EXCEPTIONS. Says "skipped" if the directory is not there.
"""
import collections
import csv
import io
import os
import re
import sys

import truth
from truth import ASYNC, WRITE

# (trace, check): how much differs, and why
EXCEPTIONS = {
    ("append2", "content"): (136, "two processes append at once: log order is not the kernel's order"),
    ("ff_append2", "content"): (253, "two processes append at once: log order is not the kernel's order"),
    ("fio_libaio_s0_trap", "fio job 0"): (1, "-s 0 hides every iocb: the entries are counted as hidden"),
    ("fio_libaio_batch48_truncated", "fio job 0"): (1, "-s 32 cuts each batch of 48: counted as hidden"),
    ("fio_iouring", "fio job 0"): (1, "io_uring shows no files and offsets: counted as hidden"),
    ("fio_threads", "fio job 1"): (1, "fio numbers its threads in another order than their files; job 3 has these"),
    ("fio_threads", "fio job 3"): (1, "fio numbers its threads in another order than their files; job 1 has these"),
    ("git_clone", "second opinion"): (2, "it counts two spellings of one path as two files"),
    ("git_clone_y", "second opinion"): (2, "it counts two spellings of one path as two files"),
    ("offsets_y_desc", "second opinion"): (2, "it counts two spellings of one path as two files"),
    ("fio_mmap", "fio job 0"): (1, "memory mappings show no I/O: counted as hidden"),
}

Record = collections.namedtuple(
    "Record", "type start duration offset length file process object path unknown")


class Trace(truth.Conversion):
    """A converted log: its records, %file lines and counts."""

    def __init__(self, tool, source, *options):
        super().__init__(tool, source, "--base=10", *options)
        self.files, self.unknown = {}, set()
        for _, pairs in self.directives("%file"):
            keys = dict(pairs)
            self.files.setdefault(int(keys["id"]), keys.get("path", b"").decode("utf-8", "surrogateescape"))
            if keys.get("offset") == b"unknown":
                self.unknown.add((int(keys["process"]), int(keys["id"])))
        self.records = [self.record(row) for row in self.rows]

    def record(self, r):
        key = (int(r["process"]), int(r["file"]))
        return Record(int(r["type"]), truth.known(r["start"]), truth.known(r["duration"]), truth.offset(r), int(r["length"]),
                      key[1], key[0], int(r["object"]), r["path"], key in self.unknown)

    def count(self, group, name=None):
        value = self.report.get(group, 0)
        return value.get(name, 0) if name and isinstance(value, dict) else (value if not name else 0)

    def sums(self, select):
        """Returns (reads, bytes, writes, bytes) of the records that `select` accepts."""
        out = [0, 0, 0, 0]
        for r in self.records:
            if select(r):
                at = 2 if r.type & WRITE else 0
                out[at] += 1
                out[at + 1] += r.length
        return tuple(out)


class Checker:
    def __init__(self, tool, data):
        self.tool, self.data, self.row = tool, data, None

    def path(self, *parts):
        return os.path.join(self.data, *parts)

    def text(self, *parts):
        """Returns a file of the data, decompressed if necessary; None if it is absent."""
        for suffix in ("", ".zst"):
            p = self.path(*parts) + suffix
            if os.path.exists(p):
                raw = truth.run("zstd", "-dcq", p).stdout if suffix else open(p, "rb").read()
                return raw.decode("utf-8", "surrogateescape")
        return None

    def rows(self, name):
        text = self.text("truth", name)
        return [line.split("\t") for line in text.split("\n") if line and line[0] != "#"]

    def result(self, check, found, expected, extra=""):
        numbers = isinstance(found, int) and isinstance(expected, int)
        differing = abs(found - expected) if numbers else int(found != expected)
        self.row.expect(check, differing, f"{found} for {expected}{', ' * bool(extra)}{extra}"[:300])


def base(path):
    return path.rsplit("/", 1)[-1]


def is_library(path):
    return bool(re.match(r"/(usr/|lib|etc/|proc/|sys/)", path))


def data_records(t):
    return [r for r in t.records if not is_library(r.path)]


def direction(call):
    if call.endswith(".in"):
        return 0
    if call.endswith(".out"):
        return WRITE
    return WRITE if "write" in call else 0


def check_offsets(c, name, t):
    """Compares all scripted transfers in order; files are identified by object, not by name."""
    same = {"c.dat": "d.dat", "d.dat(was c.dat)": "d.dat", "c.dat(new)": "new",
            "c.dat(new, deleted)": "new"}
    rows = [r for r in c.rows("offsets.truth.tsv") if int(r[5]) >= 0]
    got = data_records(t)
    found, identity = 0, {}
    for row, rec in zip(rows, got):
        truth = (direction(row[2]), int(row[4]), int(row[5]))
        who = same.get(row[3], row[3])
        match = truth == (rec.type & WRITE, rec.offset, rec.length) and not rec.unknown
        found += match and identity.setdefault(who, rec.object) == rec.object
    c.result("rows", found, len(rows))
    c.result("no more", len(got), len(rows))
    c.result("objects", len(set(identity.values())), len(identity))


def check_fdfuzz(c, name, t):
    rows = [r for r in c.rows("fdfuzz1.truth.tsv") if r[5].isdigit()]
    got = data_records(t)
    found = flagged = 0
    for row, rec in zip(rows, got):
        truth = (direction(row[2]), row[3], int(row[4]), int(row[5]))
        found += truth == (rec.type & WRITE, base(rec.path), rec.offset, rec.length)
        flagged += rec.unknown
    c.result("rows", found, len(rows), f"{flagged} of files with an unknown offset flagged")
    c.result("no more", len(got), len(rows))


def check_mtpread(c, name, t, truth):
    want = collections.Counter()
    for tid, thread, op, which, offset, _, ret in c.rows(truth):
        path = "in.bin" if which == "in" else f"out.{thread}"
        want[(direction(op), path, int(offset), int(ret))] += 1
    got = collections.Counter((r.type & WRITE, base(r.path), r.offset, r.length)
                              for r in t.records if base(r.path) == "in.bin"
                              or base(r.path).startswith("out."))
    c.result("rows", sum((want & got).values()), sum(want.values()))
    c.result("no more", sum(got.values()), sum(want.values()))


def check_append(c, name, t, content):
    """Compares with the file itself: its record k of process p is that process's k-th write."""
    truth = {}
    for m in re.finditer(r"P(\d+) R(\d+) L(\d+) ", c.text("truth", content)):
        truth[(int(m[1]), int(m[2]))] = (m.start(), int(m[3]))
    writes = [r for r in t.records if base(r.path) == "app.log" and r.type & WRITE]
    best = 0
    pids = sorted({r.process for r in writes})
    for order in (pids, pids[::-1]):
        seen, found = collections.Counter(), 0
        for r in writes:
            key = (order.index(r.process), seen[r.process])
            seen[r.process] += 1
            found += truth.get(key) == (r.offset, r.length)
        best = max(best, found)
    c.result("content", best, len(truth),
             f"{t.count('ambiguous', 'order')} counted as ambiguous")
    c.result("records", len(writes), len(truth))
    c.result("bytes", sum(r.length for r in writes), sum(v[1] for v in truth.values()))


FIO_FILES = {"fio_psync": 16777216, "fio_threads": 2097152, "fio_splice": 2097152,
             "fio_mmap": 1048576}


def check_fio(c, name, t):
    rows = [r for r in csv.DictReader(io.StringIO(c.text("truth", "fio_truth.tsv")), delimiter="\t")
            if r["trace"] == name]
    for row in rows:
        mine = re.compile(r".*/j\." + row["job"] + r"\.\d+$")
        reads, rbytes, writes, wbytes = t.sums(lambda r: mine.match(r.path))
        layout = [r for r in t.records if mine.match(r.path) and r.type & WRITE]
        parts = collections.defaultdict(list)
        for r in layout:
            parts[r.file].append(r)
        # the layout: the first open of each file that is written, from 0 to its end, in sequence
        for file in {r.path: r.file for r in reversed(layout)}.values():
            at = 0
            for r in parts[file]:
                if r.offset != at:
                    break
                at += r.length
            else:
                writes, wbytes = writes - len(parts[file]), wbytes - at
        c.result(f"fio job {row['job']}", (reads, rbytes, writes, wbytes),
                 tuple(int(row[k]) for k in ("read_ios", "read_bytes", "write_ios", "write_bytes")))


# trace: what is hidden, and how much of it must have been counted
HIDDEN = {"fio_libaio_s0_trap": ("io_submit_entries", 128),
          "fio_libaio_batch48_truncated": ("io_submit_entries", 16),
          "fio_iouring": ("io_uring", 1024)}


def raw_lines(c, name):
    p = c.path(name)
    if os.path.isdir(p):
        for f in sorted(os.listdir(p)):
            pid = re.search(r"\.(\d+)(\.zst)?$", f)[1]
            text = c.text(name, re.sub(r"\.zst$", "", f))
            yield from (f"{pid} {line}" for line in text.split("\n"))
    else:
        yield from (c.text(name + ".strace") or "").split("\n")


def check_counters(c, name, counters):
    """Compares with the kernel's sums, without the calls of the wrapper and the ELF headers that exec reads."""
    io_text = dict(line.split() for line in c.text("truth", counters).split("\n") if line)
    wrapper = int(io_text["wrapper"])
    source = source_of(c, name)
    t = Trace(c.tool, source, "--all")
    reads, rbytes, writes, wbytes = t.sums(lambda r: r.process != wrapper and not r.type & ASYNC)
    execs, pending = 0, set()
    for line in raw_lines(c, name):
        pid = line.split(" ", 1)[0]
        if "execve(" in line and " = 0" in line and pid != str(wrapper):
            execs += 1
        elif "execve(" in line and line.endswith("<unfinished ...>"):
            pending.add(pid)
        elif "<... execve resumed>" in line and " = 0" in line and pid in pending:
            execs += pid != str(wrapper)
            pending.discard(pid)
    c.result("wchar", wbytes, int(io_text["wchar"]))
    c.result("rchar", rbytes + 1580 * execs, int(io_text["rchar"]), f"{execs} execs")


# Sentences of the table: trace, path, (reads, bytes, writes, bytes); None: not said
SAID = [
    ("dd_bs4k", "in.bin", (200, 819200, 0, 0)), ("dd_bs4k", "dd.out", (0, 0, 200, 819200)),
    ("dd_short", "in.bin", (4, 3000000, 0, 0)), ("dd_short", "dd2.out", (0, 0, 3, 3000000)),
    ("dd_direct", "in.bin", (32, 2097152, 0, 0)), ("dd_direct", "dd3.out", (0, 0, 32, 2097152)),
    ("cat_reflink", "in.bin", (24, 3000000, 0, 0)), ("cat_reflink", "cp1.out", (0, 0, 23, 3000000)),
    ("tar_create", "tree.tar", (0, 0, 83, 849920)), ("tar_gz_pipe", "tree.tgz", (0, 0, None, 387643)),
    ("tar_extract", "tree.tar", (None, 849920, 0, 0)),
    ("gzip", "in.bin", (None, 3000000, 0, 0)), ("gzip", "in.bin.gz", (0, 0, None, 3000485)),
    ("stderr_nopidts", "ts3.out", (0, 0, None, 3000000)),
    ("stderr_nopidts", "ts4.out", (0, 0, None, 3000000)),
    ("mmap_copy", "mm.out", (1, 10, 0, 0)),
    ("i386_llseek", "i386.dat", (2, 30, 3, 67)),
    ("signals", "partial.dat", (0, 0, 1, 77)), ("signals_stderr", "partial.dat", (0, 0, 1, 77)),
    ("ff_signals", "partial.dat", (0, 0, 1, 77)),
    ("stderr_mixed", "ts1.out", (0, 0, 3, 3000)),
    ("attach_mid_y", "in.bin", (2, 4000, 0, 0)), ("attach_mid", "", (4, 8000, 0, 0)),
    ("python_mix", "py1.bin", (None, None, None, None)),
]
# trace, path: the offsets and lengths of its records, in order
OFFSETS = [
    ("dd_bs4k", "in.bin", 0, [(12288 + 4096 * i, 4096) for i in range(200)]),
    ("dd_bs4k", "dd.out", WRITE, [(20480 + 4096 * i, 4096) for i in range(200)]),
    ("dd_short", "dd2.out", WRITE, [(1000000 * i, 1000000) for i in range(3)]),
    ("tar_create", "tree.tar", WRITE, [(10240 * i, 10240) for i in range(83)]),
    ("cp_sparse", "sp.dat", WRITE, [(500000 + i, 1) for i in range(4)]),
    ("i386_llseek", "i386.dat", WRITE, [(0, 60), (4294967296, 3), (4294967294, 4)]),
    ("i386_llseek", "i386.dat", 0, [(7, 10), (30, 20)]),
    ("mmap_copy", "mm.out", 0, [(5, 10)]),
    ("signals", "partial.dat", WRITE, [(0, 77)]),
]
# trace, path: where the last byte written lies
SIZES = [("dd_bs4k", "dd.out", 839680), ("i386_llseek", "i386.dat", 4294967299),
         ("sqlite_wal", "db2.sqlite", 159744), 
          ("python_mix", "py1.bin", 32000), ("python_mix", "py2.bin", 101900),
         ("python_mix", "py3.bin", 101900), ("python_mix", "dd.dat", 24625),
         ("python_mix", "dd.dir", 852), ("cp_r", "file_40.dat", 39880)]
# A log that has no calls is refused; one that is cut is converted, with a message.
STATUS = {"style_c": 2, "truncated_midline": 1}
STYLES_WITHOUT_DATA = {"style_c", "style_Z", "style_efile"}


def check_said(c, name, t):
    for trace, path, said in SAID:
        if trace == name:
            got = t.sums(lambda r: base(r.path) == path and not is_library(r.path))
            got = tuple(None if s is None else g for s, g in zip(said, got))
            c.result(path or "(no name)", got, said)
    for trace, path, way, want in OFFSETS:
        if trace == name:
            got = [(r.offset, r.length) for r in t.records
                   if base(r.path) == path and r.type & WRITE == way]
            c.result(path + " offsets", sum(a == b for a, b in zip(got, want)), len(want))
            c.result(path + " no more", len(got), len(want))
    for trace, path, size in SIZES:
        if trace == name:
            end = max((r.offset + r.length for r in t.records
                       if base(r.path) == path and r.type & WRITE), default=0)
            c.result(path + " end", end, size)


def check_tree(c, name, t):
    """Compares with 40 files: file_i.dat has 997 * i bytes."""
    for way, folder in {"cp_r": ((0, "tree"), (WRITE, "tree2")), "tar_create": ((0, "tree"),),
                        "tar_extract": ((WRITE, "x"),)}.get(name, ()):
        got = collections.Counter()
        for r in t.records:
            if re.search(r"file_\d+\.dat$", r.path) and r.type & WRITE == way and \
                    (name != "cp_r" or re.search(r"(^|/)" + folder + "/", r.path)):
                got[int(re.search(r"file_(\d+)\.dat$", r.path)[1])] += r.length
        c.result(f"bytes in {folder}", sum(got[i] == 997 * i for i in range(1, 41)), 40)


def check_many(c, name, t):
    found = 0
    for i in range(300):
        mine = [(r.type & WRITE, r.offset, r.length) for r in t.records
                if re.search(rf"file_0*{i}\.dat$", r.path)]
        at = 10 if i % 2 == 0 else 0
        want = [(WRITE, 0, 500), (WRITE, 500, 500 + i)]
        while at < 1000 + i:
            n = min(700, 1000 + i - at)
            want.append((0, at, n))
            at += n
        want.append((0, at, 0))
        found += [w for w in want if w[2]] == [m for m in mine if m[2]]
    c.result("files", found, 300)
    _, _, writes, wbytes = t.sums(lambda r: not is_library(r.path))
    c.result("written", (writes, wbytes), (600, 344850))


def check_style(c, name, t):
    reads = [(r.offset, r.length) for r in t.records
             if base(r.path) == "in.bin" or (name == "style_raw" and r.length == 1000
                                             and not r.type & WRITE)]
    writes = [(r.offset, r.length) for r in t.records
              if base(r.path) == "ts.out" or (name == "style_raw" and r.length == 1000
                                              and r.type & WRITE)]
    n = 3 if name == "style_inject" else 5
    want = [(1000 * i, 1000) for i in range(n)]
    c.result("in.bin", reads, want, "")
    c.result("ts.out", writes, want[:2] if name == "style_inject" else want, "")


def plain(path):
    """Returns a path as the second implementation writes it: without escapes and unknown directories."""
    path = re.sub(r"\\x([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), path)
    path = path.encode("latin-1", "replace").decode("utf-8", "surrogateescape")
    return re.sub(r"^\?/", "", path)


def check_second(c, name, t, second):
    """Another implementation's sums by path: only a second opinion. It has names as opened, we the
    real ones where the log shows them: then sums alone are compared, whatever the name."""
    want = {plain(row[2]): tuple(map(int, row[3:7])) for row in second.get(name, ())
            if row[1] == "file" and not row[2].startswith("/dev/")}
    if not want or name == "style_raw" or name.startswith("stderr_"):
        return
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for r in t.records:
        s = sums[t.files.get(r.file, "")]
        at = 2 if r.type & WRITE else 0
        s[at] += 1
        s[at + 1] += r.length
    got = {path: tuple(s) for path, s in sums.items()}
    exact = {path for path in want if got.get(path) == want[path]}
    left = collections.Counter(got[p] for p in got if p not in exact)
    differ = []
    for path in sorted(set(want) - exact):
        if left[want[path]] > 0:
            left[want[path]] -= 1
        else:
            differ.append((path, want[path]))
    c.result("second opinion", len(want) - len(differ), len(want),
             "; ".join(f"{p} {w}" for p, w in differ[:3]))


def source_of(c, name):
    for suffix in (".strace", ".strace.zst", ".tar.zst", ""):
        if os.path.exists(c.path(name + suffix)):
            return c.path(name + suffix)
    return None


def check(c, table, name, second):
    t = Trace(c.tool, source_of(c, name))
    resyncs = t.count("position", "resynced")
    c.row = table.row(name, *t.sizes(), sum(r.unknown for r in t.records), resyncs, t.report.get("unparsed", 0))
    c.result("status", t.status, STATUS.get(name, 0), t.message)
    if name != "style_c":
        c.result("resyncs", resyncs, 0)
    if name.startswith("offsets"):
        check_offsets(c, name, t)
    elif "fdfuzz" in name:
        check_fdfuzz(c, name, t)
    elif "mtpread" in name:
        check_mtpread(c, name, t, name.replace("ff_mtpread", "mtpread_ff") + ".truth.tsv")
    elif "append2" in name:
        check_append(c, name, t, {"append2": "append2.content",
                                  "ff_append2": "append2_ff.content"}[name])
    elif name.startswith("fio_"):
        check_fio(c, name, t)
    elif name.startswith("many300"):
        check_many(c, name, t)
    elif name.startswith("style_") and name not in STYLES_WITHOUT_DATA:
        check_style(c, name, t)
    if name in HIDDEN:
        c.result("hidden", t.count("hidden", HIDDEN[name][0]), HIDDEN[name][1])
    check_said(c, name, t)
    check_tree(c, name, t)
    counters = {"ff_gitlocal": "git_ff"}.get(name, name) + ".io"
    if os.path.exists(c.path("truth", counters)):
        check_counters(c, name, counters)
    check_second(c, name, t, second)
    c.row.tell(c.row.checks)
    c.row.end()


def names(data):
    for f in sorted(os.listdir(data)):
        if re.search(r"\.strace(\.zst)?$", f) or f.startswith("ff_"):
            yield re.sub(r"(\.strace|\.tar)?(\.zst)?$", "", f)


def main():
    tool, data, chosen = truth.arguments(__doc__)
    c = Checker(tool, data)
    second = collections.defaultdict(list)
    for line in (c.text("truth", "second_implementation_per_file.tsv") or "").split("\n"):
        row = line.split("\t")
        if len(row) >= 7:
            second[re.sub(r"\.strace(\.zst)?$", "", row[0])].append(row)
    table = truth.Table("trace:28", "records:7 read:10 written:10 unknown:7 resynced:8 unparsed:8 checks:6",
                        exceptions=EXCEPTIONS)
    for name in chosen or names(data):
        check(c, table, name, second)
    table.end()
    return truth.finish("strace", table)


if __name__ == "__main__":
    sys.exit(main())
