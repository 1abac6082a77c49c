#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares `iotrace fsstats` with a slow walk by os.scandir and lstat: every integer has to be equal.

    python3 tests/tools/fsstats_truth.py IOTRACE NOW DIR...
"""
import collections
import json
import os
import stat
import subprocess
import sys

KIB = {"file size", "capacity used", "positive overhead", "negative overhead", "directory size"}
LINEAR = {"filename length", "symlink target length"}
NOW = int(sys.argv[2])
bins = collections.defaultdict(lambda: [0, 0])
joint = collections.defaultdict(lambda: [0, 0])  # files and bytes by class of size and of age
names = {}  # of files with several links: the length of the shortest one


def limits(name, value):
    if name in LINEAR:
        return (128, "") if value >= 128 else (value // 8 * 8, value // 8 * 8 + 7)
    unit = 1024 if name in KIB else 1
    low = value // unit
    return (0, 2 * unit - 1) if low < 2 else (unit << low.bit_length() - 1, (unit << low.bit_length()) - 1)


def add(name, value, items=1, selects=None):
    if items:
        cell = bins[name, limits(name, value if selects is None else selects)]
        cell[0] += items
        cell[1] += value * items


def count(name, st):
    kind = stat.S_IFMT(st.st_mode)
    if kind == stat.S_IFREG and st.st_nlink > 1:
        length = len(os.fsencode(name))
        known = (st.st_dev, st.st_ino) in names
        names[st.st_dev, st.st_ino] = min(length, names.get((st.st_dev, st.st_ino), length))
        if known:
            return
    if kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
        return
    size, capacity = st.st_size, st.st_blocks * 512
    if kind != stat.S_IFREG or st.st_nlink == 1:
        add("filename length", len(os.fsencode(name)))
    add("positive overhead" if capacity >= size else "negative overhead", abs(capacity - size), selects=size)
    if kind == stat.S_IFDIR:
        add("directory size", size)
    elif kind == stat.S_IFLNK:
        add("symlink target length", size)
    else:
        add("file size", size)
        add("capacity used", capacity)
        add("link count", st.st_nlink)
        for what, ns in (("mtime", st.st_mtime_ns), ("ctime", st.st_ctime_ns), ("atime", st.st_atime_ns)):
            days = max(0, NOW - ns // 10**9) // 86400
            add(f"{what} (files)", days)
            add(f"{what} (KB)", days, size)
            if what != "ctime":
                cell = joint["modified" if what == "mtime" else "accessed", limits("file size", size), limits("days", days)]
                cell[0] += 1
                cell[1] += size


above = []  # the identities of the current directory and of those that contain it


def walk(device):
    """Walks the current directory with chdir, as paths of deep trees are too long."""
    here = os.stat(".")
    above.append((here.st_dev, here.st_ino))
    entries = list(os.scandir("."))
    add("directory size (entries)", len(entries))
    inside = []
    for entry in entries:
        st = os.lstat(entry.name)
        count(entry.name, st)
        if stat.S_ISDIR(st.st_mode) and st.st_dev == device and (st.st_dev, st.st_ino) not in above and entry.name not in (".snapshot", ".snapshots", ".zfs"):
            inside.append(entry.name)
    return inside


begin = os.getcwd()
for root in sys.argv[3:]:
    os.chdir(root)
    device = os.stat(".").st_dev
    waiting = [walk(device)]
    while waiting:
        if waiting[-1]:
            os.chdir(waiting[-1].pop())
            waiting.append(walk(device))
        else:
            waiting.pop()
            above.pop()
            if waiting:
                os.chdir("..")
    os.chdir(begin)
for length in names.values():
    add("filename length", length)

text = subprocess.run([sys.argv[1], "fsstats", "--tsv", f"--now={NOW}", *sys.argv[3:]], check=True, stdout=subprocess.PIPE).stdout.decode()
actual = {}
for line in text.splitlines()[1:]:
    name, low, high, items, amount = line.split("\t")
    actual[name, (int(low), int(high) if high else "")] = [int(items), int(amount) if amount.isdigit() else float(amount)]
expected = {key: [n, amount if amount < 2**64 else float(amount)] for key, (n, amount) in bins.items()}
wrong = [key for key in actual.keys() | expected.keys() if actual.get(key) != expected.get(key)]
for key in sorted(wrong, key=str):
    print(key, "expected", expected.get(key), "actual", actual.get(key))

text = subprocess.run([sys.argv[1], "fsstats", "--json", "--min-count=1", f"--now={NOW}", *sys.argv[3:]], check=True, stdout=subprocess.PIPE).stdout
cells = {(c["age_of"], (c["class_from"], c.get("class_to", "")), (c["days_from"], c.get("days_to", ""))): [c["regular_files"], c["data_bytes"]] for c in json.loads(text)["joint"]}
wrong += [key for key in cells.keys() | joint.keys() if cells.get(key) != joint.get(key)]
print(f"{len(expected) + len(joint)} bins, {len(wrong)} wrong")
sys.exit(bool(wrong))
