#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Kills `analyze --part` at random moments, and runs it again: equal bytes, and no other file.

	killed_tasks.py IOTRACE TRACE PARTS MOMENTS
"""
import os
import random
import subprocess
import sys
import tempfile
import time


def main(iotrace, trace, parts, moments):
    iotrace, trace = os.path.abspath(iotrace), os.path.abspath(trace)
    some = random.Random(1)
    killed = 0
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for i in range(moments):
            command = [iotrace, "analyze", "-q", f"--part={i % parts + 1}/{parts}", "-s", "p.state.zst", trace]
            begin = time.monotonic()
            subprocess.run(command, check=True)
            took = time.monotonic() - begin
            with open("p.state.zst", "rb") as file:
                expected = file.read()
            os.remove("p.state.zst")
            with subprocess.Popen(command) as task:
                time.sleep(some.random() * took)
                task.kill()
            killed += task.returncode != 0
            if task.returncode != 0 and os.path.exists("p.state.zst"):
                with open("p.state.zst", "rb") as file:
                    if file.read() != expected:
                        sys.exit(f"moment {i}: a killed task left an incomplete state")
            with subprocess.Popen(command) as copy:  # two copies of a task at once
                subprocess.run(command, check=True)
            if copy.returncode != 0:
                sys.exit(f"moment {i}: status {copy.returncode} of a copy")
            with open("p.state.zst", "rb") as file:
                if file.read() != expected:
                    sys.exit(f"moment {i}: the state of a repeated task differs")
            others = [name for name in os.listdir(".") if name != "p.state.zst" and not name.startswith(".")]
            if others:
                sys.exit(f"moment {i}: {others} remain")
            os.remove("p.state.zst")
        hidden = len(os.listdir("."))
        os.chdir("/")
    print("repeated tasks give equal states" if killed > moments // 4 else f"only {killed} of {moments} tasks were killed")
    if hidden > 0:
        print(f"{hidden} hidden files remain", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
