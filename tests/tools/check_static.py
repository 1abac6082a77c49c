#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the static program with the one that has shared libraries, on every file of some directories.

    check_static.py STATIC SHARED DIRECTORY...

Outputs, messages and exit statuses of a few commands have to be equal, archives aside if the static
program refuses them: it reads them if libarchive was linked into it. As root, it also runs in a root directory that contains the program alone.
"""
import os
import shutil
import subprocess
import sys
import tempfile

COMMANDS = [["convert", "-q", "-o", "-"], ["stat", "-q"], ["analyze", "-q", "--json"], ["simulate", "-q"],
            ["cat", "-q", "-f", "csv"]]
REFUSED = b"is static and reads no archives"


def run(program, command, path, **how):
    done = subprocess.run([program, *command, path], capture_output=True, env={}, timeout=300, **how)
    return done.returncode, done.stdout, done.stderr


def compare(static, shared, path):
    """Returns the commands that differ, and whether the static program refuses the file."""
    found = [(command, run(static, command, path), run(shared, command, path)) for command in COMMANDS]
    refused = any(REFUSED in one[2] for _, one, _ in found)
    return [command[0] for command, one, other in found if one != other and not refused], refused


def runs_alone(static, path):
    if os.geteuid() != 0:
        print("skipped: only root can run the program in an empty root directory")
        return True
    with tempfile.TemporaryDirectory() as root:
        shutil.copy(static, root + "/iotrace")
        shutil.copy(path, root + "/input")
        alone = [run("/iotrace", command, "/input", preexec_fn=lambda: os.chroot(root)) for command in COMMANDS]
    return all(code == 0 for code, _, _ in alone)


def main():
    static, shared, *directories = sys.argv[1:]
    paths = sorted(os.path.join(at, name) for top in directories for at, _, names in os.walk(top) for name in names)
    different = refused = 0
    for path in paths:
        commands, is_archive = compare(static, shared, path)
        refused += is_archive
        different += bool(commands)
        if commands:
            print(f"{path}: {', '.join(commands)} differ")
    alone = runs_alone(static, "testdata/strace/sqlite.strace.gz")
    print(f"{len(paths)} files, {refused} archives refused, {different} differ; alone: {'yes' if alone else 'NO'}")
    return 1 if different or not alone else 0


if __name__ == "__main__":
    sys.exit(main())
