#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares traces with what a program says of its own transfers.

	record_truth.py [--strace | --both] [--transport=pipe] [--seen=syscalls] IOTRACE TRUTH [SCENARIO ...]

TRUTH, tests/tools/record_truth.c, logs each of its transfers. It runs under `iotrace record`; with --strace under strace, whose log
`iotrace convert` reads; with --both under strace and record at once, whose traces must then agree with each other, too. A difference is
a transfer that only one side has, by process, file, direction, offset and length; or a truncate, by process, file and size. Packets
have no truncates. Exit status 77: a tool is missing.
"""
import argparse
import collections
import csv
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SCENARIOS = ("positions truncates duplicates reuse appends vectors copies threads forks fork-threads fork-exec vfork-exec spawn exec aio mapping "
             "streams stream-at-exit signals").split()
STRACE = ["strace", "-f", "-ttt", "-T", "-y", "-s", "0", "-e", "abbrev=!/io_|msg|pipe|pair", "-o"]


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--strace", action="store_true")
    p.add_argument("--both", action="store_true")
    p.add_argument("--transport", default="ring")
    p.add_argument("--seen", default="calls")
    p.add_argument("iotrace", type=pathlib.Path)
    p.add_argument("truth", type=pathlib.Path)
    p.add_argument("scenarios", nargs="*")
    return p.parse_args()


def run(words):
    """Returns the standard output of a command that must succeed."""
    done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise ValueError(f"{words[0]}: status {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def of_truth(text, truncates=True):
    """Returns the transfers and truncates that the program logged, and the transfers of its streams."""
    transfers, streams = collections.Counter(), collections.Counter()
    for line in text.splitlines():
        process, direction, offset, length, file = line.split(" ", 4)
        if direction == "t" and not truncates:
            continue
        to = streams if direction in "RW" else transfers
        to[int(process), file, direction.lower(), int(offset), int(length)] += 1
    return transfers, streams


def of_trace(iotrace, trace, directory):
    """Returns the transfers of files in the directory, and the truncates, whose offset is the new size."""
    transfers = collections.Counter()
    columns = "op,kind,offset,length,process,path,result,size"
    for row in csv.DictReader(io.StringIO(run([iotrace, "cat", "--all-events", "-f", "csv", f"--columns={columns}", trace]))):
        if not row["path"].startswith(f"{directory}/"):
            continue
        name, offset = row["path"][len(directory) + 1:], row["offset"]
        if row["kind"] != "op":
            transfers[int(row["process"]), name, row["op"][0], int(offset) if offset else None, int(row["length"] or 0)] += 1
        elif row["op"] == "truncate" and row["result"] == "0":
            transfers[int(row["process"]), name, "t", int(row["size"]) if row["size"] else None, 0] += 1
    return transfers


def covered(transfers):
    """Returns the bytes that transfers cover, as runs, and their sum, by process, file and direction."""
    runs, total = {}, collections.Counter()
    for (process, file, direction, offset, length), n in sorted(transfers.items(), key=str):
        runs.setdefault((process, file, direction), []).append((offset, length))
        total[process, file, direction] += n * length
    for parts in runs.values():
        parts.sort(key=lambda part: (part[0] is None, part))
        whole = []
        for offset, length in parts:
            if whole and offset is not None and whole[-1][0] + whole[-1][1] >= offset:
                whole[-1][1] = max(whole[-1][1], offset + length - whole[-1][0])
            elif length > 0:
                whole.append([offset, length])
        parts[:] = whole
    return runs, total


def differences(expected, found, ours, theirs):
    for missing in (expected - found).elements():
        yield f"only {ours}: {missing}"
    for added in (found - expected).elements():
        yield f"only {theirs}: {added}"


def compare(truth, found):
    """Returns sentences: what differs between the log of the program and a trace."""
    transfers, streams = truth
    files = {key[:3] for key in streams}
    of_streams = collections.Counter({key: n for key, n in found.items() if key[:3] in files})
    yield from differences(transfers, found - of_streams, "the program", "the trace")
    expected, got = covered(streams), covered(of_streams)
    if expected != got:
        for key in sorted(files):
            if expected[0][key] != got[0].get(key) or expected[1][key] != got[1][key]:
                yield f"stream {key}: {expected[0][key]}, {expected[1][key]} bytes; trace: {got[0].get(key)}, {got[1][key]} bytes"


def without_streams(found, streams):
    files = {key[:3] for key in streams}
    return collections.Counter({key: n for key, n in found.items() if key[:3] not in files})


def check(a, scenario, d):
    """Runs a scenario; returns the number of transfers and the differences."""
    files, trace, log = d / "files", d / "record.iot", d / "strace.log"
    files.mkdir()
    directory = str(files)
    command = [a.truth, scenario, directory]
    if not a.strace:
        command = [a.iotrace, "record", "-q", f"--transport={a.transport}", f"--seen={a.seen}", "-o", trace, "--", *command]
    if a.strace or a.both:
        command = [*STRACE, log, *command]
    truth = of_truth(run(command), a.transport == "ring")
    found = []
    if not a.strace:
        found.append(of_trace(a.iotrace, trace, directory))
    if a.strace or a.both:
        run([a.iotrace, "convert", "-q", log, "-o", d / "strace.iot"])
        found.append(of_trace(a.iotrace, d / "strace.iot", directory))
    wrong = [w for f in found for w in compare(truth, f)]
    if a.both:
        # at the system call, streams transfer what strace sees
        one, other = found if a.seen != "calls" else (without_streams(f, truth[1]) for f in found)
        wrong += differences(one, other, "record", "strace")
    return sum(truth[0].values()) + sum(truth[1].values()), wrong


def main():
    a = arguments()
    a.iotrace, a.truth = a.iotrace.resolve(), a.truth.resolve()
    if (a.strace or a.both) and shutil.which("strace") is None:
        print("skipped: no strace")
        sys.exit(77)
    failed = transfers = 0
    for scenario in a.scenarios or SCENARIOS:
        d = pathlib.Path(tempfile.mkdtemp(prefix="iotrace-truth-", dir=os.environ.get("TMPDIR", "/tmp")))
        try:
            n, wrong = check(a, scenario, d)
        except ValueError as e:
            n, wrong = 0, [str(e)]
        shutil.rmtree(d)
        transfers += n
        failed += bool(wrong)
        for sentence in wrong[:10]:
            print(f"{scenario}: {sentence}")
        if len(wrong) > 10:
            print(f"{scenario}: {len(wrong)} differences")
    print(f"{len(a.scenarios or SCENARIOS)} scenarios, {transfers} transfers, {failed} scenarios with differences")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
