#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs fio under strace and compares the converted traces with the counts of fio.

usage: strace_fio.py IOTRACE <COMMANDS

COMMANDS are lines of a shell that trace ./app, to app.strace or through a pipe to app.iot.zst. Each is
run with fio in place of ./app, in the current directory, once for every engine. One row is printed
for each run: "equal" if the reads, the writes and their bytes are those of fio's own JSON; "hidden"
if the engine moves data without system calls, no record shows it, and a warning says so.
"""
import csv
import json
import os
import shlex
import subprocess
import sys
import time

COMMON = "--size=512k --bs=4k --filename_format=data.$jobname.$jobnum --randseed=7 --direct=0"
ENGINES = [
    ("sync", "--ioengine=sync --rw=randrw"),
    ("sync-jobs", "--ioengine=sync --rw=rw --numjobs=2"),
    ("psync-jobs", "--ioengine=psync --rw=randrw --bsrange=512-16k --numjobs=2"),
    ("psync-threads", "--ioengine=psync --rw=randrw --numjobs=2 --thread"),
    ("pvsync2", "--ioengine=pvsync2 --rw=rw"),
    ("libaio", "--ioengine=libaio --rw=randrw --iodepth=64 --iodepth_batch=48"),
    ("libaio-whole", "--ioengine=libaio --rw=randread --iodepth=48 --iodepth_batch=48"
     " --iodepth_batch_complete_min=48 --iodepth_low=1"),
    ("io_uring", "--ioengine=io_uring --rw=randrw --iodepth=8"),
    ("mmap", "--ioengine=mmap --rw=randrw"),
]
HIDDEN = {"io_uring": "io_uring requests", "mmap": "file mappings"}
PIPED = ("sync", "libaio")  # through a pipe, too
SECONDS = 60


def run(command, **more):
    return subprocess.run(command, text=True, timeout=SECONDS, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, **more)


def fio_arguments(name, options):
    return ["fio", "--name=" + name, *COMMON.split(), *options.split()]


def counted_by_fio(path):
    with open(path, encoding="utf-8") as f:
        jobs = json.load(f)["jobs"]
    return tuple(sum(job[way][key] for job in jobs)
                 for way in ("read", "write") for key in ("total_ios", "io_bytes"))


def counted_in_trace(iotrace, path, name):
    counts = [0, 0, 0, 0]
    unknown = 0
    text = run([iotrace, "cat", "--format=csv", "--columns=raw", "--names", path]).stdout
    for row in csv.DictReader(text.splitlines()):
        if not os.path.basename(row["path"]).startswith(f"data.{name}."):
            continue
        way = 2 if int(row["type"]) & 0x40 else 0
        counts[way] += 1
        counts[way + 1] += int(row["length"])
        unknown += row["duration"] == ""
    return tuple(counts), unknown


def trace(iotrace, command, name, options):
    """Runs the command. Returns the warnings of convert."""
    app = fio_arguments(name, options) + ["--output-format=json", "--output=fio.json"]
    command = command.replace("iotrace convert", shlex.quote(iotrace) + " convert")
    command = command.replace("./app", shlex.join(app))
    for old in ("fio.json", "app.strace", "app.iot.zst"):
        if os.path.exists(old):
            os.remove(old)
    done = run(["sh", "-c", command])
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stderr}"
    if os.path.exists("app.strace"):
        return run([iotrace, "convert", "-o", "app.iot.zst", "app.strace"]).stderr
    until = time.monotonic() + SECONDS  # strace does not wait for who reads its output
    while not os.path.exists("app.iot.zst") and time.monotonic() < until:
        time.sleep(0.05)
    return done.stderr


def verdict(iotrace, command, name, options):
    warnings = trace(iotrace, command, name, options)
    if not os.path.exists("app.iot.zst"):
        return "no trace: " + warnings
    wanted = counted_by_fio("fio.json")
    got, unknown = counted_in_trace(iotrace, "app.iot.zst", name)
    word = HIDDEN.get(name)
    if word is not None:
        if got != (0, 0, 0, 0) or "does not show: " not in warnings or word not in warnings:
            return f"{got}, expected no records and a warning of {word}: {warnings}"
        return "hidden"
    if got != wanted:
        return f"{got}, fio has {wanted}: {warnings}"
    if unknown > 0 and name != "libaio":
        return f"{unknown} durations are not known"
    return "equal"


def main():
    iotrace = os.path.abspath(sys.argv[1])
    for command in sys.stdin.read().splitlines():
        piped = "|iotrace" in command
        print("through a pipe" if piped else "to a log")
        for name, options in ENGINES:
            if piped and name not in PIPED:
                continue
            # Untraced: the files are made here, and an engine that this system lacks is seen.
            made = run(fio_arguments(name, options) + ["--output=/dev/null"])
            if made.returncode != 0:
                print(f"{name}: not here: {made.stderr.strip()}", file=sys.stderr)
                print(f"{name}: {'hidden' if name in HIDDEN else 'equal'}")
                continue
            print(f"{name}: {verdict(iotrace, command, name, options)}")


if __name__ == "__main__":
    sys.exit(main())
