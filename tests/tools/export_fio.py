# SPDX-License-Identifier: BSD-2-Clause
"""Replays exports with fio and compares the reads and writes that fio makes with those of the trace.

    export_fio.py IOTRACE TRACE...

For each trace, in the current directory: `iotrace cat --format=fio`, the setup script, then `fio --read_iolog`
under strace. Prints a row for each trace: transfers expected, differences of offset, length and direction.
"""
import json
import os
import re
import shutil
import subprocess
import sys

PIECE = 0x7ffff000
CALL = re.compile(r"(\d+) .*?(pread64|pwrite64)\((\d+)<([^>]*)>, .*?, (\d+), (\d+)(?:\) += +(-?\d+)| <unfinished)")


def wanted_transfers(tool, trace):
    """(write, file, offset, length): the file as a number in order of first use."""
    wanted, numbers = [], {}
    for line in subprocess.run([tool, "cat", "-q", "--format=jsonl", trace], stdout=subprocess.PIPE,
                               check=True).stdout.splitlines():
        r = json.loads(line)
        if r.get("level") != "logical" or r["offset"] is None or r["length"] == 0:
            continue
        key = r.get("object") or r.get("path") or (r["process"], r["file"])
        number = numbers.setdefault(key, len(numbers) + 1)
        for done in range(0, r["length"], PIECE):
            wanted.append((r["op"] == "write", number, r["offset"] + done, min(PIECE, r["length"] - done)))
    return wanted


def replayed_transfers(log, prefix):
    found = []
    with open(log, encoding="latin-1") as lines:
        for line in lines:
            m = CALL.match(line)
            if m and m[4].startswith(prefix + "/"):
                found.append((m[2] == "pwrite64", int(m[4][len(prefix) + 1:]), int(m[6]), int(m[5])))
    return found


def replay(tool, trace):
    shutil.rmtree("replay", ignore_errors=True)
    subprocess.run([tool, "cat", "-q", "--format=fio", "--setup=setup.sh", "-o", "out.iolog", trace], check=True)
    subprocess.run(["sh", "setup.sh"], check=True)
    done = subprocess.run(["strace", "-f", "-y", "-s", "0", "-e", "trace=pread64,pwrite64", "-o", "strace.log", "fio",
                           "--name=r", "--read_iolog=out.iolog", "--replay_no_stall=1", "--ioengine=psync",
                           "--thread"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        print(done.stdout.decode())
    return replayed_transfers("strace.log", os.path.realpath("replay"))


def main():
    failed = False
    for trace in sys.argv[2:]:
        wanted, found = wanted_transfers(sys.argv[1], trace), replay(sys.argv[1], trace)
        differences = sum(a != b for a, b in zip(wanted, found)) + abs(len(wanted) - len(found))
        print(f"{os.path.basename(trace)}: {len(wanted)} transfers, {differences} differences")
        failed |= differences > 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
