# SPDX-License-Identifier: BSD-2-Clause
"""Code shared by the comparisons with reference data (*_truth.py): a parsed conversion and a table.

A table has a row for each input: its name, what it holds, the differences to each reference ("-" where
there is none), how many of them are named, and how many are wrong. What is named follows its row, with
the reason why nobody can tell it from the input.
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse

WRITE, ASYNC = 0x40, 0x08


def run(*command):
    return subprocess.run(command, capture_output=True)


def arguments(usage):
    """IOTRACE, DATA_DIRECTORY, and the names that follow; without the directory there is nothing to do. What
    the columns are stands above them."""
    if len(sys.argv) < 3:
        sys.exit(usage)
    if not os.path.isdir(sys.argv[2]):
        print(f"skipped: {sys.argv[2]} is not there")
        sys.exit(0)
    print(usage)
    return sys.argv[1], sys.argv[2], sys.argv[3:]


def known(field):
    """Returns a number of a row; None if the field is empty, because the source does not contain it."""
    return int(field) if field else None


def offset(row):
    """Returns the offset of a record; relative to an unknown base if the trace has no other."""
    return int(row["offset"] or row["relative_offset"])


class Conversion:
    """The output of `iotrace convert` for SOURCE; `trace` is None if there is none."""

    def __init__(self, tool, source, *options, before=()):
        with tempfile.TemporaryDirectory() as scratch:
            out, report = os.path.join(scratch, "t.iot"), os.path.join(scratch, "r.json")
            done = run(*before, tool, "convert", "-q", "--format-version=1", "-o", out, f"--report={report}", *options, source)
            self.status, self.message = done.returncode, done.stderr.decode(errors="replace").strip()
            self.report, self.trace, text = {}, None, b""
            if os.path.exists(report):
                with open(report) as file:
                    self.report = json.load(file)
            if os.path.exists(out):
                with open(out, "rb") as file:
                    self.trace = file.read()
                text = run(tool, "cat", "--format=csv", "--columns=raw", "--names", "--unknown", "--ns", out).stdout
        self.rows = list(csv.DictReader(io.StringIO(text.decode("utf-8", "surrogateescape"), newline="")))

    def directives(self, *names):
        """Returns the directives of these names (all if none is given), each with its keys and values in order."""
        for line in (self.trace or b"").split(b"\n"):
            words = line.split(b" ")
            if words[0] in (b"ff", b"255") and len(words) > 1 and words[1][:1] == b"%":
                name = words[1].decode()
                if not names or name in names:
                    pairs = (word.partition(b"=") for word in words[2:])
                    yield name, [(key.decode(), urllib.parse.unquote_to_bytes(value)) for key, _, value in pairs]

    def bytes(self, write):
        return sum(int(row["length"]) for row in self.rows if bool(int(row["type"]) & WRITE) == write)

    def sizes(self):
        return len(self.rows), self.bytes(False), self.bytes(True)


class Row:
    def __init__(self, table, name, cells):
        self.table, self.name, self.cells, self.differences = table, name, cells, {}
        self.checks, self.named, self.wrong, self.used = 0, [], [], set()

    def tell(self, *cells):
        self.cells += cells

    def excuse(self, count, why):
        self.named.append((count, why))

    def expect(self, what, differing, detail=""):
        """Adds a check: nothing differs, or exactly the listed exceptions."""
        self.checks += 1
        count, why = self.table.exceptions.get((self.name, what), (0, None))
        self.used.add(what)
        if why and differing == count:
            self.excuse(count, ": ".join(filter(None, (what, detail, why))))
        elif differing or count:
            text = f"{what}: {differing} differ" + (f", {count} are named" if count else "")
            self.wrong.append((abs(differing - count), ": ".join(filter(None, (text, detail)))))

    def count(self, reference, compared, differing):
        """Sets the text in the column of the reference."""
        before = self.differences.get(reference, (0, 0))
        self.differences[reference] = (before[0] + compared, before[1] + differing)

    def differ(self, reference, compared, differing, detail=""):
        self.count(reference, compared, differing)
        self.expect(reference, differing, detail)

    def end(self, note=""):
        for name, what in self.table.exceptions:
            if name == self.name and what not in self.used:
                self.checks += 1
                self.wrong.append((1, f"{what}: named, and not looked for"))
        cells = [self.name, *self.cells]
        for reference in self.table.references:
            compared, differing = self.differences.get(reference, (0, 0))
            cells.append(differing if compared or differing else "-")
        named, wrong = (sum(count for count, _ in lines) for lines in (self.named, self.wrong))
        self.table.add(self, [*cells, named, wrong], note)


class Table:
    """COLUMNS and REFERENCES: "title:width ..."; EXCEPTIONS: (row, check): (how much differs, why)."""

    def __init__(self, name, columns, references="", exceptions=None):
        titles = [title.split(":") for title in f"{name} {columns} {references} named:6 wrong:6".split()]
        self.widths = [int(width) for _, width in titles]
        self.references = [title.split(":")[0] for title in references.split()]
        self.exceptions = exceptions or {}
        self.rows = self.passed = self.failed = 0
        self.sums = [""] * len(titles)
        self.print([title for title, _ in titles])

    def print(self, cells, note=""):
        width = self.widths[0]
        name = cells[0] if len(cells[0]) <= width else cells[0][:width - 3] + "..."
        cells = [f"{name:{width}}", *(f"{cell:>{w}}" for cell, w in zip(cells[1:], self.widths[1:]))]
        print(*cells, *([note] if note else []), flush=True)

    def row(self, name, *cells):
        return Row(self, name, list(cells))

    def add(self, row, cells, note):
        self.print(cells, note)
        for kind, lines in (("named", row.named), ("WRONG", row.wrong)):
            for count, text in lines:
                print(f"    {kind} {count}: {text}")
        self.rows += 1
        self.passed += row.checks - len(row.wrong)
        self.failed += len(row.wrong)
        self.sums = [(a or 0) + b if isinstance(b, int) else a for a, b in zip(self.sums, cells)]

    def end(self):
        self.print([f"{self.rows} rows", *self.sums[1:]])


def finish(title, *tables):
    """Prints the last two lines. Returns the exit status."""
    named, wrong = (sum(table.sums[at] or 0 for table in tables) for at in (-2, -1))
    passed, failed = (sum(getattr(table, what) for table in tables) for what in ("passed", "failed"))
    rows = " + ".join(str(table.rows) for table in tables)
    print(f"{title}: {rows} rows, {named} differences named, {wrong} not")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
