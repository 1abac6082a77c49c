#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs iotrace analyze and stat on traces that reach the limits of memory.

	analyze_large.py IOTRACE MAKE_TRACE [files | opens | scattered]

files: 1,048,576 files of 4,096 processes, each with four requests. opens: 1,000,000 opens of 1,048,576 named files, each by any of 4,096
processes. scattered: 100,000,000 writes of 4 KiB at random in 1 TiB. Prints CPU time, peak memory and the limits that analyze reports;
memory above that of the goals is wrong. Of files and opens, both halves are analyzed as parts, too; joined, they have the totals of the whole.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

FILES, PROCESSES, OPENS, WRITES = 1 << 20, 4096, 10**6, 10**8
GOALS = {"analyze": 450, "part": 640, "stat": 381}  # MiB; 381 MiB are 400 MB
RUNS = [("analyze", ["--json"]), ("stat", ["--top=20"]), ("stat", ["--by=file", "--top=20"])]


def files(path, _):
    with open(path, "w") as trace:
        trace.writelines(f"{'80' if i & 1 else 'c0'} 20 {i // FILES << 16:x} 10000 1 0 {i % FILES // PROCESSES + 1:x} "
                         f"{i % PROCESSES + 1:x} 0\n" for i in range(4 * FILES))


def opens(path, _):
    rng = random.Random(1)
    with open(path, "w") as trace:
        trace.writelines(f"ff %process id={p + 1} rank={p} host=n{p // 64}\n" for p in range(PROCESSES))
        for i in range(OPENS):
            p, f = rng.randrange(PROCESSES) + 1, rng.randrange(FILES)
            trace.write(f"ff %file process={p} id={i + 1} object={f + 1} path=/scratch/run/d{f >> 10}/out.{f}\n"
                        f"80 20 0 10000 1 0 {i + 1:x} {p:x} 0\n")


def scattered(path, make_trace):
    subprocess.run([make_trace, "scattered", str(WRITES), "1", path], check=True)


def measured(command):
    """Returns standard output, CPU seconds and peak memory in MiB."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        text = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {child.returncode}")
    return text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def parts(iotrace, name, path, scratch):
    """Returns the number of results that are wrong."""
    framed = os.path.join(scratch, "framed.iot.zst")
    subprocess.run([iotrace, "cat", "-q", "--framed", "-o", framed, path], check=True)
    wrong, states = 0, []
    for k in (1, 2):
        states.append(os.path.join(scratch, f"{k}.state"))
        _, seconds, mib = measured([iotrace, "analyze", "-q", f"--part={k}/2", "-s", states[-1], framed])
        print(f"{name}: part {k} of 2: {seconds:.1f} s of CPU time, {mib:.0f} MiB{'' if mib <= GOALS['part'] else ' WRONG'}", flush=True)
        wrong += mib > GOALS["part"]
    whole, joined = (json.loads(measured([iotrace, "analyze", "-q", "--json", *of])[0])["totals"] for of in ([framed], states))
    print(f"{name}: totals of the joined parts: {'equal' if joined == whole else 'WRONG'}", flush=True)
    for path_of in (framed, *states):
        os.remove(path_of)
    return wrong + (joined != whole)


def main():
    iotrace, make_trace = sys.argv[1:3]
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in sys.argv[3:] or ["files", "opens", "scattered"]:
            path = os.path.join(scratch, "trace.iot.zst" if name == "scattered" else "trace.iot")
            {"files": files, "opens": opens, "scattered": scattered}[name](path, make_trace)
            for command, options in RUNS:
                text, seconds, mib = measured([iotrace, command, "-q", *options, path])
                limits = json.loads(text).get("limits", "none") if command == "analyze" else "-"
                print(f"{name}: {command} {' '.join(options)}: {seconds:.1f} s of CPU time, {mib:.0f} MiB; limits: {limits}"
                      f"{'' if mib <= GOALS[command] else ' WRONG'}", flush=True)
                wrong += mib > GOALS[command]
            if name != "scattered":
                wrong += parts(iotrace, name, path, scratch)
            os.remove(path)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
