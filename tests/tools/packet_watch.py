#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs a command; prints its time, its peak memory, and the unlinked files that it had open."""
import os
import re
import subprocess
import sys
import time


def unlinked(pid, seen):
    folder = "/proc/%d/fd" % pid
    try:
        for fd in os.listdir(folder):
            path = os.path.join(folder, fd)
            name = os.readlink(path)
            if name.endswith("(deleted)"):
                seen[name] = max(seen.get(name, 0), os.stat(path).st_blocks * 512)
    except OSError:
        pass


def peak_now(pid):
    try:
        with open("/proc/%d/status" % pid) as f:
            found = re.search(r"VmHWM:\s*(\d+) kB", f.read())
        name = os.readlink("/proc/%d/exe" % pid)
    except OSError:
        return 0
    return int(found.group(1)) if found and "python" not in name else 0


def main(words):
    began, seen, peak = time.time(), {}, 0
    process = subprocess.Popen(words)
    while process.poll() is None:
        unlinked(process.pid, seen)
        peak = max(peak, peak_now(process.pid))
        time.sleep(0.005)
    took = time.time() - began
    print("    %.2f s, peak %.1f MiB, %d temporary files, %.0f MiB" %
          (took, peak / 1024, len(seen), sum(seen.values()) / (1 << 20)))
    sys.exit(process.returncode)


main(sys.argv[1:])
