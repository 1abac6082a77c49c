#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the csv of `iotrace fsstats` with that of the published Perl script, field by field, on made trees.

    fsstats_original.py IOTRACE SCRIPT [TREES]

SCRIPT is fsstats 1.4.5. Both see the same time. Ages of the made files are whole days, except for the times of changes, of
which only the counts are compared. The script also counts its roots and the names of special files and of further links, which
are taken from its results, and shares of symbolic links, which are left out.
"""
import os
import random
import re
import stat
import subprocess
import sys
import tempfile
import time

DAY = 86400
TIME = "BEGIN { my $now = shift @ARGV; *CORE::GLOBAL::time = sub () { $now } } my $script = shift @ARGV; do $script; die $@ if $@;"
SIZES = (0, 1, 511, 1023, 1024, 1025, 2047, 2048, 4095, 4096, 5000, 65536, 100000, 300001)


def make_file(path, rng, now):
    size, days = rng.choice(SIZES), rng.choice((0, 1, 2, 3, 4, 7, 8, 63, 64, 400, 3000))
    with open(path, "wb") as file:
        file.truncate(size * 10) if rng.random() < 0.2 else file.write(bytes(size))
    os.utime(path, (now - days // 2 * DAY, now - days * DAY))


def fill(directory, rng, now, depth):
    for i in range(rng.randrange(12)):
        make_file(os.path.join(directory, "f" * rng.choice((1, 6, 7, 14, 15, 60, 125, 126, 127, 200)) + str(i)), rng, now)
    for i in range(rng.randrange(4)):
        os.symlink("t" * rng.choice((1, 7, 8, 126, 127, 128, 300)), os.path.join(directory, f"link{i}"))
    for i in range(rng.randrange(4) if depth < 4 else 0):
        os.mkdir(os.path.join(directory, f"dir{i}"))
        fill(os.path.join(directory, f"dir{i}"), rng, now, depth + 1)


def make_tree(root, rng, now):
    os.mkdir(root)
    fill(root, rng, now, 0)
    make_file(os.path.join(root, "several"), rng, now)
    for i in range(rng.randrange(3)):
        os.link(os.path.join(root, "several"), os.path.join(root, f"further{i}"))
    if rng.random() < 0.5:
        os.mkfifo(os.path.join(root, "fifo"))
        os.mkdir(os.path.join(root, ".snapshot"))
        make_file(os.path.join(root, ".snapshot", "old"), rng, now)


def read_csv(path):
    """Returns the totals, and for each histogram its head and its bins by their limits."""
    totals, heads, bins, name = {}, {}, {}, None
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            key, _, rest = line.partition(",")
            if key == "histogram":
                name = rest
                heads[name], bins[name] = {}, {}
            elif not line or line.startswith(("#", "bucket min")) or key.endswith("symlink target pct"):
                continue
            elif name is None:
                totals[key] = rest
            elif key in ("count", "average", "min", "max"):
                heads[name][key] = rest
            else:
                bins[name][tuple(line.split(",")[:2])] = line.split(",")[2:]
    return totals, heads, bins


def extra_items(root):
    """Returns lengths of names: of the root, special files, and all links of a file but the one with the shortest name."""
    names, links = [len(root)], {}
    for directory, directories, files in os.walk(root):
        directories[:] = [each for each in directories if each != ".snapshot"]
        for each in files:
            st = os.lstat(os.path.join(directory, each))
            if stat.S_ISREG(st.st_mode):
                links.setdefault(st.st_ino, []).append(len(each))
            elif not stat.S_ISLNK(st.st_mode):
                names.append(len(each))
    for lengths in links.values():
        names += sorted(lengths)[1:]
    return names


def directory_sizes(root):
    """Returns the sizes in KiB and capacities of the root, which only the script counts, and of snapshots, which it does not."""
    root_st, snapshot = os.lstat(root), os.path.join(root, ".snapshot")
    return root_st.st_size / 1024, root_st.st_blocks / 2, [os.lstat(snapshot).st_size / 1024] if os.path.exists(snapshot) else []


def of_names(value):
    return ("127", "-1") if value > 127 else (str(value // 8 * 8), str(value // 8 * 8 + 7))


def of_sizes(value):
    low = 0 if value < 2 else 1 << int(value).bit_length() - 1
    return str(low), str(2 * low or 2)


def without(bins, items):
    """Returns counts and sums of bins without some items."""
    left = {limits: [int(row[0]), float(row[3])] for limits, row in bins.items()}
    for limits, value in items:
        left[limits][0] -= 1
        left[limits][1] -= value
    return {limits: row for limits, row in left.items() if row[0] > 0}


def same_bins(actual, expected):
    return actual.keys() == expected.keys() and all(
        actual[key][0] == expected[key][0] and abs(actual[key][1] - expected[key][1]) < 1e-5 for key in actual)


def in_units(kib):
    unit = 0
    while kib > 1024 and unit < 3:
        kib, unit = kib / 1024, unit + 1
    return f"{kib:.2f} {('KB', 'MB', 'GB', 'TB')[unit]}"


def compare_totals(actual, script, exact, wrong):
    """The script adds the root, so that what it prints is computed from the exact sums."""
    for key in ("skipped special files", "skipped duplicate hardlinks", "skipped snapshot dirs"):
        if actual[key] != script[key]:
            wrong.append((key, actual[key], script[key]))
    (capacity, data), (root_capacity, root_data) = exact
    for key, own, root in (("total capacity used", capacity, root_capacity), ("total user data", data, root_data)):
        if actual[key] != in_units(own) or script[key] != in_units(own + root):
            wrong.append((key, actual[key], script[key], own, root))
    if float(actual["percent overhead"]) != round((capacity - data) / capacity if capacity else 0, 6):
        wrong.append(("percent overhead", actual["percent overhead"], capacity, data))


def compare(iotrace, script, root, now):
    subprocess.run(["perl", "-e", TIME, str(now), script, "-i", "0", "-o", "script.csv", root], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([iotrace, "fsstats", "-q", f"--now={now}", "--csv=own.csv", root], check=True, stdout=subprocess.DEVNULL)
    (totals, heads, bins), (script_totals, script_heads, script_bins) = read_csv("own.csv"), read_csv("script.csv")
    size, capacity, snapshots = directory_sizes(root)
    overhead = "positive overhead" if capacity >= size else "negative overhead"
    extra = {"filename length": [(of_names(value), value) for value in extra_items(root)],
             "directory size": [(of_sizes(size), size)],
             overhead: [(of_sizes(size), abs(capacity - size))]}
    own = {"directory size": [(of_sizes(value), value) for value in snapshots]}
    wrong = []
    if list(heads) != list(script_heads):
        wrong.append(("histograms", list(heads), list(script_heads)))
    for name in heads.keys() & script_heads.keys():
        if name in extra:
            same = same_bins(without(bins[name], own.get(name, [])), without(script_bins[name], extra[name]))
        elif name.startswith("ctime"):
            same = {key: row[:3] for key, row in bins[name].items()} == {key: row[:3] for key, row in script_bins[name].items()}
        else:
            same = (heads[name], bins[name]) == (script_heads[name], script_bins[name])
        if not same:
            wrong.append((name, heads[name], bins[name], script_heads[name], script_bins[name], extra.get(name)))
    compare_totals(totals, script_totals, (exact_totals(root), (capacity, size)), wrong)
    return wrong


def exact_totals(root):
    """Returns the capacity and the data below a root in KiB, of each inode once."""
    capacity, data, seen = 0, 0, set()
    for directory, directories, files in os.walk(root):
        for each in files + directories:
            st = os.lstat(os.path.join(directory, each))
            if (st.st_nlink > 1 and each in files and st.st_ino in seen) or "/.snapshot" in directory:
                continue
            seen.add(st.st_ino)
            capacity, data = capacity + st.st_blocks / 2, data + st.st_size / 1024
    return capacity, data


def main():
    iotrace, script = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    if not re.search(r'VERSION_NUM +=> "1\.4\.5"', open(script, encoding="utf-8").read()):
        sys.exit(f"fsstats_original.py: {script}: found another script, expected fsstats 1.4.5")
    trees, failed = int(sys.argv[3]) if len(sys.argv) > 3 else 20, 0
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for seed in range(trees):
            now = int(time.time()) + 3600  # after all changes
            make_tree(f"tree{seed}", random.Random(seed), now)
            wrong = compare(iotrace, script, f"tree{seed}", now)
            failed += bool(wrong)
            for each in wrong:
                print(f"tree {seed}:", *each)
    print(f"{trees} trees, {failed} with differences")
    sys.exit(failed > 0)


main()
