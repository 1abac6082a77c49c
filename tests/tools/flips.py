#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Flips bits of framed traces, and runs the commands that convert a trace to a framed trace.

    flips.py IOTRACE [--count=600] [--seed=1] [--bits=1] [--keep=DIR]

An output that `check` accepts must hold only records of the intact trace, in their order. Prints how
many outputs there were, and the command and the file of each wrong one; exit status 1 if there is one.
"""
import argparse
import csv
import io
import os
import random
import subprocess
import sys
import tempfile

RECORDS = 45
KEY = b"0123456789abcdefghijklmnopqrstuv"


def lines(rng, sorted_starts):
    """Makes a bare decimal trace, whose records are identified by distinct offsets."""
    yield "255 %trace source=test command=flips host=here"
    for process in (1, 2, 3):
        yield "255 %%process id=%d name=p%d" % (process, process)
    start = 0
    for i in range(RECORDS):
        step = rng.randrange(1, 900)
        if not sorted_starts and i % 7 == 6:
            step = -rng.randrange(0, min(start, 700) + 1)
        start += step
        process, file = rng.randrange(1, 4), rng.randrange(1, 6)
        if rng.random() < 0.3:
            yield "255 %%file process=%d id=%d object=%d path=/d%d/f%d" % (process, file, i + 1, process, i)
        if rng.random() < 0.3:
            yield "255 %%op name=stat time=%d took=3 process=%d path=/x%d" % (start, process, i)
        yield "%d 0 %d %d %d %d 0 %d %d %d" % (
            rng.choice((128, 192)), (i + 1) * 8192 + rng.choice((0, 512, 17)), rng.randrange(1, 9000), step,
            rng.randrange(0, 500), file, process, rng.randrange(0, 400))


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout


def make_traces(iotrace, folder, rng):
    """Returns the names of framed traces: uncompressed, gzip, zstd; both bases; several ticks and intervals; one is not sorted."""
    made = []
    for i, (suffix, sync, tick, base, in_order) in enumerate([
            ("", 4, 1000, 16, True), ("", 1, 1000, 10, True), ("", 16, 4000000, 16, True),
            ("", 0, 250, 16, True), ("", 5, 1000, 16, False), (".zst", 8, 1000, 16, True),
            (".zst", 3, 30, 10, False), (".gz", 8, 1000, 16, True), (".gz", 45, 7, 16, True)]):
        bare = os.path.join(folder, "bare")
        with open(bare, "w", encoding="ascii") as f:
            f.write("\n".join(lines(rng, in_order)) + "\n")
        name = os.path.join(folder, "t%d.iot%s" % (i, suffix))
        status, _ = run(iotrace, "cat", "--in-base=10", "--in-tick=%d" % tick, "--framed", "--base=%d" % base,
                        "--sync=%d" % sync, "-o", name, bare)
        if status != 0:
            sys.exit("flips.py: %s cannot be made" % name)
        made.append((name, in_order))
    return made


def rows(iotrace, trace, columns):
    status, out = run(iotrace, "cat", "--format=csv", "--columns=raw", "--ns", "--names", trace)
    table = csv.DictReader(io.StringIO(out.decode("utf-8", "replace")))
    return status, [tuple(row[c] for c in columns) for row in table]


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(any(row == other for other in rest) for row in part)


ALL = ("type", "start", "duration", "offset", "length", "operation", "file", "process", "path")
NO_IDS = ("type", "start", "duration", "offset", "length", "operation")

# name, words, columns to compare, whether IN has to be in order, whether the intact output is what to compare with
COMMANDS = [
    ("cat", ["cat"], ALL, False, False),
    ("cat --recover", ["cat", "--recover"], ALL, False, False),
    ("cat -o x.zst", ["cat", "--recover", "--compress=zstd"], ALL, False, False),
    ("slice --records", ["slice", "-q", "--records=13-29"], ALL, False, False),
    ("slice --records --recover", ["slice", "-q", "--recover", "--records=17-"], ALL, False, False),
    ("slice --from", ["slice", "-q", "--from=40%"], ALL, True, False),
    ("slice --from --recover", ["slice", "-q", "--recover", "--from=6ms"], ALL, True, False),
    ("slice --to", ["slice", "-q", "--to=60%"], ALL, True, False),
    ("slice --file", ["slice", "-q", "--file=*f2*"], ALL, False, False),
    ("slice last", ["slice", "-q", "--records=44-"], ALL, False, False),
    ("reorder", ["reorder", "-q"], ALL, False, True),
    ("reorder --recover", ["reorder", "-q", "--recover"], ALL, False, True),
    ("reorder --window", ["reorder", "-q", "--recover", "--window=1s"], ALL, False, True),
    ("anonymize", ["anonymize", "-q", "--key", "KEY"], NO_IDS, False, False),
    ("anonymize --recover", ["anonymize", "-q", "--recover", "--key", "KEY"], NO_IDS, False, False),
    ("merge", ["merge", "-q"], NO_IDS, True, False),
    ("merge --recover", ["merge", "-q", "--recover"], NO_IDS, True, False),
    ("merge --reorder", ["merge", "-q", "--recover", "--reorder"], NO_IDS, False, True),
]


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("iotrace")
    p.add_argument("--count", type=int, default=600)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--bits", type=int, default=1)
    p.add_argument("--keep")
    return p.parse_args()


def flip(data, rng, bits):
    data = bytearray(data)
    for _ in range(rng.randrange(1, bits + 1)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


class Trial:
    def __init__(self, iotrace, folder):
        self.iotrace, self.folder = iotrace, folder
        self.out, self.bad = os.path.join(folder, "out.iot"), os.path.join(folder, "bad.iot")
        self.whole = {}
        self.key = os.path.join(folder, "key")
        with open(self.key, "wb") as f:
            f.write(KEY)

    def work(self, words, trace):
        if os.path.exists(self.out):
            os.unlink(self.out)
        words = [self.key if w == "KEY" else w for w in words]
        return run(self.iotrace, *words, "-o", self.out, trace)[0]

    def expected(self, name, words, columns, trace, by_output):
        """Returns the records of the undamaged trace, or of the output of the command for it."""
        key = (trace, columns, name if by_output else "")
        if key not in self.whole:
            if by_output and self.work(words, trace) != 0:
                sys.exit("flips.py: %s fails on %s" % (name, trace))
            self.whole[key] = rows(self.iotrace, self.out if by_output else trace, columns)[1]
        return self.whole[key]

    def one(self, command, trace, data):
        """Returns the result of a trial (none, refused, accepted or wrong) and the records of the output."""
        name, words, columns, _, by_output = command
        whole = self.expected(name, words, columns, trace, by_output)
        with open(self.bad, "wb") as f:
            f.write(data)
        self.work(words, self.bad)
        if not os.path.exists(self.out):
            return "none", 0
        if run(self.iotrace, "check", "-q", self.out)[0] != 0:
            return "refused", 0
        status, part = rows(self.iotrace, self.out, columns)
        return "accepted" if status in (0, 1) and is_subsequence(part, whole) else "wrong", len(part)


def main():
    args = arguments()
    rng = random.Random(args.seed)
    ends = {"none": 0, "refused": 0, "accepted": 0, "wrong": 0}
    records = 0
    with tempfile.TemporaryDirectory() as folder:
        traces = make_traces(args.iotrace, folder, rng)
        trial = Trial(args.iotrace, folder)
        for i in range(args.count):
            command = COMMANDS[i % len(COMMANDS)]
            trace, in_order = rng.choice(traces)
            while command[3] and not in_order:
                trace, in_order = rng.choice(traces)
            with open(trace, "rb") as f:
                data = flip(f.read(), rng, args.bits)
            end, n = trial.one(command, trace, data)
            ends[end] += 1
            records += n
            if end == "wrong":
                print("wrong: trial %d: %s of %s" % (i, command[0], os.path.basename(trace)))
                if args.keep:
                    os.makedirs(args.keep, exist_ok=True)
                    for kind, source in (("bad", trial.bad), ("out", trial.out), ("whole", trace)):
                        with open(source, "rb") as f, open("%s/%d.%s" % (args.keep, i, kind), "wb") as g:
                            g.write(f.read())
    print("%d flips: %d without output, %d outputs refused by check, %d accepted, %d wrong" % (
        args.count, ends["none"], ends["refused"], ends["accepted"] + ends["wrong"], ends["wrong"]))
    if records == 0:
        sys.exit("flips.py: no output has records")
    return 1 if ends["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
