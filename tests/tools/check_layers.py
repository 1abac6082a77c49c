# SPDX-License-Identifier: BSD-2-Clause
"""Checks the structure of the code.

    check_layers.py BUILD

* Every include is allowed by the table "Allowed includes" in ARCHITECTURE.md: files of the same directory, and
  those that match a pattern of its row. A header NAME_internal.h is included from its own directory only.
* No files call each other in a cycle (by the symbols of the objects in BUILD), except those that
  tests/tools/allowed_cycles.txt lists. A listed cycle that no longer exists has to be removed there.
* No struct, union or enum tag names two types.
* Commands write results with the printers of cli/print: no other file of cli/ writes tabs, or uses the writer of
  JSON. OTHER_FORMS lists the files whose output is not a result.
"""
import collections
import glob
import os
import re
import subprocess
import sys

DIRECTORIES = ("include", "lib", "record", "converters", "cli")
CYCLES = "tests/tools/allowed_cycles.txt"
# Other formats of traces, the map of anonymize, and the lists of options that shells complete.
OTHER_FORMS = ("cli/print/", "cli/export/", "cli/ui/json.", "cli/cmd_anonymize.c", "cli/main.c", "cli/ui/options_help.c")
WRITES_TAB = r"""\b(?:output_\w+|f?printf|f?puts|f?putc|putchar|fwrite)\([^;]*?\\t"""
WRITES_JSON = r"\bjson_(?:open|close|text|number|signed|null|exact|bool|string)\("


def sources():
    for top in DIRECTORIES:
        for suffix in "ch":
            yield from sorted(glob.glob(f"{top}/**/*.{suffix}", recursive=True))


def allowed_includes():
    """Returns the table in ARCHITECTURE.md: directory -> patterns."""
    with open("ARCHITECTURE.md") as file:
        section = re.search(r"^## Allowed includes\n(.*?)(?=^## |\Z)", file.read(), re.M | re.S)
    table = {}
    for row in re.finditer(r"^\| `([^`]+)/` \|(.*)\|$", section.group(1) if section else "", re.M):
        table[row.group(1)] = re.findall(r"`([^`]+)`", row.group(2))
    return table


def resolved(source, name):
    for path in (os.path.join(os.path.dirname(source), name), name, os.path.join("include", name)):
        if os.path.exists(path):
            return os.path.normpath(path)
    return None


def is_allowed(source, header, patterns):
    if os.path.dirname(header) == os.path.dirname(source):
        return True
    if header.endswith("_internal.h"):
        return False
    return any(header.startswith(p) if p.endswith("/") else header == p for p in patterns)


def wrong_includes():
    table = allowed_includes()
    for source in sources():
        directory = os.path.dirname(source)
        if directory not in table:
            yield f"{source}: ARCHITECTURE.md has no row for {directory}/"
            continue
        with open(source) as file:
            for number, line in enumerate(file, 1):
                found = re.match(r'\s*#\s*include\s+(?:"([^"]+)"|<(iotrace/[^>]+)>)', line)
                header = resolved(source, found.group(1) or found.group(2)) if found else None
                if header and not is_allowed(source, header, table[directory]):
                    yield f"{source}:{number}: {directory}/ may not include {header}"


def calls(build):
    """Returns the dependencies: file -> files whose functions or data it uses."""
    defined, used = {}, collections.defaultdict(set)
    for source in sources():
        path = os.path.join(build, source[:-2] + ".o")
        if source.endswith(".h"):
            continue
        table = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        for kind, name in re.findall(r"^\s*[0-9a-f]* ([A-Za-z]) (\S+)$", table, re.M):
            if kind == "U":
                used[source].add(name)
            elif kind.isupper():
                defined[name] = source
    return {source: {defined[name] for name in names if name in defined} - {source}
            for source, names in used.items()}


def cycles(graph):
    """Returns the strongly connected components of more than one file (Tarjan's algorithm)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            component = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(component) > 1:
                found.append(frozenset(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def wrong_cycles(build):
    with open(CYCLES) as file:
        allowed = [frozenset(line.split()) for line in file if line.strip() and line[0] != "#"]
    found = cycles(calls(build))
    for cycle in found:
        if not any(cycle <= one for one in allowed):
            yield "files that call each other in a cycle: " + " ".join(sorted(cycle))
    for one in allowed:
        if one not in found:
            yield f"{CYCLES} lists a cycle that does not exist: " + " ".join(sorted(one))


def double_tags():
    places = collections.defaultdict(list)
    for source in sources():
        with open(source) as file:
            for number, line in enumerate(file, 1):
                found = re.match(r"(?:static |const )*(struct|union|enum) (\w+) \{", line)
                if found:
                    places[found.group(2)].append((source, number))
    for tag, where in sorted(places.items()):
        if len(where) > 1:
            yield f"{tag} names {len(where)} types: " + ", ".join(f"{f}:{n}" for f, n in where)


def other_printers():
    for source in sources():
        if not source.startswith("cli/") or source.startswith(OTHER_FORMS):
            continue
        with open(source) as file:
            text = file.read()
        for pattern, what in (WRITES_TAB, "tabs"), (WRITES_JSON, "JSON"):
            for found in re.finditer(pattern, text):
                line = text.count("\n", 0, found.start()) + 1
                yield f"{source}:{line}: writes {what}, which only cli/print may do"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wrong = [*wrong_includes(), *wrong_cycles(sys.argv[1]), *double_tags(), *other_printers()]
    for sentence in wrong:
        print(sentence)
    sys.exit(len(wrong) > 0)


if __name__ == "__main__":
    main()
