#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares what `iotrace convert` makes of Darshan logs with exact dumps of the same logs.

	darshan_truth.py IOTRACE DATA_DIRECTORY [LOG...]

DATA_DIRECTORY has own/ and samples/ (NAME.darshan) and ref/own/, ref/samples/: NAME.exact.tsv.xz by
an independent decoder, NAME.parser-all.txt.xz and NAME.dxt.txt.xz as Darshan's tools print them. One
line per log; exit status 1 if anything differs that is not named, with a reason, in EXCEPTIONS. Says
"skipped" if the directory is not there.

	records   segments of both layers, in order, against the dump: start, duration, offset, length,
	          direction, process, record and path
	counters  every counter of the dump, and of the modules that it does not have those of the text;
	          of APMPI, which neither has, those of the log as darshan_modules.py knows it
	text      the same log out of the text of the tools: rows to their four decimals, every counter
"""
import collections
import csv
import io
import json
import lzma
import os
import struct
import subprocess
import sys
import tempfile
import urllib.parse
import zlib

import darshan_modules

NS = 10**9
WRITE = 0x40
LAYERS = {"DXT_POSIX": "posix", "DXT_MPIIO": "mpiio"}

# (log, check): why it may differ
EXCEPTIONS = {
    ("partial_dxt", "check"): "DXT ran out of memory: 7,574 operations are in the counters only",
    ("partial_dxt_bigendian", "check"): "DXT ran out of memory: 7,574 operations are in the counters only",
}
# What the dump does not have and the text only in part.
TEXT_MODULES = ("LUSTRE", "H5F", "H5D", "BG/Q", "HEATMAP")


def unescape(text):
    return text.encode("latin-1").decode("unicode_escape").encode("latin-1") if "\\" in text else text.encode("latin-1")


class Dump:
    def __init__(self, path):
        self.names, self.counters, self.heatmaps = {}, collections.defaultdict(list), []
        self.segments = {"posix": [], "mpiio": []}
        self.version, self.modules, self.places = "", {}, {}
        order = 0
        with lzma.open(path, "rt", encoding="latin-1", newline="\n") as file:
            for line in file:
                f = line.rstrip("\n").split("\t")
                if f[0] == "H" and f[1] == "version":
                    self.version = f[2]
                elif f[0] == "M":
                    self.modules[f[1]] = int(f[2])
                    self.places[f[1]] = (int(f[3]), int(f[4]))
                elif f[0] == "J" and f[1] not in ("metadata", "exe", "mount"):
                    self.start = int(f[2]) * NS + max(int(f[3]), 0)
                    self.ranks = int(f[6])
                elif f[0] == "N":
                    if not self.names.get(f[1]):
                        self.names[f[1]] = unescape(f[2])
                elif f[0] == "C":
                    self.counters[(f[1], f[2], f[3])].append((f[4], f[5]))
                elif f[0] == "B":
                    self.heatmaps.append(f)
                elif f[0] == "R":
                    record, reads_at = f, 0
                elif f[0] == "S":
                    order += 1
                    self.segments[LAYERS[record[1]]].append((record, f, order))

    def records(self, layer, per_log_version):
        """(start, duration, offset or None, length, write, process, record id), in order."""
        out, sort = [], []
        for record, s, order in self.segments[layer]:
            start = int(float(s[4]) * 1e9 + 0.5)
            end = int(float(s[5]) * 1e9 + 0.5)
            offset = int(s[2])
            if offset < 0 or (layer == "mpiio" and self.modules["DXT_MPIIO"] == 1):
                offset = None
            out.append((start, max(end - start, 0), offset, max(int(s[3]), 0), s[1] == "w",
                        int(record[3]) + 1, record[2]))
        return out


def run(*args):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Trace:
    """What was converted: records as the dump has them, counters by (module, record id, rank)."""

    def __init__(self, iotrace, path, *options):
        with tempfile.TemporaryDirectory() as scratch:
            out, report = os.path.join(scratch, "t.iot"), os.path.join(scratch, "r.json")
            self.run = run(iotrace, "convert", "-q", "--check", f"--report={report}", "-o", out, *options, path)
            self.report = json.load(open(report)) if os.path.exists(report) else {}
            text = open(out, "rb").read() if os.path.exists(out) else b""
            cat = run(iotrace, "cat", "--format=csv", "--names", "--ns", out)
        self.directives = [line[3:].decode() for line in text.split(b"\n") if line.startswith(b"ff %")]
        self.files, self.hosts, self.epoch, self.trace = {}, {}, None, {}
        self.counters = collections.defaultdict(list)
        for d in self.directives:
            self.directive(d.split(" "))
        self.rows = []
        for row in csv.DictReader(io.StringIO(cat.stdout.decode("utf-8", "surrogateescape"))):
            self.rows.append(row)

    def directive(self, words):
        keys = [w.split("=", 1) for w in words[1:]]
        values = {k: urllib.parse.unquote_to_bytes(v) for k, v in keys}
        if words[0] == "%file":
            self.files[(values["process"], values["id"])] = values
        elif words[0] == "%process":
            self.hosts[values["id"]] = values.get("host")
        elif words[0] == "%trace":
            self.trace = values
            self.epoch = int(values.get("epoch", b"0"))
        elif words[0] == "%counter" and "bytes-skipped" not in values:
            key = (values["source"].decode(), values["record"].decode(), values["rank"].decode())
            self.counters[key] += [(k, v.decode()) for k, v in (
                (k, values[k]) for k, _ in keys) if k[0].isupper()]

    def records(self, start):
        """As Dump.records; times from the start of the job."""
        for row in self.rows:
            file = self.files[(row["process"].encode(), row["file"].encode())]
            unknown = int(row["offset"]) == 0 and file.get("offset") == b"unknown"
            yield (int(row["start"]) + self.epoch - start, int(row["duration"]),
                   None if unknown else int(row["offset"]), int(row["length"]),
                   int(row["type"]) & WRITE != 0, int(row["process"]), file["source-id"].decode())


def same_double(text, wanted):
    return float(text) == float(wanted) or (float(text) != float(text) and float(wanted) != float(wanted))


def compare_counters(got, wanted, doubles_exact=True):
    """How many differ, of how many."""
    bad = total = 0
    for key, counters in wanted.items():
        have = collections.Counter()
        values = collections.defaultdict(list)
        for name, value in got.get(key, []):
            values[name].append(value)
        for name, value in counters:
            total += 1
            mine = values[name].pop(0) if values[name] else None
            if mine is None or not (mine == value or (darshan_modules.is_seconds(name) and same_double(mine, value))):
                bad += 1
    extra = sum(len(v) for k, v in got.items() if k not in wanted)
    return bad, total, extra


def apmpi_counters(log, at, size):
    """Of a log for which that is enough: a region of one or more zlib streams, little endian."""
    with open(log, "rb") as file:
        packed, data = file.read()[at:at + size], b""
    while packed:
        stream = zlib.decompressobj()
        data += stream.decompress(packed)
        packed = stream.unused_data
    out, names = collections.defaultdict(list), darshan_modules.HEADS["APMPI"]
    while data:
        ident, rank = struct.unpack_from("<Qq", data)
        data = data[16:]
        for name in names:
            value, used = darshan_modules.value(name, data)
            out[("APMPI", str(ident), str(rank))].append((name, value))
            data = data[used:]
        names = darshan_modules.apmpi(1)
    return out


def heatmap_counters(dump):
    out = collections.defaultdict(list)
    for f in dump.heatmaps:
        key = ("HEATMAP", f[1], f[2])
        out[key].append(("HEATMAP_F_BIN_WIDTH_SECONDS", f[3]))
        for i, v in enumerate(x for x in f[5].split(",") if x):
            out[key].append((f"HEATMAP_WRITE_BIN_{i}", v))
        for i, v in enumerate(x for x in f[6].split(",") if x):
            out[key].append((f"HEATMAP_READ_BIN_{i}", v))
    return out


def text_counters(path, modules=None):
    """Lines of darshan-parser: (module, id, rank) to names and values."""
    out = collections.defaultdict(list)
    with lzma.open(path, "rt", encoding="latin-1") as file:
        for line in file:
            f = line.rstrip("\n").split("\t")
            if line[0] != "#" and len(f) >= 8 and (modules is None or f[0] in modules):
                out[(f[0], f[2], f[1])].append((f[3], f[4]))
    return out


LUSTRE_OLD = {"LUSTRE_STRIPE_SIZE": "LUSTRE_COMP1_STRIPE_SIZE", "LUSTRE_STRIPE_WIDTH": "LUSTRE_COMP1_STRIPE_COUNT"}


def compare_with_text(got, wanted):
    """Modules that the dump does not have: integers are the same, doubles to six decimals. The tools
    spread OSTs over components, spell patterns, and print old LUSTRE records as if they were new."""
    bad = total = 0
    for key, counters in wanted.items():
        mine = {}
        for name, value in got.get(key, []):
            mine[LUSTRE_OLD.get(name, name)] = value
        ost = 0
        for name, value in counters:
            if "_OST_ID_" in name:
                name, ost = f"LUSTRE_OST_ID_{ost}", ost + 1
            if key[0] == "LUSTRE" and (value == "N/A" or name not in mine):
                continue  # not in the log
            if key[0] == "H5D" and name == "H5D_FILE_REC_ID" and name not in mine:
                continue  # version 1
            total += 1
            have = mine.get(name)
            if have is None:
                bad += 1
            elif name.endswith("STRIPE_PATTERN"):
                bad += (have, value) != ("0", "raid0")
            elif "_F_" in name and "REC_ID" not in name:
                bad += f"{float(have):.6f}" != value
            else:
                bad += have != value
    return bad, total


def row_time(seconds):
    """As printed: four decimals."""
    whole, _, decimals = f"{float(seconds):.4f}".partition(".")
    return int(whole) * NS + int(decimals) * 100000


class Check:
    def __init__(self, name):
        self.name, self.cells, self.wrong, self.excused = name, [], [], []

    def add(self, what, count, detail=""):
        if count == 0:
            return
        if (self.name, what) in EXCEPTIONS:
            self.excused.append(f"{what}: {EXCEPTIONS[(self.name, what)]}")
        else:
            self.wrong.append(f"{what}: {count} {detail}")


def difference(got, wanted):
    if got == wanted:
        return 0, ""
    for i, (a, b) in enumerate(zip(got, wanted)):
        if a != b:
            return sum(x != y for x, y in zip(got, wanted)) + abs(len(got) - len(wanted)), f"at {i}: {a} for {b}"
    return abs(len(got) - len(wanted)), f"{len(got)} for {len(wanted)} records"


def ordered(records):
    """Stable by start: a record of Darshan's is by start, end, writes first already."""
    return sorted(records, key=lambda r: r[0])


