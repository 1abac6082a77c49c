#!/usr/bin/env python3
"""Compares the totals that several commands print of the same file: stat, analyze, top, info and slice,
and the sums over the rows of every table with the totals.

    same_totals.py IOTRACE PATH...

A PATH is a trace, a log, or a directory of them; files that no command reads are left out. Prints a line
for each difference, and the number of compared files and figures.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

STAT_TABLES = ["object", "file", "process", "rank", "host", "dir"]
ANALYZE_TABLES = ["file", "process", "rank", "host", "dir"]
COUNTS = ["reads", "writes", "read_bytes", "written_bytes", "opens", "io_ns"]


class Comparison:
    def __init__(self, iotrace):
        self.iotrace, self.files, self.figures, self.wrong = iotrace, 0, 0, []

    def run(self, *arguments):
        done = subprocess.run([self.iotrace, *arguments], capture_output=True, timeout=120)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    def json(self, *arguments):
        """Returns the parsed output, or None if the command refuses the file."""
        code, out, _ = self.run(*arguments)
        return json.loads(out) if code in (0, 2) and out else None

    def equal(self, path, what, *values):
        """Compares the values that commands know: (name, value) pairs; None is unknown."""
        known = [pair for pair in values if pair[1] is not None]
        self.figures += len(known) > 1
        if len({value for _, value in known}) > 1:
            self.wrong.append(f"{path}: {what}: " + ", ".join(f"{n} {v}" for n, v in known))


def total(rows, key):
    """The sum over rows; None if a row does not know its value."""
    values = [row.get(key) for row in rows]
    return None if None in values else sum(values)


def stat_figures(c, path):
    """Returns what stat says of all I/O, after it has compared the tables."""
    first = c.json("stat", "-q", "--json", path)
    if first is None:
        return None
    for by in STAT_TABLES:
        table = c.json("stat", "-q", "--json", f"--by={by}", path)
        for name in COUNTS:
            c.equal(path, f"stat --by={by} {name}", ("total", first["total"].get(name)),
                    ("this total", table["total"].get(name)), ("rows", total(table["rows"], name)))
    by_op = c.json("stat", "-q", "--json", "--by=op", path)
    c.equal(path, "stat --by=op calls", ("first", total(first["operation_list"], "calls")),
            ("rows", total(by_op["operation_list"], "calls")))
    return first


def with_other_kinds(values, name):
    """The figure with records of metadata, read-ahead and virtual memory, which are not requests of the program."""
    number = values["totals"].get(name)
    if number is None or name in ("opens", "io_ns"):
        return number
    kinds = values["trace"]["other_bytes" if name.endswith("bytes") else "other_requests"]
    direction = "writes" if name.startswith("wr") else "reads"
    return number + sum(n or 0 for key, n in kinds.items() if key.endswith(direction))


def analyze_figures(c, path, stat):
    values = c.json("analyze", "-q", "--json", path)
    if values is None:
        return None
    others = sum(n or 0 for n in values["trace"]["other_requests"].values())
    if stat is not None:
        for name in COUNTS:
            if name == "io_ns" and others > 0:
                continue
            c.equal(path, name, ("analyze", with_other_kinds(values, name)), ("stat", stat["total"].get(name)))
    return values


def compare_operations(c, path, stat, values):
    """Operations by name: stat has reads and writes among them."""
    calls = values.get("metadata", {}).get("calls")
    if calls is None or stat is None:
        return
    failed, ns = values["metadata"]["failed"], values["metadata"]["operation_ns"]
    for row in stat["operation_list"]:
        name = row["name"]
        if name in ("read", "write") and name not in calls:
            continue
        c.equal(path, f"calls of {name}", ("stat", row["calls"]), ("analyze", calls.get(name)))
        c.equal(path, f"failed {name}", ("stat", row["failed"]), ("analyze", failed.get(name)))
        c.equal(path, f"time of {name}", ("stat", row["operation_ns"]), ("analyze", ns.get(name)))


def compare_analyze_tables(c, path, values):
    for by in ANALYZE_TABLES:
        table = c.json("analyze", "-q", "--json", f"--by={by}", path)
        for name in COUNTS:
            rows = total(table["rows"], name)
            c.equal(path, f"analyze --by={by} {name}", ("total", values["totals"].get(name)), ("rows", rows))


def compare_info(c, path, stat, values):
    info = c.json("info", "-q", "--json", path)
    if info is None or stat is None:
        return
    of = info["physical" if stat["layer"] == "physical" else "logical"]
    for name in ("reads", "writes", "read_bytes", "written_bytes"):
        c.equal(path, name, ("info", of[name]), ("stat", stat["total"].get(name)))


def compare_top(c, path, stat):
    code, out, _ = c.run("top", "-q", "--once", "--json", path)
    if code != 0 or not out or stat is None:
        return
    top = json.loads(out.splitlines()[-1])
    for name in COUNTS:
        c.equal(path, name, ("top", top["total"].get(name)), ("stat", stat["total"].get(name)))


def compare_slice(c, path):
    """An empty slice makes slice say what is in the trace."""
    _, _, said = c.run("slice", "-q", "--process=4294967295", "-o", os.devnull, path)
    found = re.search(r"(\d+) records, which start from ([\d.]+) to ([\d.]+) s", said)
    info = c.json("info", "-q", "--json", path)
    if not found or info is None:
        return
    c.equal(path, "records", ("slice", int(found[1])), ("info", info["records"]))
    for at, name in ((2, "first_ns"), (3, "last_start_ns")):
        c.equal(path, name, ("slice", found[at]), ("info", f"{info[name] / 1e9:.6f}"))


def compare(c, path, trace):
    """trace: the same events as a trace, which top and slice read."""
    stat = stat_figures(c, path)
    values = analyze_figures(c, path, stat)
    if values is not None:
        compare_operations(c, path, stat, values)
    if values is not None and stat is not None and stat["total"]["reads"] is not None:
        compare_analyze_tables(c, path, values)
    compare_info(c, path, stat, values)
    compare_top(c, trace, stat)
    compare_slice(c, trace)
    c.files += stat is not None


def paths_of(arguments):
    for argument in arguments:
        if not os.path.isdir(argument):
            yield argument
        for folder, _, names in sorted(os.walk(argument)):
            yield from (os.path.join(folder, name) for name in sorted(names))


def main():
    c = Comparison(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "converted.iot")
        for path in paths_of(sys.argv[2:]):
            code, _, _ = c.run("convert", "-q", "-o", trace, path)
            compare(c, path, trace if code in (0, 2) and os.path.exists(trace) else path)
            if os.path.exists(trace):
                os.unlink(trace)
    print("\n".join(c.wrong + [f"{c.files} files, {c.figures} figures, {len(c.wrong)} differ"]))
    return 1 if c.wrong or c.figures == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
