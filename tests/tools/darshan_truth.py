#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the output of `iotrace convert` for Darshan logs with exact dumps of the same logs.

	darshan_truth.py IOTRACE DATA_DIRECTORY [LOG...]

DATA_DIRECTORY has own/ and samples/ (NAME.darshan) and ref/own/, ref/samples/: NAME.exact.tsv.xz by
an independent decoder, NAME.parser-all.txt.xz and NAME.dxt.txt.xz as Darshan's tools print them. One
row per log (truth.py): records and bytes of either layer, counters, then how many differ; exit status 1
if anything does that is not named, with a reason, in EXCEPTIONS. Says "skipped" if the directory is not
there.

	dump      segments of both layers, in order, against the exact dump: start, duration, offset, length,
	          direction, process, record, path and host
	unknown   of these, those that must be marked so: the log itself does not know their offset
	counters  every counter of the exact dump, and of the modules that it does not have those of the text;
	          of APMPI, which neither has, those of the log as darshan_modules.py knows it
	text      the same log out of the text of the tools: rows to their four decimals, every counter
	totals    the log's own counters for each file and rank against its records, by --check
"""
import collections
import lzma
import os
import struct
import sys
import tempfile
import zlib

import darshan_modules
import truth

NS = 10**9
LAYERS = {"DXT_POSIX": "posix", "DXT_MPIIO": "mpiio"}

LAST = "DXT ran out of memory, the last operations are in the counters only (section 7)"
VERSION_1 = "offsets of MPI-IO are not stored before version 2 of DXT_MPIIO (section 7)"
# (log, reference): how much differs, and why; sections are those of darshan.md beside the data
EXCEPTIONS = {
    ("partial_dxt", "totals"): (4, LAST),
    ("partial_dxt_bigendian", "totals"): (4, LAST),
    ("mpi-io-test-ppc64-3.1.6", "unknown"): (8, VERSION_1),
    ("mpi-io-test-x86_64-3.1.3", "unknown"): (8, VERSION_1),
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

    def records(self, layer, time):
        """Returns (start, duration, offset or None, length, write, process, record id), in the order of the file."""
        out = []
        for record, s, _ in self.segments[layer]:
            start, end, offset = time(s[4]), time(s[5]), int(s[2])
            if offset < 0 or (layer == "mpiio" and self.modules["DXT_MPIIO"] == 1):
                offset = None
            out.append((start, max(end - start, 0), offset, max(int(s[3]), 0), s[1] == "w",
                        int(record[3]) + 1, record[2]))
        return out


class Trace(truth.Conversion):
    """The converted log: records in the form of the dump, counters by (module, record id, rank)."""

    def __init__(self, iotrace, path, *options):
        super().__init__(iotrace, path, "--check", *options)
        self.files, self.hosts, self.epoch = {}, {}, 0
        self.counters, self.zeros = collections.defaultdict(list), collections.Counter()
        for name, pairs in self.directives("%trace", "%process", "%file", "%counter"):
            self.directive(name, pairs, dict(pairs))

    def directive(self, name, pairs, values):
        if name == "%file":
            self.files[(values["process"], values["id"])] = values
        elif name == "%process":
            self.hosts[values["id"]] = values.get("host")
        elif name == "%trace":
            self.epoch = int(values.get("epoch", b"0"))
        elif "bytes-skipped" not in values:
            key = tuple(values[k].decode() for k in ("source", "record", "rank"))
            self.counters[key] += [(k, v.decode()) for k, v in pairs if k[0].isupper()]
            self.zeros[key] += int(values.get("zeros", b"0"))

    def name_zeros(self, wanted):
        """Adds the counters of `wanted` that are not named, of records with as many zeros."""
        for key, counters in wanted.items():
            names = collections.Counter(name for name, _ in self.counters.get(key, []))
            missing = list((collections.Counter(name for name, _ in counters) - names).elements())
            if self.zeros[key] > 0 and self.zeros[key] == len(missing):
                self.counters[key] += [(name, "0") for name in missing]

    def file(self, row):
        return self.files[(row["process"].encode(), row["file"].encode())]

    def records(self, start):
        """Returns the same as Dump.records; times count from the start of the job."""
        for row in self.rows:
            file = self.file(row)
            unknown = not row["offset"] and truth.offset(row) == 0
            yield (int(row["start"]) + self.epoch - start, int(row["duration"]),
                   None if unknown else truth.offset(row), int(row["length"]),
                   int(row["type"]) & truth.WRITE != 0, int(row["process"]), file["source-id"].decode())


def same_double(text, wanted):
    return float(text) == float(wanted) or (float(text) != float(text) and float(wanted) != float(wanted))


def compare_counters(got, wanted, doubles_exact=True):
    """Returns the number of differences and the number of comparisons."""
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
    """Reads a region of one or more zlib streams from a little-endian log."""
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
    """Returns the lines of darshan-parser: (module, id, rank) -> names and values."""
    out = collections.defaultdict(list)
    with lzma.open(path, "rt", encoding="latin-1") as file:
        for line in file:
            f = line.rstrip("\n").split("\t")
            if line[0] != "#" and len(f) >= 8 and (modules is None or f[0] in modules):
                out[(f[0], f[2], f[1])].append((f[3], f[4]))
    return out


LUSTRE_OLD = {"LUSTRE_STRIPE_SIZE": "LUSTRE_COMP1_STRIPE_SIZE", "LUSTRE_STRIPE_WIDTH": "LUSTRE_COMP1_STRIPE_COUNT"}


def compare_with_text(got, zeros, wanted):
    """Modules that the dump does not have: integers are the same, doubles to six decimals. The tools
    spread OSTs over components, spell patterns, and print old LUSTRE records as if they were new."""
    bad = total = 0
    for key, counters in wanted.items():
        mine = {}
        for name, value in got.get(key, []):
            mine[LUSTRE_OLD.get(name, name)] = value
        ost = not_named = 0
        for name, value in counters:
            if "_OST_ID_" in name:
                name, ost = f"LUSTRE_OST_ID_{ost}", ost + 1
            if key[0] == "LUSTRE" and (value == "N/A" or name not in mine):
                continue  # not in the log
            if key[0] == "H5D" and name == "H5D_FILE_REC_ID" and name not in mine:
                continue  # version 1
            total += 1
            have = mine.get(name)
            if have is None and value in ("0", "0.000000"):
                not_named += 1
            elif have is None:
                bad += 1
            elif name.endswith("STRIPE_PATTERN"):
                bad += (have, value) != ("0", "raid0")
            elif "_F_" in name and "REC_ID" not in name:
                bad += f"{float(have):.6f}" != value
            else:
                bad += have != value
        bad += abs(not_named - zeros[key])
    return bad, total


def exact_time(seconds):
    return int(float(seconds) * 1e9 + 0.5)


def row_time(seconds):
    """Rounds to four decimals, as printed."""
    whole, _, decimals = f"{float(seconds):.4f}".partition(".")
    return int(whole) * NS + int(decimals) * 100000


def difference(got, wanted):
    if got == wanted:
        return 0, ""
    for i, (a, b) in enumerate(zip(got, wanted)):
        if a != b:
            return sum(x != y for x, y in zip(got, wanted)) + abs(len(got) - len(wanted)), f"at {i}: {a} for {b}"
    return abs(len(got) - len(wanted)), f"{len(got)} for {len(wanted)} records"


def ordered(records):
    """Sorts stably by start: a Darshan record is already sorted by start, end, writes first."""
    return sorted(records, key=lambda r: r[0])


def per_record(dump, layer):
    """Returns the records of the dump; those of each Darshan record are in the order of its timeline."""
    groups, out = collections.OrderedDict(), []
    for (record, _, _), r in zip(dump.segments[layer], dump.records(layer, exact_time)):
        groups.setdefault(id(record), []).append(r)
    for group in groups.values():
        order = sorted(range(len(group)), key=lambda i: (group[i][0], group[i][0] + group[i][1],
                                                         not group[i][4], i))
        out += [group[i] for i in order]
    return ordered(out)


def check_records(row, dump, layer, trace):
    got, wanted = list(trace.records(dump.start)), per_record(dump, layer)
    row.expect(f"{layer}: exit status", trace.status, trace.message)
    row.differ("dump", len(wanted), *difference(got, wanted))
    row.expect(f"{layer}: paths", sum(trace.file(r).get("path", b"") != dump.names.get(w[6], b"")
                                     for r, w in zip(trace.rows, wanted)))
    hosts = {str(int(r[3]) + 1).encode(): unescape(r[5]) for r, _, _ in dump.segments[layer]}
    row.expect(f"{layer}: hosts", sum(trace.hosts.get(k) != v for k, v in hosts.items()))


def check_counters(row, log, ref, dump, trace):
    wanted = dict(dump.counters)
    wanted.update(heatmap_counters(dump))
    if "APMPI" in dump.places:
        wanted.update(apmpi_counters(log, *dump.places["APMPI"]))
    trace.name_zeros(wanted)
    have = {k: v for k, v in trace.counters.items() if k in wanted or k[0] not in TEXT_MODULES}
    bad, total, extra = compare_counters(have, wanted)
    text = text_counters(ref + ".parser-all.txt.xz", ("LUSTRE", "H5F", "H5D", "BG/Q"))
    more_bad, more = compare_with_text(trace.counters, trace.zeros, text)
    row.tell(total + more)
    row.differ("counters", total + more, bad + extra + more_bad)


def check_text(row, iotrace, dump, ref):
    with tempfile.TemporaryDirectory() as scratch:
        for kind in ("parser-all", "dxt"):
            with lzma.open(f"{ref}.{kind}.txt.xz") as packed, open(os.path.join(scratch, kind), "wb") as file:
                file.write(packed.read())
        rows = Trace(iotrace, os.path.join(scratch, "dxt"), "--layer=both")
        counters = Trace(iotrace, os.path.join(scratch, "parser-all"))
    for what, trace in (("rows", rows), ("text", counters)):
        row.expect(f"{what}: exit status", trace.status, trace.message)
        row.expect(f"{what}: not understood", trace.report.get("unparsed", 0))
    key = lambda r: tuple(-1 if x is None else x for x in r)
    wanted = sorted((r for layer in LAYERS.values() for r in dump.records(layer, row_time)), key=key)
    bad, where = difference(sorted(rows.records(dump.start // NS * NS), key=key), wanted)
    text = text_counters(ref + ".parser-all.txt.xz")
    bad_text = sum(sorted(counters.counters.get(k, [])) != sorted(v) for k, v in text.items())
    bad_text += len(counters.counters) - len(text)
    row.differ("text", len(wanted) + len(text), bad + bad_text, f"{where}, {bad_text} records of counters")


def total(report):
    return "; ".join("{what} of {where}: {source_sum}, in the records {records_sum}".format(**d)
                     for d in report.get("first_differences", ()))


def check_log(row, iotrace, log, ref, dump):
    reports = []
    for layer in LAYERS.values():
        trace = Trace(iotrace, log, f"--layer={layer}")
        row.tell(*trace.sizes())
        check_records(row, dump, layer, trace)
        reports.append(trace.report)
        if layer == "posix":
            posix = trace
    check_counters(row, log, ref, dump, posix)
    check_text(row, iotrace, dump, ref)
    row.differ("totals", sum(r.get("check", {}).get("compared", 0) for r in reports),
               sum(r.get("differences", 0) for r in reports), "; ".join(map(total, reports)).strip("; "))
    row.differ("unknown", sum(map(len, dump.segments.values())),
               sum(r.get("unknown", {}).get("offset_records", 0) for r in reports))
    row.end()


def main():
    iotrace, data, names = truth.arguments(__doc__)
    table = truth.Table("log:32", "form:4 POSIX:6 read:10 written:10 MPI-IO:6 read:10 written:10 counters:8",
                        "dump:5 counters:8 text:5 totals:6 unknown:7", EXCEPTIONS)
    for folder in ("own", "samples"):
        for file in sorted(os.listdir(os.path.join(data, folder))):
            name = file[:-len(".darshan")]
            if file.endswith(".darshan") and (not names or name in names):
                ref = os.path.join(data, "ref", folder, name)
                dump = Dump(ref + ".exact.tsv.xz")
                check_log(table.row(name, dump.version), iotrace, os.path.join(data, folder, file), ref, dump)
    table.end()
    return truth.finish("Darshan", table)


if __name__ == "__main__":
    sys.exit(main())