def per_record(dump, layer):
    """The dump's records, those of each record of Darshan's in the order of its timeline."""
    groups, out = collections.OrderedDict(), []
    for (record, _, _), r in zip(dump.segments[layer], dump.records(layer, None)):
        groups.setdefault(id(record), []).append(r)
    for group in groups.values():
        order = sorted(range(len(group)), key=lambda i: (group[i][0], group[i][0] + group[i][1],
                                                         not group[i][4], i))
        out += [group[i] for i in order]
    return ordered(out)


def check_log(iotrace, log, ref):
    name = os.path.basename(log)[:-len(".darshan")]
    check, dump = Check(name), Dump(ref + ".exact.tsv.xz")
    counts = []
    for layer in ("posix", "mpiio"):
        trace = Trace(iotrace, log, f"--layer={layer}")
        got, wanted = list(trace.records(dump.start)), per_record(dump, layer)
        check.add(f"{layer} records", *difference(got, wanted))
        check.add(f"{layer} exit status", trace.run.returncode)
        paths = sum(trace.files[(r["process"].encode(), r["file"].encode())].get("path", b"") !=
                    dump.names.get(w[6], b"") for r, w in zip(trace.rows, wanted))
        check.add(f"{layer} paths", paths)
        hosts = {str(int(r[3]) + 1): unescape(r[5]) for r, _, _ in dump.segments[layer]}
        check.add(f"{layer} hosts", sum(trace.hosts.get(k.encode()) != v for k, v in hosts.items()))
        check.add("check", trace.report.get("differences", 0), str(trace.report.get("first_differences", ""))[:300])
        counts.append((len(got), sum(r[3] for r in got if not r[4]), sum(r[3] for r in got if r[4])))
        if layer == "posix":
            posix = trace
    wanted = dict(dump.counters)
    wanted.update(heatmap_counters(dump))
    if "APMPI" in dump.places:
        wanted.update(apmpi_counters(log, *dump.places["APMPI"]))
    have = {k: v for k, v in posix.counters.items() if k in wanted or k[0] not in TEXT_MODULES}
    bad, total, extra = compare_counters(have, wanted)
    check.add("counters", bad + extra, f"of {total}")
    text = text_counters(ref + ".parser-all.txt.xz", ("LUSTRE", "H5F", "H5D", "BG/Q"))
    bad, more = compare_with_text(posix.counters, text)
    check.add("counters of other modules", bad, f"of {more}")
    check_text(iotrace, check, dump, ref)
    (n, r, w), (m, mr, mw) = counts
    print(f"{name[:44]:44} {dump.version} {n:7} {r:12} {w:12} {m:6} {mr:11} {mw:11} {total + more:7} "
          f"{len(check.wrong):5}")
    for line in check.wrong:
        print(f"    WRONG {line}")
    for line in check.excused:
        print(f"    named: {line}")
    return len(check.wrong)


