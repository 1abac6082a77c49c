#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Commands that a signal ends in the middle of a trace, and two runs with one output.

    signals.py IOTRACE TRACE

TRACE is plain. It is fed through a pipe that then stays open. A command that a signal ends is ended by
that signal, or finishes what has come so far (commands that read pipes may); nothing partial has the
name of the output, and no temporary files stay.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

COMMANDS = {
    "cat": ["cat", "-o", "out.iot", "-"],
    "cat csv": ["cat", "--format=csv", "-o", "out.csv", "-"],
    "slice": ["slice", "--all-of-it", "-o", "out.iot", "-"],
    "reorder": ["reorder", "--memory=64K", "-o", "out.iot", "-"],
    "merge": ["merge", "-q", "-o", "out.iot", "-"],
    "merge sort": ["merge", "-q", "--reorder", "--memory=64K", "-o", "out.iot", "-"],
    "stat": ["stat", "-"],
    "info": ["info", "-"],
    "check": ["check", "-"],
}


def interrupted(iotrace, words, data, number):
    with tempfile.TemporaryDirectory() as work:
        child = subprocess.Popen([iotrace, *words], cwd=work, env=dict(os.environ, TMPDIR=work),
                                 stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, restore_signals=True)
        child.stdin.write(data)
        child.stdin.flush()
        time.sleep(0.15)
        child.send_signal(number)
        try:
            status = child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            return "hangs"
        left = os.listdir(work)
        finished = status in (0, 1) and left in (["out.iot"], [])
        if status != -number and not finished:
            return "status %d" % status
        if status == -number and left:
            return "leaves %s" % left
        return "ends"


def reader_gone(iotrace, words, trace):
    """Standard output is a pipe that nobody reads: quiet, and by signal or status 1."""
    words = [w for w in words if w not in ("-o", "out.iot", "out.csv")][:-1] + [trace]
    end, start = os.pipe()
    os.close(end)
    done = subprocess.run([iotrace, *words], stdout=start, stderr=subprocess.PIPE, check=False,
                          timeout=20)
    os.close(start)
    if done.returncode not in (1, -signal.SIGPIPE) or b"ipe" in done.stderr:
        return "status %d: %s" % (done.returncode, done.stderr[:80])
    return "ends"


def two_at_once(iotrace, trace):
    with tempfile.TemporaryDirectory() as work:
        runs = [subprocess.Popen([iotrace, "cat", "-o", "out.iot", trace], cwd=work)
                for _ in range(4)]
        statuses = [run.wait() for run in runs]
        check = subprocess.run([iotrace, "check", "-q", os.path.join(work, "out.iot")], check=False)
        if statuses != [0] * 4 or check.returncode != 0 or os.listdir(work) != ["out.iot"]:
            return "%s, check %d, %s" % (statuses, check.returncode, os.listdir(work))
    return "ends"


def main():
    iotrace, trace = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with open(trace, "rb") as f:
        data = f.read()[:20000]
    results = {}
    for name, words in COMMANDS.items():
        for number in (signal.SIGINT, signal.SIGTERM):
            results[name, number.name] = interrupted(iotrace, words, data, number)
        results[name, "SIGPIPE"] = reader_gone(iotrace, words, trace)
    results["cat", "four at once"] = two_at_once(iotrace, trace)
    failed = {key: value for key, value in results.items() if value != "ends"}
    for (name, what), value in failed.items():
        print("not ok: %s, %s: %s" % (name, what, value))
    print("%d passed, %d failed" % (len(results) - len(failed), len(failed)))
    return 1 if failed else 0


sys.exit(main())
