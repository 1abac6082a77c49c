#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sources give the same events through the library as through `iotrace convert` and a reader.

    check_sources.py IOTRACE SOURCE_EVENTS PACKET_MAKE TESTDATA DATA

Every file of TESTDATA and DATA (which may be missing), and every directory of a Recorder trace or of the logs of
one strace, is converted, and the events of the trace are compared with those of the source, one by one. A reader
on the source gives the same lines; the stream lacks only the %file that a writer adds for the flags of a record,
and the time of a %lost is not rounded to ticks. The error that a %lost states names settings, which are options of the
command.
Some traces are compared with themselves, through a pipe, too.
"""
import os
import re
import subprocess
import sys
import tempfile

LARGEST = 64 << 20
LOST = re.compile(rb"^%lost time=\d+")
OPTION = re.compile(rb"(?<=%20)--(?=[a-z])")


def run(*words, stdin=None):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, stdin=stdin)
    return done.returncode, done.stdout.split(b"\n")[:-1]


def is_added(line):
    """A %file of a writer: it repeats what is unknown of the records of a file."""
    return line.startswith(b"%file ") and line.endswith((b"=unknown", b"=known"))


def as_streamed(lines):
    """A stream has times in nanoseconds where they are not times of records, too."""
    return [LOST.sub(b"%lost", line) for line in lines if not is_added(line)]


def without_failure(status, lines):
    """The last line is the error of a damaged source, which its trace states with a %lost."""
    return lines[:-1] if status != 0 and lines else lines


def inputs(folder):
    for path, names, files in sorted(os.walk(folder)):
        names.sort()
        if os.path.basename(path) in ("ref", "ref_upstream", "expected", "truth"):
            names.clear()
            continue
        below = [os.path.join(path, name) for name in sorted(files)]
        logs = [name for name in below if ".md" not in name and os.path.getsize(name) <= LARGEST]
        if len(logs) > 1:
            yield path
        yield from logs


class Comparison:
    def __init__(self, iotrace, source_events, folder):
        self.iotrace, self.source_events = iotrace, source_events
        self.trace = os.path.join(folder, "trace.iot")
        self.formats, self.same, self.failed = {}, 0, 0

    def differs(self, path, how, want, got):
        self.failed += 1
        at = next((i for i, pair in enumerate(zip(want, got)) if pair[0] != pair[1]), min(len(want), len(got)))
        print(f"not ok: {path}, {how}: line {at + 1}")
        for side, lines in (("trace", want), ("source", got)):
            print(f"  {side}: {lines[at][:200] if at < len(lines) else None}")

    def compare(self, path, how, want, got):
        want = [OPTION.sub(b"", line) if line.startswith(b"%lost") else line for line in want]
        if want == got:
            self.same += 1
        else:
            self.differs(path, how, want, got)

    def source(self, path):
        if os.path.exists(self.trace):
            os.remove(self.trace)
        run(self.iotrace, "convert", "-q", "-o", self.trace, path)
        if not os.path.exists(self.trace):
            status, _ = run(self.source_events, "stream", path)
            is_trace = run(self.iotrace, "check", "-q", path)[0] == 0
            if status == 0 and not is_trace:
                self.differs(path, "convert fails", [], [b"the source does not"])
            return
        _, want = run(self.source_events, "reader", self.trace)
        kind = want[0].split(b"source=")[1].split()[0].decode() if want and b"source=" in want[0] else "?"
        self.formats[kind] = self.formats.get(kind, 0) + 1
        self.compare(path, "reader", want, without_failure(*run(self.source_events, "reader", path)))
        got = without_failure(*run(self.source_events, "stream", path))
        self.compare(path, "stream", as_streamed(want), as_streamed(got))
        if self.same % 8 == 0:
            self.piped(want)

    def piped(self, want):
        with subprocess.Popen(["cat", self.trace], stdout=subprocess.PIPE) as cat:
            _, got = run(self.source_events, "reader", "-", stdin=cat.stdout)
        self.compare(self.trace, "trace through a pipe", want, got)


def packets(make, folder):
    """Files of packets, for the converter procstat."""
    path = os.path.join(folder, "packets")
    with open(path, "wb") as file:
        if subprocess.run([make, "--records=20000", "--drop=2000", "--shuffle=8"], stdout=file, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            yield path


def main():
    iotrace, source_events, make, *folders = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        c = Comparison(iotrace, source_events, scratch)
        for folder in folders:
            if not os.path.isdir(folder):
                print(f"skipped: {folder} does not exist")
            for path in inputs(folder):
                c.source(path)
        for path in packets(make, scratch):
            c.source(path)
        print(", ".join(f"{count} of {kind}" for kind, count in sorted(c.formats.items())))
        print(f"{c.same} passed, {c.failed} failed")
        return c.failed > 0


if __name__ == "__main__":
    sys.exit(main())
