#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the section `counters` of iotrace analyze with the output of darshan-parser --all, log by log.

	darshan_figures.py IOTRACE DIRECTORY

DIRECTORY has logs in own/ and samples/, and the outputs in ref/own/ and ref/samples/ as NAME.parser-all.txt.xz. Every figure that both
give is compared: totals of counters, classes of request sizes, common sizes and strides, files, and times of the slowest ranks. Numbers
have to be equal, times in all digits that darshan-parser prints. Differences that are known, each with its reason, are counted
separately; any other one is an error. Prints Markdown.
"""
import json
import lzma
import os
import re
import subprocess
import sys

MODULES = {"POSIX": "POSIX", "MPIIO": "MPI-IO", "STDIO": "STDIO"}
CLASSES = {"0_100": "0-100", "100_1K": "100-1K", "1K_10K": "1K-10K", "10K_100K": "10K-100K", "100K_1M": "100K-1M", "1M_4M": "1M-4M",
           "4M_10M": "4M-10M", "10M_100M": "10M-100M", "100M_1G": "100M-1G", "1G_PLUS": "1G+"}
SUMS = {"reads": ("READS", "INDEP_READS", "COLL_READS", "SPLIT_READS", "NB_READS"),
        "writes": ("WRITES", "INDEP_WRITES", "COLL_WRITES", "SPLIT_WRITES", "NB_WRITES"),
        "read_bytes": ("BYTES_READ",), "written_bytes": ("BYTES_WRITTEN",), "opens": ("OPENS", "INDEP_OPENS", "COLL_OPENS"), "seeks": ("SEEKS",),
        "stat_calls": ("STATS",), "mmaps": ("MMAPS",), "syncs": ("FSYNCS", "FDSYNCS", "SYNCS", "FLUSHES"),
        "read_consecutive_requests": ("CONSEC_READS",), "write_consecutive_requests": ("CONSEC_WRITES",), "read_sequential_requests": ("SEQ_READS",),
        "write_sequential_requests": ("SEQ_WRITES",), "direction_switches": ("RW_SWITCHES",), "unaligned_requests": ("FILE_NOT_ALIGNED",),
        "read_collective_requests": ("COLL_READS",), "write_collective_requests": ("COLL_WRITES",)}
TIMES = {"read_time_ns": "F_READ_TIME", "write_time_ns": "F_WRITE_TIME", "operation_time_ns": "F_META_TIME"}
FILES = {"total": ("all",), "read_only": ("read-only",), "write_only": ("write-only",), "read_write": ("read/write",),
         "unique": ("unique",), "shared": ("shared", "part-shared")}
RATES = {"unique files: slowest_rank_io_time": "slowest_unique_ns", "unique files: slowest_rank_meta_only_time": "slowest_unique_operations_ns",
         "shared files: time_by_slowest": "slowest_shared_ns", "agg_time_by_slowest": "slowest_ns"}


def printed(path):
    """Returns what darshan-parser printed of each module: totals, files, and times by name."""
    out, module = {}, None
    with lzma.open(path, "rt", errors="surrogateescape") as lines:
        for line in lines:
            found = re.match(r"# (\S+) module data", line)
            if found:
                module = {"MPI-IO": "MPIIO"}.get(found[1], found[1])
            found = re.match(r"total_(POSIX|MPIIO|STDIO)_(\S+): (\S+)", line)
            if found:
                out.setdefault(found[1], {"totals": {}, "files": {}, "rates": {}})["totals"][found[2]] = found[3]
            if module not in out:
                continue
            found = re.match(r"# (total|read_only|write_only|read_write|unique|shared): (\d+) (\d+) (-?\d+)", line)
            if found:
                out[module]["files"][found[1]] = [int(found[i]) for i in (2, 3, 4)]
            found = re.match(r"# ([a-z_ :]+): (-?[\d.]+|inf|-?nan)\b", line)
            if found:
                out[module]["rates"][found[1]] = found[2]
    return out


def near(ns, text):
    """Whether a time is that of a text, which has a number of digits after the point."""
    return abs(ns / 1e9 - float(text)) <= 0.5 * 10.0 ** -len(text.partition(".")[2]) + 1e-9 + abs(ns) * 1e-15


def common(totals, kind, value):
    """Returns the common values of darshan-parser with their counts."""
    pairs = [(int(totals[f"{kind}{i}_{value}"]), int(totals[f"{kind}{i}_COUNT"])) for i in range(1, 5)]
    return {value: count for value, count in pairs if count > 0}


def figures(values, reference):
    """Yields the name of each figure, whether it is equal, and both values."""
    for prefix, ref in reference.items():
        module, totals = MODULES[prefix], ref["totals"]
        of = {name: keys[module] for name, keys in values.items() if module in keys}
        for name, counters in SUMS.items():
            expected = [int(totals[c]) for c in counters if c in totals]
            if not expected or name not in of:
                continue
            total = sum(expected) if min(expected) >= 0 else None
            yield f"{module} {name}", of[name] == total, of[name], total
        for name, counter in ((n, c) for n, c in TIMES.items() if c in totals):
            yield f"{module} {name}", near(of[name], totals[counter]), of[name], totals[counter]
        for name, counter in (("read_size_classes", "SIZE_READ_"), ("write_size_classes", "SIZE_WRITE_")):
            agg = "AGG_" if prefix == "MPIIO" else ""
            for key, label in CLASSES.items():
                if counter + agg + key in totals:
                    found, expected = values[name][f"{module} {label}"], int(totals[counter + agg + key])
                    yield f"{module} {name} {label}", found == expected, found, expected
        for name, kind, value in (("common_size", "ACCESS", "ACCESS"), ("common_stride", "STRIDE", "STRIDE")):
            if f"{kind}1_COUNT" in totals:
                expected = common(totals, kind, value)
                found = {int(key.split(" ")[1]): n for key, n in values.get(name, {}).items() if key.split(" ")[0] == module}
                yield f"{module} {name}", found == expected, found, expected
        for name, classes in FILES.items():
            if name not in ref["files"]:
                continue
            count, size, last = ref["files"][name]
            sums = [sum(values[column][f"{module} {c}"] for c in classes) for column in ("files", "file_bytes")]
            yield f"{module} files {name}", sums[0] == count, sums[0], count
            yield f"{module} file_bytes {name}", sums[1] == size, sums[1], size
            if last >= 0 and module != "MPI-IO":
                found = max(values["file_extents"][f"{module} {c}"] for c in classes)
                yield f"{module} file_extents {name}", found == last, found, last
        for label, name in RATES.items():
            if label in ref["rates"]:
                yield f"{module} {name}", near(of[name], ref["rates"][label]), of[name], ref["rates"][label]
        if "agg_perf_by_slowest" in ref["rates"]:
            found, expected = (of["slowest_bytes_per_s"] or 0) / 2**20, float(ref["rates"]["agg_perf_by_slowest"])
            yield f"{module} slowest_bytes_per_s", abs(found - expected) <= 1e-6 * max(1, expected), found, expected
        if "unique files: slowest_rank" in ref["rates"] and of["slowest_rank"] is not None:
            found, expected = of["slowest_rank"], int(ref["rates"]["unique files: slowest_rank"])
            yield f"{module} slowest_rank", found == expected, found, expected


def is_big_endian(log):
    with open(log, "rb") as file:
        return int.from_bytes(file.read(16)[8:], "big") == 6567223


def known(name, found, expected, ref, log):
    """Returns the reason of a difference that is none of iotrace; None if there is none."""
    if re.search("common_(size|stride)", name):
        least = min(expected.values(), default=0)
        if all(found.get(v, n) == n for v, n in expected.items()) and all(n >= least for n in found.values()):
            return "of values with equal counts, another one"
        return "darshan-parser keeps four values while it adds records, iotrace all"
    if name == "POSIX md_time" and is_big_endian(log):
        return "darshan-parser misreads the last times of records of big-endian machines"
    if name.startswith("STDIO") and float(ref["STDIO"]["totals"].get("F_WRITE_TIME", 0)) < 0:
        return "times below 0 in records of the log count as 0, darshan-parser adds them"
    if name.endswith("file_extents shared"):
        return "darshan-parser adds the highest bytes of shared and partially shared files, iotrace takes the highest"
    return None


def compare(tool, log, reference):
    done = subprocess.run([tool, "analyze", "-q", "--json", "--section=counters", log], capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{log}: {done.stderr.decode()}")
    values, ref = json.loads(done.stdout).get("counters", {}), printed(reference)
    equal, reasons, errors = 0, {}, []
    for name, same, found, expected in figures(values, ref):
        reason = None if same else known(name, found, expected, ref, log)
        equal += same
        if reason:
            reasons.setdefault(reason, []).append(name)
        elif not same:
            errors.append(f"{os.path.basename(log)}: {name}: {found}, darshan-parser {expected}")
    return equal, reasons, errors


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    words = sys.argv[1:]
    rows, failed = [], []
    for folder in ("own", "samples"):
        for name in sorted(os.listdir(os.path.join(words[1], folder))):
            reference = os.path.join(words[1], "ref", folder, name.removesuffix(".darshan") + ".parser-all.txt.xz")
            if name.endswith(".darshan") and os.path.exists(reference):
                equal, reasons, errors = compare(words[0], os.path.join(words[1], folder, name), reference)
                rows.append((name.removesuffix(".darshan"), equal, sum(map(len, reasons.values())), len(errors), reasons))
                failed += errors
    print("| log | equal figures | explained | other |\n|---|---|---|---|")
    for name, equal, explained, errors, _ in rows:
        print(f"| {name} | {equal} | {explained} | {errors} |")
    reasons = {}
    for row in rows:
        for reason, names in row[4].items():
            reasons.setdefault(reason, []).extend(names)
    print()
    for reason, names in sorted(reasons.items()):
        print(f"* {', '.join(sorted(set(names)))} ({len(names)} times): {reason}.")
    print(*failed, sep="\n")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
