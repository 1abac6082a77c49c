#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the findings of iotrace analyze with those that the conditions of other tools give for the same logs of Darshan.

	darshan_findings.py IOTRACE DIRECTORY

DIRECTORY has logs in own/ and samples/, and the outputs of darshan-parser --all in ref/own/ and ref/samples/ as NAME.parser-all.txt.xz.
The conditions are those of Drishti 0.5 (codes such as P05) and of DFAnalyzer (names), evaluated here from the records that darshan-parser
prints. Each difference needs a reason; one without is an error. Prints Markdown.
"""
import json
import lzma
import os
import subprocess
import sys
from collections import defaultdict

from darshan_figures import is_big_endian

SMALL = ("0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M")
# What is compared: conditions of Drishti and DFAnalyzer, and findings.
FAMILIES = {
    "small reads": (("P05", "small_reads"), ("small_requests_r",)),
    "small writes": (("P06", "small_writes"), ("small_requests_w",)),
    "small reads of shared files": (("P15",), ("small_requests_shared_r",)),
    "small writes of shared files": (("P16",), ("small_requests_shared_w",)),
    "alignment": (("P08",), ("misaligned", "misaligned_r", "misaligned_w")),
    "reads again": (("P09",), ("read_again",)),
    "random reads": (("P11", "random_operations"), ("random_r",)),
    "random writes": (("P13", "random_operations"), ("random_w",)),
    "metadata": (("P17", "excessive_metadata_access"), ("metadata",)),
    "stragglers": (("P19",), ("stragglers",)),
    "imbalance": (("P18", "P21", "P22"), ("imbalance",)),
    "collective reads": (("M02",), ("no_collective_r",)),
    "collective writes": (("M03",), ("no_collective_w",)),
    "streams": (("S01",), ("stream_io",)),
}
# Of findings that no condition corresponds to.
ALONE = ("rank_0", "one_shared_file", "fits_in_memory", "overlap_possible")


class Log:
    """The records of a log: by module and (file, rank) the counters by name."""

    def __init__(self, path):
        self.records = {module: defaultdict(dict) for module in ("POSIX", "MPI-IO", "STDIO")}
        with lzma.open(path, "rt", errors="surrogateescape") as lines:
            for line in lines:
                fields = line.split("\t")
                if not line.startswith("#") and len(fields) > 4 and fields[0] in self.records:
                    name = fields[3].split("_", 1)[1]
                    self.records[fields[0]][fields[2], int(fields[1])][name] = float(fields[4])

    def sum(self, module, *names, shared=False):
        return sum(record.get(name, 0) for (_, rank), record in self.records[module].items() if rank < 0 or not shared for name in names)

    def most(self, name):
        return max((record.get(name, 0) for record in self.records["POSIX"].values()), default=0)

    def shared(self):
        return [record for (_, rank), record in self.records["POSIX"].items() if rank < 0]

    def small(self, direction, shared=False):
        return self.sum("POSIX", *(f"SIZE_{direction}_{size}" for size in SMALL), shared=shared)


def many(part, whole, share, least):
    return part > least and part > share * whole


def drishti(log):
    """Yields the codes of the conditions that hold, except of those that only describe (P01 to P04, P12, P14, M01, M04 to M10)."""
    posix, mpiio, stdio = (log.sum(module, "BYTES_READ", "BYTES_WRITTEN") for module in log.records)
    total = stdio + mpiio + (posix - mpiio if posix >= mpiio else posix)
    operations = log.sum("POSIX", "READS", "WRITES")
    if stdio > 0.1 * total:
        yield "S01"
    for small, shared, random, name in (("P05", "P15", "P11", "READ"), ("P06", "P16", "P13", "WRITE")):
        n, n_shared = log.sum("POSIX", name + "S"), log.sum("POSIX", name + "S", shared=True)
        if many(log.small(name), n, 0.1, 1000):
            yield small
        if many(log.small(name, shared=True), n_shared, 0.1, 1000):
            yield shared
        if many(n - log.sum("POSIX", f"SEQ_{name}S"), n, 0.2, 1000):
            yield random
    if log.sum("POSIX", "FILE_NOT_ALIGNED") > 0.1 * operations:
        yield "P08"
    if log.most("MAX_BYTE_READ") > log.sum("POSIX", "BYTES_READ"):
        yield "P09"
    if log.most("F_META_TIME") > 30:
        yield "P17"
    for code, most, least, names in (("P18", "SLOWEST_RANK_BYTES", "FASTEST_RANK_BYTES", ("BYTES_READ", "BYTES_WRITTEN")),
                                     ("P19", "F_SLOWEST_RANK_TIME", "F_FASTEST_RANK_TIME", ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"))):
        if any(abs(r.get(most, 0) - r.get(least, 0)) > 0.15 * sum(r.get(name, 0) for name in names) for r in log.shared()):
            yield code
    by_file = defaultdict(list)
    for (file, rank), record in log.records["POSIX"].items():
        if rank >= 0:
            by_file[file].append(record)
    for code, name in (("P21", "BYTES_WRITTEN"), ("P22", "BYTES_READ")):
        sizes = [[record.get(name, 0) for record in of] for of in by_file.values()]
        if any(max(size) - min(size) > 0.3 * max(size) for size in sizes):
            yield code
    for code, name in (("M02", "READS"), ("M03", "WRITES")):
        if log.sum("MPI-IO", "COLL_" + name) == 0 and log.sum("MPI-IO", "INDEP_" + name) > 1000:
            yield code


def dfanalyzer(log):
    """Yields the names of the rules that hold for the sums of the log, except of those that only describe."""
    times = {name: log.sum("POSIX", f"F_{name}_TIME") for name in ("READ", "WRITE", "META")}
    time, count = sum(times.values()), log.sum("POSIX", "READS", "WRITES")
    if time > 0 and times["META"] >= 0.5 * time:
        yield "excessive_metadata_access"
    if count and count - log.sum("POSIX", "SEQ_READS", "SEQ_WRITES") > 0.5 * count:
        yield "random_operations"
    for rule, name, size in (("small_reads", "READ", "BYTES_READ"), ("small_writes", "WRITE", "BYTES_WRITTEN")):
        if time > 0 and times[name] > 0.5 * time and log.sum("POSIX", size) < 262144 * count:
            yield rule


def found(tool, path):
    """Returns the findings, and those that are trivial."""
    done = subprocess.run([tool, "analyze", "-q", "--json", "--section=findings", path], capture_output=True, check=True)
    findings = {finding["code"] for finding in json.loads(done.stdout)["findings"]}
    done = subprocess.run([tool, "analyze", "-q", "--tsv", "--section=findings", path], capture_output=True, check=True, text=True)
    trivial = {line.split("\t")[2] for line in done.stdout.splitlines() if line.startswith("findings\ttrivial_saves\t")}
    return findings, trivial


def reason(family, theirs, ours, trivial, log, path):
    """Returns why one of both has found something and the other has not; None if no reason is known."""
    if trivial:
        return "trivial: it concerns less than 1 % of the run, 1 ms or 64 KiB, and the value `trivial_saves` names it"
    if family == "reads again":
        if theirs:
            return "P09 holds if the highest offset exceeds the bytes read, which a read of a part of a file does; up to 10 % of the bytes were read again"
        return "P09 compares the highest offset with the bytes of all files; iotrace knows the bytes that were read or written before"
    if family == "alignment":
        if ours:
            return "Darshan compares with the alignment of the file system that the log names, iotrace with 4 KiB (`--alignment`)"
        return "Darshan compares with the alignment of the file system, which may be larger than the 4 KiB of `--alignment`"
    if family.startswith("small") and theirs and not theirs & {"P05", "P06", "P15", "P16"}:
        return "DFAnalyzer needs a mean below 256 KiB but no minimal number; iotrace, as Drishti, more than 1000 requests"
    if family.startswith("small") and ours:
        return "files of several processes that the log has as records of each rank: Drishti knows shared files by their records of rank -1"
    if family.startswith("random"):
        if theirs == {"random_operations"}:
            return "DFAnalyzer adds reads and writes, and has no minimal number; iotrace needs more than 1000 of a direction that go back"
        return "iotrace finds streams of random order by their strides, whatever their number"
    if family == "metadata":
        return "DFAnalyzer's condition holds for the sums of all ranks, iotrace's for a process"
    if family == "stragglers" and is_big_endian(path):
        return "darshan-parser misreads the metadata time of big-endian logs as 0, with which P19 holds"
    if family == "stragglers":
        return "from records the times are unions of the requests of each process; Darshan's include metadata operations"
    if family == "imbalance":
        if theirs:
            return "P18, P21, P22 compare the ranks that use a file; iotrace all bytes of each process, which are even, or unknown from counters"
        return "iotrace compares all bytes of each process, the conditions only those of one file"
    if family == "streams" and theirs and log.records["MPI-IO"]:
        return "Drishti subtracts the bytes of MPI-IO from those of POSIX"
    return None


def cell(codes):
    return ", ".join(sorted(codes)) or "-"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tool, base = sys.argv[1:]
    logs = [(group, name[:-8]) for group in ("own", "samples") for name in sorted(os.listdir(os.path.join(base, group)))
            if name.endswith(".darshan")]
    rows, reasons, errors, agreed, alone = [], defaultdict(list), [], 0, defaultdict(int)
    for group, name in logs:
        log = Log(os.path.join(base, "ref", group, name + ".parser-all.txt.xz"))
        peers, rules = set(drishti(log)), set(dfanalyzer(log))
        path = os.path.join(base, group, name + ".darshan")
        ours, trivial = found(tool, path)
        rows.append((name.split("_id")[0], cell(peers), cell(rules), cell(ours), cell(trivial)))
        for code in ALONE:
            alone[code] += code in ours
        for family, (conditions, findings) in FAMILIES.items():
            theirs, mine = (peers | rules) & set(conditions), ours & set(findings)
            if bool(theirs) == bool(mine):
                agreed += bool(theirs)
                continue
            why = reason(family, theirs, mine, trivial & set(findings), log, path)
            if why:
                reasons[f"{family}, {'found by the conditions alone' if theirs else 'found by iotrace alone'}: {why}"].append(name)
            else:
                errors.append(f"{name}: {family}: conditions {cell(theirs)}, findings {cell(mine)}")
    print("| log | Drishti | DFAnalyzer | iotrace | trivial |\n|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(f"\n{agreed} times a condition and a finding agree.")
    print("No condition corresponds to " + ", ".join(f"`{code}` ({n} logs)" for code, n in alone.items()) + ".\n")
    for why, names in sorted(reasons.items()):
        print(f"* {why} ({len(names)} logs).")
    print(*errors, sep="\n", file=sys.stderr, end="\n" if errors else "")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
