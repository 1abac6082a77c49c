#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a module counts while 16 processes write and read one shared file of a mount in phases:

    mount_phases.py IOTRACE [BLOCKS]        (of 3 MiB, of each process in each phase; default: 1)

With records kept, its sizes and its bytes over time equal those of analyze of the trace; with records discarded, its number of records
is the number in the trace of those that were discarded, and sizes and bytes are those that the processes transferred.
"""
import collections
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROCESSES, BLOCK, PHASES = 16, 3 << 20, (True, False, True)
iotrace = os.path.abspath(sys.argv[1])
module = os.path.join(os.path.dirname(iotrace), "module_phases.so")
blocks = int((sys.argv[2:] or ["1"])[0])


def transfer(path, process, writes):
    fd = os.open(path, os.O_RDWR)
    for k in range(blocks):
        at = (k * PROCESSES + process) * BLOCK
        done = os.pwrite(fd, bytes(BLOCK), at) if writes else len(os.pread(fd, BLOCK, at))
        assert done == BLOCK, done
    os._exit(0)


def run_phases(path):
    path.touch()
    for writes in PHASES:
        pids = []
        for process in range(PROCESSES):
            pids.append(os.fork())
            if pids[-1] == 0:
                transfer(path, process, writes)
        for pid in pids:
            os.waitpid(pid, 0)
        time.sleep(0.3)


def parse(report):
    """Returns sizes and bins by direction, and the number of records."""
    found = {"size": collections.defaultdict(dict), "bin": collections.defaultdict(dict)}
    for line in report.splitlines():
        what, direction, key, value = line.split()
        found[what][direction][int(key)] = int(value)
    return found


def run(*options):
    """Runs the phases on a mount. Returns what the module reports while it runs, and the trace."""
    pathlib.Path("src").mkdir(exist_ok=True)
    pathlib.Path("mnt").mkdir(exist_ok=True)
    trace = "-".join(("trace", *options))
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open("log", os.O_WRONLY | os.O_CREAT), 2)
        os.execv(iotrace, [iotrace, "mount", "-q", "--control=c", f"--analyze={module}", *options, "-o", trace, "src", "mnt"])
    while not os.path.ismount("mnt"):
        if os.waitpid(pid, os.WNOHANG)[0] != 0:
            sys.exit("no mount")
        time.sleep(0.05)
    run_phases(pathlib.Path("mnt/shared"))
    expected = blocks * PROCESSES * len(PHASES)
    for _ in range(100):
        live = parse(subprocess.run([iotrace, "control", "c", "report"], capture_output=True, text=True, check=True).stdout)
        if sum(sum(s.values()) for s in live["size"].values()) >= expected:
            break
        time.sleep(0.1)
    subprocess.run([iotrace, "mount", "--stop", "mnt"], check=True)
    assert os.waitpid(pid, 0)[1] == 0
    return live, trace


def text_of(trace):
    return subprocess.run([iotrace, "cat", "-q", "--no-verify", "--format-version=1", trace], capture_output=True, text=True, check=True).stdout


def with_job(trace, bins):
    """Writes the trace of a job that begins and ends at a whole second: bins over time are then multiples of 1/512 s since 1970."""
    begin, end = min(bins) // 512 - 1, max(bins) // 512 + 2
    lines = text_of(trace).splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if " %trace " in line)
    lines[at] = f"{lines[at].rstrip()} job-start={begin} job-end={end}\n"
    pathlib.Path("job").write_text("".join(lines), encoding="utf-8")
    return "job"


def analyzed(trace):
    """Returns the sizes that analyze finds, and bytes over time: the width of a bin in 1/512 s, and the bytes by direction."""
    subprocess.run([iotrace, "analyze", "-q", "--no-verify", "--plots=plots", trace], stdout=subprocess.DEVNULL, check=True)
    out = subprocess.run([iotrace, "analyze", "-q", "--no-verify", "--tsv", trace], capture_output=True, text=True, check=True).stdout
    sizes = {"read": {}, "write": {}}
    for _, name, key, _, value, *_ in csv.reader(out.splitlines(), delimiter="\t"):
        if name in ("read_common_sizes", "write_common_sizes"):
            sizes[name.split("_", 1)[0]][int(key)] = int(value)
    with open("plots/rate.tsv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    factor = round(512 * (float(rows[1]["end_s"]) - float(rows[1]["begin_s"])))
    rates = {d: [float(r[n]) * factor / 512 for r in rows] for d, n in (("read", "read_bytes_s_mean"), ("write", "written_bytes_s_mean"))}
    return sizes, factor, rates


def over_time(bins, factor):
    """Bytes of bins that are coarser by a factor, from the first one with bytes to the last one."""
    sums = collections.Counter()
    for number, value in bins.items():
        sums[number // factor] += value
    return [sums[n] for n in range(min(sums), max(sums) + 1)]


def trimmed(rates):
    values = [round(v) for v in rates]
    while values and values[0] == 0:
        values.pop(0)
    while values and values[-1] == 0:
        values.pop()
    return values


def main():
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        live, trace = run()
        sizes, factor, rates = analyzed(with_job(trace, live["bin"]["read"] | live["bin"]["write"]))
        print("sizes:", {d: dict(s) for d, s in live["size"].items()})
        print("sizes are equal:", sizes == {d: dict(s) for d, s in live["size"].items()})
        for d in ("read", "write"):
            counted = over_time(live["bin"][d], factor)
            print(f"{d}: bytes over time are equal:", counted == trimmed(rates[d]), sum(counted))
        live, trace = run("--discard")
        discarded = [int(word[8:]) for line in text_of(trace).splitlines() if " %lost " in line for word in line.split() if word.startswith("records=")]
        print("discarded:", sum(discarded), {d: dict(s) for d, s in live["size"].items()}, {d: sum(b.values()) for d, b in live["bin"].items()})


main()
