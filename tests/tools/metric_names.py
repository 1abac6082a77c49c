# SPDX-License-Identifier: BSD-2-Clause
"""Checks that every value which analyze prints of files is a metric of docs/metrics.md.

    metric_names.py IOTRACE PATH...

Files that analyze does not read are left out. Prints a line for each name that is not defined, and the
number of values.
"""
import os
import re
import subprocess
import sys

TABLE = re.compile(r"^\| `(\w+)`[^|]* \| [^|]* \| ([^|]*) \|", re.M)
OPTIONS = [[], ["--layer=physical"], ["--dependencies", "--working-set"]]
BY = ["file", "process", "rank", "host", "dir", "op"]
KEYS = {"key"}  # the first column of a table


def defined():
    """The names in results: of each metric, and of its directions."""
    with open("docs/metrics.md", encoding="utf-8") as file:
        for name, unit in TABLE.findall(file.read()):
            yield name
            if "by direction" in unit:
                yield from (("reads", "writes") if name == "requests" else
                            ("read_" + name, ("written_" if "bytes" in name else "write_") + name))
            if "of operations" in unit:
                yield "operation_" + name


def values(iotrace, path, *options):
    out = subprocess.run([iotrace, "analyze", "-q", "--tsv", *options, path], capture_output=True, timeout=120).stdout
    return [line.split("\t") for line in out.decode(errors="replace").splitlines()]


def names(iotrace, path):
    for options in OPTIONS:
        for section, name, *_ in values(iotrace, path, *options)[1:]:
            if section != "map":
                yield name
    for by in BY:
        yield from (set(values(iotrace, path, "--by=" + by)[:1][0]) - KEYS if values(iotrace, path, "--by=" + by) else ())


def main():
    known, count, missing = set(defined()), 0, {}
    paths = [os.path.join(at, name) for top in sys.argv[2:] for at, _, inside in os.walk(top) for name in inside] or sys.argv[2:]
    for path in sorted(paths):
        for name in names(sys.argv[1], path):
            count += 1
            if name not in known:
                missing.setdefault(name, path)
    for name, path in sorted(missing.items()):
        print(f"{path}: '{name}' is not in docs/metrics.md")
    print(f"{count} values, {len(missing)} names without a definition")
    sys.exit(1 if missing else 0)


main()
