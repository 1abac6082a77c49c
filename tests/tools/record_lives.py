#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares traces with what programs log that share descriptors, run programs, and change user, root or namespaces.

	record_lives.py [--transport=pipe] IOTRACE LIVES [PROGRAM ...]

PROGRAM may be random-SEED. LIVES, tests/tools/record_lives.c, logs each transfer in shared memory. For each program: a record has the file, direction, offset and
length of a logged transfer, or states that its offset is unknown; a transfer without a record is one of a program or of calls that the
trace counts as not seen, for the reason that is expected; and a trace that lacks something is not called complete.
"""
import argparse
import collections
import csv
import io
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

# The reasons for which a program is not seen, or the counts of calls; "": all is recorded.
PROGRAMS = {
    "grandchild": "", "exec": "", "exec-seeks": "", "spawn": "", "vfork": "", "vfork-writes": "", "vfork-ends": "", "vfork-killed": "", "static": "static", "static-spawn": "static",
    "static-grandchild": "static", "twins": "", "duplicates": "", "appends": "", "child-seeks": "", "chain": "", "reopened": "",
    "passed": "", "clone": "", "fork-unseen": "", "daemon": "", "unshared-files": "", "shared-memory": "", "setuid": "setuid",
    "user": "", "user-child": "", "child-of-user": "", "children-of-user": "calls", "user-exec": "user", "user-spawn": "user",
    "user-system": "execs", "user-for-a-while": "", "user-thread": "", "root-child": "", "root-program": "namespace",
    "child-root": "", "mount-exec": "namespace", "mount-child": "", "mount-spawn": "namespace", "pids": "", "users": "",
    "no-environment": "", "exec-by-number": "", "absent": "", "no-preload": "static",
    # record_lives_descriptors.c
    "shared-table": "", "shared-table-in-turn": "", "shared-table-exec": "", "unshared-range": "", "shared-all": "", "closed-from": "", "few-descriptors": "calls",
    "duplicate-over": "", "vfork-switches": "", "spawn-actions": "", "taken": "", "opened-by-number": "", "opened-of-parent": "",
    "child-appends": "", "program-appends": "", "child-seeks-end": "", "child-truncates": "", "positioned-append": "", "vectors": "", "child-sends": "",
    "child-copies": "", "child-splices": "", "program-in-memory": "", "script": "", "shell-appends": "", "piped": "", "stream-of-both": "",
    "exec-of-thread": "", "fork-of-thread": "", "clone3": "", "killed": "", "orphan": "", "outlives": "", "user-of-thread": "",
    "file-system-user": "", "other-group": "", "service": "user", "not-dumpable": "", "other-network": "", "unlinked": "",
    # record_lives_limits.c
    "no-capabilities": "", "small-files": "calls execs", "little-memory": "", "no-locked-memory": "", "no-permissions": "",
    "user-without-permissions": "", "user-grandchild": "user", "signals-blocked": "", "handler": "", "vfork-of-thread": "",
    "unshared-main": "", "other-preload": "", "exec-at": "", "container": "", "bound-root": "namespace",
}
ENTRIES, HEAD = 4096, 32
ENTRY = struct.Struct("qqc23s")
SKIPPED = 77


# At the system call, the program that system() runs is seen, with its reason.
OF_SYSCALLS = {"user-system": "user"}

# A pipe needs no file for each process, and has no record of a child of vfork before its program.
OF_PIPE = {"small-files": "", "shared-memory": "calls", "vfork-writes": "calls", "vfork-ends": "calls"}


def expected_of(a, name):
    more = OF_PIPE if a.transport == "pipe" else OF_SYSCALLS if a.seen != "calls" else {}
    return more.get(name, PROGRAMS.get(name, ""))


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--transport", default="ring")
    p.add_argument("--seen", default="calls")
    p.add_argument("iotrace", type=pathlib.Path)
    p.add_argument("lives", type=pathlib.Path)
    p.add_argument("programs", nargs="*")
    return p.parse_args()


def run(words, **more):
    return subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def of_log(path):
    """Returns the transfers that the program logged: file, direction, offset, length."""
    data = path.read_bytes()
    count, = struct.unpack_from("q", data)
    transfers = collections.Counter()
    for i in range(count):
        offset, length, direction, file = ENTRY.unpack_from(data, HEAD + i * ENTRY.size)
        transfers[file.rstrip(b"\0").decode(), direction.decode(), offset, length] += 1
    return transfers


def of_trace(iotrace, trace):
    transfers = collections.Counter()
    out = run([iotrace, "cat", "-q", "-f", "csv", "--columns=op,kind,offset,length,path", trace]).stdout
    for row in csv.DictReader(io.StringIO(out)):
        file = row["path"].rsplit("/", 1)[-1]
        if len(file) == 1 and row["kind"] != "op":
            transfers[file, row["op"][0], int(row["offset"]) if row["offset"] else None, int(row["length"])] += 1
    return transfers


def reasons_of(unseen):
    if unseen is None:
        return set()
    counts = {name for name, n in unseen.items() if isinstance(n, int) and name not in ("programs", "sites", "exits") and n > 0}
    return counts | {reason["why"] for reason in unseen["reasons"]}


def differences(iotrace, transport, trace, log, expected):
    """Returns sentences, and the numbers of transfers: all, without an offset, without a record."""
    truth, found = of_log(log), of_trace(iotrace, trace)
    missing, added = truth - found, found - truth
    unplaced = 0
    for key, n in list(added.items()):
        for other in [k for k in missing if k[:2] == key[:2] and k[3] == key[3]] if key[2] is None else []:
            same = min(n, missing[other], added[key])
            missing[other] -= same
            added[key] -= same
            unplaced += same
    wrong = [f"not logged: {key}" for key in (+added).elements()]
    info = run([iotrace, "info", "--json", trace])
    state = json.loads(info.stdout)
    reasons, lost = reasons_of(state["unseen"]), sum((+missing).values())
    if reasons != set(expected.split()):
        wrong.append(f"not seen because of {sorted(reasons)}, not {expected.split()}")
    # A pipe loses what a process has not sent when it ends at once: %lost has the number of packets.
    if (lost > 0) != bool(expected) and (transport != "pipe" or state["gaps"] == 0):
        wrong.append(f"{lost} transfers have no record: {list((+missing).elements())[:5]}")
    if (state["state"] == "complete") == bool(reasons) and state["gaps"] == 0:
        wrong.append(f"state: {state['state']}")
    checked = json.loads(run([iotrace, "check", "--json", trace]).stdout)
    if checked["state"] != "valid" or checked["unseen"] != state["unseen"]:
        wrong.append(f"check: {checked['state']}, {checked['unseen']}")
    return wrong, sum(truth.values()), unplaced, lost


def make_files(a, d):
    """The program, so that other users can run it, a static one, and one with the privileges of another user."""
    shutil.copy(a.lives, d / "lives")
    shutil.copy(a.lives, d / "setuid")
    tool = pathlib.Path(__file__).with_name("static_program.py")
    run([sys.executable, tool, d / "static", "static\n", "0"], check=True)
    os.chmod(d, 0o777)
    if os.geteuid() == 0:
        os.chown(d / "setuid", 65534, -1)
        os.chmod(d / "setuid", 0o4755)


def check(a, name, d):
    files, log, trace = d / "files", d / "log", d / "trace.iot"
    files.mkdir()
    os.chmod(files, 0o777)
    log.write_bytes(bytes(HEAD + ENTRIES * ENTRY.size))
    command = [a.iotrace, "record", "-q", f"--transport={a.transport}", f"--seen={a.seen}", "-o", trace, "--", d / "lives", log, d / "static", d / "setuid", name]
    done = run(command, cwd=files)
    if done.returncode == SKIPPED or (name == "setuid" and os.geteuid() != 0):
        return None
    if done.returncode != 0:
        return [f"status {done.returncode}: {done.stderr.strip()[-300:]}"], 0, 0, 0
    return differences(a.iotrace, a.transport, trace, log, expected_of(a, name))


def main():
    a = arguments()
    a.iotrace, a.lives = a.iotrace.resolve(), a.lives.resolve()
    sums, failed, skipped = [0, 0, 0], 0, 0
    names = a.programs or list(PROGRAMS) + [f"random-{seed}" for seed in range(1, 11)]
    for name in names:
        d = pathlib.Path(tempfile.mkdtemp(prefix="iotrace-lives-", dir=os.environ.get("TMPDIR", "/tmp")))
        make_files(a, d)
        result = check(a, name, d)
        shutil.rmtree(d)
        if result is None:
            skipped += 1
            continue
        for i in range(3):
            sums[i] += result[i + 1]
        failed += bool(result[0])
        for sentence in result[0][:10]:
            print(f"{name}: {sentence}")
    print(f"{len(names) - skipped} programs, {sums[0]} transfers: {sums[1]} without an offset, {sums[2]} without a record; "
          f"{failed} programs with differences" + (f"; {skipped} skipped: they need privileges" if skipped else ""))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
