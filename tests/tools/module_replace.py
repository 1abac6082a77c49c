#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Replaces a module of `iotrace top` while it reads a trace, after every PIECE records, and adds up the records of all.

    module_replace.py IOTRACE [REPLACEMENTS [PIECE]]        (1000 and 10000: ten million records)
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

iotrace = os.path.abspath(sys.argv[1])
replacements, piece = [*map(int, sys.argv[2:]), 1000, 10000][:2] if len(sys.argv) != 3 else (int(sys.argv[2]), 10000)
build = os.path.dirname(iotrace)
first, following = b"192 34 0 8 0 5 1 9 0\n", b"192 236 999 5 0\n"

with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    shutil.copyfile(f"{build}/module_test_1.so", "m.so")
    with open("log", "wb") as log:
        top = subprocess.Popen([iotrace, "top", "--once", "--module=m.so:own", "-"],
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log)
    while "begins" not in open("log").read() and top.poll() is None:
        time.sleep(0.01)
    for k in range(replacements):
        top.stdin.write((first if k == 0 else following) + following * (piece - 1))
        top.stdin.flush()
        shutil.copyfile(f"{build}/module_test_{2 - k % 2}.so", "next.so")
        os.rename("next.so", "m.so")
        while open("log").read().count(" replaces ") <= k and top.poll() is None:
            time.sleep(0.0005)
    top.stdin.close()
    status = top.wait()
    log = open("log").read()
counts = [int(n) for n in re.findall(r"(\d+) of its own", log)]
print(f"exit {status}, {log.count(' replaces ')} replacements, {len(counts)} modules, {sum(counts)} records")