def check_text(iotrace, check, dump, ref):
    with tempfile.TemporaryDirectory() as scratch:
        for kind in ("parser-all", "dxt"):
            with lzma.open(f"{ref}.{kind}.txt.xz") as packed:
                open(os.path.join(scratch, kind), "wb").write(packed.read())
        rows = Trace(iotrace, os.path.join(scratch, "dxt"), "--layer=both")
        counters = Trace(iotrace, os.path.join(scratch, "parser-all"))
    check.add("rows exit status", rows.run.returncode)
    check.add("rows not understood", rows.report.get("unparsed", 0))
    start = dump.start // NS * NS
    wanted = []
    for layer in ("posix", "mpiio"):
        for record, s, _ in dump.segments[layer]:
            offset = None if int(s[2]) < 0 or (layer == "mpiio" and dump.modules["DXT_MPIIO"] == 1) else int(s[2])
            a, b = row_time(s[4]), row_time(s[5])
            wanted.append((a, b - a, offset, int(s[3]), s[1] == "w", int(record[3]) + 1, record[2]))
    got = list(rows.records(start))
    key = lambda r: tuple(-1 if x is None else x for x in r)
    check.add("rows", *difference(sorted(got, key=key), sorted(wanted, key=key)))
    check.add("text exit status", counters.run.returncode)
    check.add("text not understood", counters.report.get("unparsed", 0))
    text = text_counters(ref + ".parser-all.txt.xz")
    bad = sum(sorted(counters.counters.get(k, [])) != sorted(v) for k, v in text.items())
    check.add("text counters", bad + len(counters.counters) - len(text), f"of {len(text)} records")


def main():
    iotrace, data = sys.argv[1:3]
    if not os.path.isdir(data):
        print(f"skipped: {data} is not there")
        return 0
    names, wrong, logs = sys.argv[3:], 0, 0
    print(f"{'log':44} form {'POSIX':>7} {'bytes read':>12} {'written':>12} {'MPI-IO':>6} {'read':>11} "
          f"{'written':>11} {'counters':>7} wrong")
    for folder in ("own", "samples"):
        for file in sorted(os.listdir(os.path.join(data, folder))):
            name = file[:-len(".darshan")]
            if file.endswith(".darshan") and (not names or name in names):
                logs += 1
                wrong += check_log(iotrace, os.path.join(data, folder, file), os.path.join(data, "ref", folder, name))
    print(f"darshan: {logs} logs, {wrong} differences that are not named")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
