#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs every command while something fails: memory, descriptors, disks, pipes, threads.

    faults.py IOTRACE FAULT_LIBRARY [--all | --places=N] [--table] [COMMAND]...

Each command runs on a small trace again and again, with one call failing each time: the first, the
second, ... (tests/tools/fault.c). A run must end with its usual result (the fault did not matter), or
with exit status 2, a message, and nothing under the name of the output, or, if a part of the input
could not be read, with exit status 1, a message, and an output: a trace says what was lost. It must not be killed, hang, leave other files behind, or be silent. Prints a table,
with fewer places than 60 only if asked for it: for each command and fault, how many runs had the usual
result, and how many told. Without --all at most 60 places of a kind are tried, spread evenly. A program with the address sanitizer tells of leaks, too.
"""
import gzip
import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile

# CALL, HOW, whether the run may have less input (then an output with status 1 is a result)
FAULTS = [
    ("malloc", "", False),
    ("malloc", "stuck", False),
    ("thread", "", False),
    ("open", "EMFILE", True),
    ("read", "EIO", True),
    ("read", "EINTR", False),
    ("read", "short", False),
    ("write", "ENOSPC", False),
    ("write", "stuck", False),
    ("write", "EIO", False),
    ("write", "EINTR", False),
    ("write", "EPIPE", False),
    ("write", "short", False),
    ("sync", "EIO", False),
    ("close", "EIO", False),
    ("rename", "EACCES", False),
    ("link", "EIO", False),
    ("folder", "ENOSPC", False),
    ("stat", "EIO", True),
    ("mode", "EPERM", False),
    ("size", "ENOSPC", False),
    ("pipe", "EMFILE", False),
    ("seek", "EIO", True),
]
# These must not change anything.
HARMLESS = {"EINTR", "short"}
# What these write grows in its place, so that it is not lost when they are killed.
GROWING = {"out.bin"}
PLACES, SECONDS = 60, 300
UNLINKED = "verify_asan_link_order=0:exitcode=99"  # the fault library comes before the sanitizer


def commands(data):
    """Returns name -> arguments of `iotrace`; @NAME is an input file, out... are outputs."""
    log = os.path.join(data, "strace", "sqlite.strace.gz")
    return {
        "convert": ["convert", "-o", "out.iot.zst", log],
        "convert-plain": ["convert", "-o", "out.iot", log],
        "convert-pipe": ["convert", log],
        "convert-spill": ["convert", "--memory=64K", "-o", "out.iot.gz", log],
        "convert-each": ["convert", "-O", "out", "@a.strace", "@b.strace"],
        "convert-xz": ["convert", "-o", "out.iot", "@a.strace.xz"],
        "convert-folder": ["convert", "--report=out.json", "-o", "out.iot",
                           os.path.join(data, "strace", "signals_ff")],
        "darshan": ["convert", "-o", "out.iot", os.path.join(data, "darshan", "mpi4_dxt.darshan")],
        "darshan-text": ["convert", "--check", "-o", "out.iot",
                         os.path.join(data, "darshan", "quirks_dxt.dxt.txt")],
        "darshan-bzip2": ["convert", "-o", "out.iot",
                          os.path.join(data, "darshan", "mpi4_dxt_bzip2.darshan")],
        "recorder": ["convert", "-o", "out.iot", "@recorder.tar.gz"],
        "packets": ["convert", "-o", "out.iot", "@packets.bin"],
        "collect": ["procstat", "-o", "out.bin", "@packets.bin"],
        "cat": ["cat", "-o", "out.iot", "@a.iot.zst"],
        "cat-csv": ["cat", "--format=csv", "--columns=raw", "--names", "-o", "out.csv", "@a.iot.gz"],
        "cat-parquet": ["cat", "--format=parquet", "-o", "out.parquet", "@a.iot.zst"],
        "info": ["info", "--json", "@a.iot.zst"],
        "stat": ["stat", "@a.iot"],
        "stat-several": ["stat", "--tsv", "@a.iot.zst", "@b.iot"],
        "analyze": ["analyze", "@a.iot.zst"],
        "analyze-state": ["analyze", "-s", "out.state", "@a.iot.zst"],
        "analyze-html": ["analyze", "--html=out.html", "@a.iot"],
        "analyze-plots": ["analyze", "--plots=out", "--section=sizes", "@a.iot"],
        "analyze-job": ["analyze", "--one-job", "--json", "@a.iot.zst", "@b.iot"],
        "simulate": ["simulate", "-c", "64K,1%", "-o", "out.txt", "--svg=out.svg", "@a.iot.zst"],
        "simulate-time": ["simulate", "--time", "-c", "64K", "@a.iot.zst"],
        "mrc": ["mrc", "--tsv", "@a.iot.zst"],
        "mrc-sampled": ["mrc", "--policy=lfu", "--points=4", "-o", "out.txt", "@a.iot.zst"],
        "merge": ["merge", "-q", "-o", "out.iot.zst", "@a.iot.zst", "@b.iot"],
        "merge-sort": ["merge", "-q", "--reorder", "--memory=64K", "-o", "out.iot", "@a.iot.zst",
                       "@b.iot"],
        "reorder": ["reorder", "--memory=64K", "-o", "out.iot", "@a.iot.zst"],
        "reorder-packets": ["reorder", "-o", "out.iot.gz", "@packets.bin"],
        "slice": ["slice", "--records=100-200", "-o", "out.iot", "@a.iot.zst"],
        "slice-share": ["slice", "--from=40%", "--file=*", "-o", "out.iot.zst", "@a.iot.gz"],
        "check": ["check", "@a.iot.zst"],
        "repair": ["check", "--repair", "-o", "out.iot", "@a.iot.zst"],
        "anonymize": ["anonymize", "--key", "@key", "--map", "out.tsv", "-o", "out.iot", "@a.iot"],
    }


def make_inputs(iotrace, data, folder):
    def run(*words):
        subprocess.run([iotrace, *words], check=True, stderr=subprocess.DEVNULL)
    log = os.path.join(data, "strace", "sqlite.strace.gz")
    for name in ("a.iot", "a.iot.gz", "a.iot.zst", "b.iot"):
        run("convert", "-q", "--sync=50", "-o", os.path.join(folder, name), log)
    with open(os.path.join(folder, "key"), "w", encoding="ascii") as key:
        key.write("a key of enough bytes\n")
    os.chmod(os.path.join(folder, "key"), 0o600)
    for name in ("a.strace", "b.strace"):
        with gzip.open(log, "rb") as source, open(os.path.join(folder, name), "wb") as out:
            out.writelines(source.readlines()[:200])
    with open(os.path.join(folder, "a.strace"), "rb") as source, \
            lzma.open(os.path.join(folder, "a.strace.xz"), "wb") as out:
        out.write(source.read())
    with tarfile.open(os.path.join(data, "recorder", "traces.tar.xz")) as source, \
            tarfile.open(os.path.join(folder, "recorder.tar.gz"), "w:gz") as out:
        for member in source.getmembers():
            if member.isfile() and member.name.startswith("sem/"):
                out.addfile(member, source.extractfile(member))
    with open(os.path.join(folder, "packets.bin"), "wb") as out:
        make = os.path.join(os.path.dirname(iotrace), "packet_make")
        if os.path.exists(make):
            subprocess.run([make, "--records=300", "--processes=3", "--files=3"], stdout=out,
                           check=True)


def is_json(content):
    try:
        json.loads(content)
    except ValueError:
        return False
    return True


class Lab:
    def __init__(self, iotrace, library, inputs, scratch):
        self.iotrace, self.library, self.inputs, self.scratch = iotrace, library, inputs, scratch

    def run(self, words, fault=None):
        """Returns the exit status, standard output, standard error, {file: digest} and the numbers of calls."""
        work, temp = os.path.join(self.scratch, "work"), os.path.join(self.scratch, "tmp")
        count = os.path.join(self.scratch, "count")
        for folder in (work, temp):
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
        env = dict(os.environ, LD_PRELOAD=self.library, FAULT_COUNT=count, TMPDIR=temp,
                   ASAN_OPTIONS=UNLINKED)
        env.pop("FAULT", None)
        if fault:
            env["FAULT"] = fault
        words = [os.path.join(self.inputs, w[1:]) if w.startswith("@") else w for w in words]
        try:
            done = subprocess.run([self.iotrace, *words], cwd=work, env=env, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False)
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            status, out, err = "hangs", b"", b""
        files = {}
        for place, _, names in os.walk(work):
            for name in names:
                with open(os.path.join(place, name), "rb") as file:
                    files[name] = file.read()
        left = os.listdir(temp)
        counts = {}
        if os.path.exists(count):
            with open(count, encoding="ascii") as file:
                counts = {call: int(n) for call, n in (line.split() for line in file)}
            os.remove(count)
        return status, out, err, files, left, counts

    def is_whole(self, name, content):
        path = os.path.join(self.scratch, "whole-" + name)
        with open(path, "wb") as file:
            file.write(content)
        done = subprocess.run([self.iotrace, "cat", path], stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.DEVNULL)
        return done.returncode == 0 and b"%lost" in done.stdout

    def judge(self, usual, result, how, less):
        """Returns 'same', 'told', or a description of the defect."""
        status, out, err, files, left, counts = result
        if left:
            return "temporary files stay: %s" % left
        if not isinstance(status, int):
            return status
        if status < 0:
            return "killed by %s" % signal.Signals(-status).name
        if counts.get("live", 0) > usual[5].get("live", 0):
            return "leaks %d" % (counts["live"] - usual[5]["live"])
        if b"distinct                  -" in files.get("out.txt", b""):
            return "told"  # too little memory for a value, which is unknown then
        if status == usual[0]:
            return "same" if (out, files) == (usual[1], usual[3]) else "silent: other output, status %d" % status
        if how in HARMLESS:
            return "fails with %d: %s" % (status, err[:200])
        if status != 2 and not (status == 1 and less):
            return "status %d: %s" % (status, err[:200])
        if not err and how != "EPIPE":
            return "status %d without a message" % status
        if status == 1 and not files and not out:
            return "status 1 without an output"
        for file, content in files.items():
            wanted = usual[3].get(file, b"")
            whole = content == wanted or (file in GROWING and wanted.startswith(content))
            if status == 1 and not file.endswith((".iot", ".gz", ".zst")):
                whole = content != b""
            if file.endswith(".json"):  # a report tells of failures, too
                whole = is_json(content)
            if not whole and not (status == 1 and ".iot" in file and self.is_whole(file, content)):
                return "left %s" % file
        return "told"


def signalled_too_early(iotrace, library, scratch):
    """Returns the commands that SIGTERM just before the open of a FIFO without a writer does not end."""
    fifo = os.path.join(scratch, "fifo")
    os.mkfifo(fifo)
    env = dict(os.environ, LD_PRELOAD=library, FAULT="open:1:SIGTERM", ASAN_OPTIONS=UNLINKED)
    hang = []
    for words in (["cat", "-o", "out.iot"], ["convert", "-o", "out.iot"], ["stat"], ["check"],
                  ["merge", "--reorder", "-o", "out.iot"]):
        try:
            status = subprocess.run([iotrace, *words, fifo], cwd=scratch, timeout=SECONDS, check=False,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env,
                                    ).returncode
        except subprocess.TimeoutExpired:
            status = "hangs"
        if status != -signal.SIGTERM:
            hang.append("%s: %s" % (words[0], status))
    return hang


def places(count, most):
    if count <= most:
        return range(1, count + 1)
    return sorted({1 + i * (count - 1) // (max(most - 1, 1)) for i in range(most)})


def print_table(table, names):
    faults = ["%s %s" % (call, how) for call, how, _ in FAULTS]
    print("usual result + told, for each command and fault")
    print("%-16s" % "", *("%12s" % fault for fault in faults))
    for name in names:
        cells = [table.get((call, how, name), "-") for call, how, _ in FAULTS]
        print("%-16s" % name, *("%12s" % cell for cell in cells))


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    most = PLACES
    for word in sys.argv:
        if word == "--all":
            most = 1 << 30
        if word.startswith("--places="):
            most = int(word[len("--places="):])
    iotrace, library, wanted = os.path.abspath(words[0]), os.path.abspath(words[1]), words[2:]
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata")
    data = os.path.abspath(data)
    table, failed, runs = {}, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        inputs = os.path.join(scratch, "in")
        os.mkdir(inputs)
        make_inputs(iotrace, data, inputs)
        lab = Lab(iotrace, library, inputs, scratch)
        chosen = {n: w for n, w in commands(data).items() if not wanted or n in wanted}
        chosen = {n: w for n, w in chosen.items()
                  if all(os.path.exists(os.path.join(inputs, x[1:])) for x in w if x[0] == "@")}
        for name, command in chosen.items():
            usual = lab.run(command)
            if usual[0] != 0:
                print("not ok: %s: usual status %s: %s" % (name, usual[0], usual[2][:300]))
                failed += 1
                continue
            for call, how, less in FAULTS:
                outcome = {"same": 0, "told": 0}
                for number in places(usual[5].get(call, 0), most):
                    fault = "%s:%d:%s" % (call, number, how)
                    verdict = lab.judge(usual, lab.run(command, fault), how, less)
                    runs += 1
                    if verdict in outcome:
                        outcome[verdict] += 1
                        continue
                    failed += 1
                    print("not ok: %s, FAULT=%s: %s" % (name, fault, verdict))
                table[call, how, name] = "%(same)d+%(told)d" % outcome
        for what in signalled_too_early(iotrace, library, scratch) if not wanted else []:
            failed += 1
            print("not ok: SIGTERM before a FIFO is opened: %s" % what)
        if most >= PLACES or "--table" in sys.argv:
            print_table(table, list(chosen))
    print("%d passed, %d failed" % (runs - failed, failed))
    return 1 if failed else 0


sys.exit(main())
