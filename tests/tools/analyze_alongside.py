#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the analysis of several traces of a job with that of the trace that iotrace merge makes of them.

	analyze_alongside.py IOTRACE SEED[-SEED]

The traces are those of analyze_random.py, in order of start, with other ranks in each, the same paths, and ids that collide if the seed
is odd. They are analyzed together as traces, or as states that are joined in a random tree. All values have to be equal, except those
that need one order of all requests: these have to be null. Findings follow from the other values, and are left out with them.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from analyze_random import random_trace

UNORDERED = re.compile(r"inter_arrival(_file)?(_quantile)?(_ns|_bins)|concurrency_(ns|more_ns|max)|io_busy_ns|idle_gap(_quantile)?(_ns|_bins)|"
                       r"first_(read|write)|re_read|read_after_write|write_after_read|overwrite_(un)?read|state_bytes|"
                       r"(read_|write_|written_)?reason_(bytes|share|bytes_per_running_s)|checkpoint_(files|series)")
CLASS_COLUMNS = re.compile(r"(read|write)_(required|checkpoint|swapping|rewritten|unplaced)|class")
TABLES = ("process", "file", "op")


def run(tool, *words, text=None):
    done = subprocess.run([tool, *words], input=text, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr.decode()}")
    return done.stdout


def of_rank(line, number, seed, shared):
    """Changes a line so that its trace is one of a job: ranks are distinct, and so are the other ids unless the seed is odd."""
    line = re.sub(r" host=\S+", "", re.sub(r" rank=(\d+)", "", line))
    line = re.sub(r"(%process id=(\d+))", rf"\1 rank={100 * number}\2", line)
    if line.startswith("255 %trace"):
        return re.sub(r" (ranks|job-start|job-end|epoch)=\S+", "", line) + shared
    if seed % 2:
        return line
    line = re.sub(r"(%process id=|process=|thread-of=)(\d+)", lambda m: m[1] + str(int(m[2]) + 1000 * number), line)
    line = re.sub(r"(object=| file=|%file process=\d+ id=)(\d+)", lambda m: m[1] + str(int(m[2]) + 1000 * number), line)
    fields = line.split(" ")
    if fields[0] != "255":
        fields[7:9] = (str(int(field) + 1000 * number) for field in fields[7:9])
    return " ".join(fields)


def without_early_counters(lines):
    """Merge takes the path in the first mention of an object, which is to be that of a %file."""
    named = set()
    for line in lines:
        found = re.search(r" object=(\d+)", line)
        if found and " path=" in line:
            named.add(found[1])
        if not found or "%counter" not in line or found[1] in named:
            yield line


def make_traces(tool, folder, seed):
    """Returns the names of the traces of a job."""
    rng, names = random.Random(seed), []
    epochs = rng.random() < 0.7
    shared = rng.choice(["", " ranks=50", " job-start=1699999990.25 job-end=1700000009.5"])
    for number in range(1, rng.choice([2, 3, 5]) + 1):
        key = f" job=7 epoch={1700000000000000000 + 1000 * rng.randrange(10**6)}" if epochs else " job=7"
        lines = [of_rank(line, number, seed, shared + key) for line in without_early_counters(random_trace(1000 * seed + number))]
        names.append(os.path.join(folder, f"{rng.randrange(10**6)}.iot"))
        run(tool, "reorder", "-q", "--no-fsync", "-o", names[-1], "-", text=("\n".join(lines) + "\n").encode())
    return names


def join_states(tool, folder, names, rng):
    """Replaces traces by their states, and joins these in pairs until two are left."""
    states = []
    for number, name in enumerate(names):
        states.append(os.path.join(folder, f"{number}.state"))
        run(tool, "analyze", "-q", "--no-fsync", "-s", states[-1], name)
    while len(states) > 2:
        first, second = (states.pop(rng.randrange(len(states))) for _ in range(2))
        run(tool, "analyze", "-q", "--no-fsync", "-s", first + "+", first, second)
        states.append(first + "+")
    return states


def analyzed(tool, names):
    """Returns all values, with files named by their paths, and the processes of tables by their ranks: ids may differ, those of several
    traces also with the sections that are analyzed. So values of processes in lists have no names."""
    values = json.loads(run(tool, "analyze", "-q", "--json", "--top=100000", *names))
    rows = {by: json.loads(run(tool, "analyze", "-q", "--json", "--by=" + by, *names))["rows"] for by in TABLES}
    ranks = {row["key"]: f"rank {row['rank']}" if row["rank"] is not None else "unranked" for row in rows["process"]}
    paths = values["files"].get("top_path", {})
    table_paths = {row["key"]: row["path"] or "object" for row in rows["file"]}

    def renamed(key, section):
        if section == "files" and re.match("object/|stream/", key):
            return paths.get(key) or "object"
        return "" if section == "processes" and key.isdigit() else key
    out = {}
    values.pop("findings")
    for section, names_of in values.items():
        for name, value in names_of.items():
            if isinstance(value, dict):
                value.pop("process", None)
                value = sorted(([renamed(key, section), v] for key, v in value.items()), key=str)
            out[f"{section}.{name}"] = value
    for by, table in rows.items():
        for row in table:
            row["key"] = {"process": ranks, "file": table_paths}.get(by, {}).get(row["key"], row["key"])
        out["rows." + by] = sorted((sorted(row.items()) for row in table), key=str)
    return out


def equal(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a is not None and b is not None and abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b


def compare(tool, seed):
    """Returns the differences of a job."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        names = make_traces(tool, folder, seed)
        merged = os.path.join(folder, "merged")
        run(tool, "merge", "-q", "--no-fsync", "--join-paths", "-o", merged, *names)
        if rng.random() < 0.5:
            names = join_states(tool, folder, names, rng)
        found, expected = analyzed(tool, names), analyzed(tool, [merged])
    if found.get("classes.reason_bytes") is None:
        for values in (found, expected):
            values["rows.file"] = sorted(([pair for pair in row if not CLASS_COLUMNS.fullmatch(pair[0])] for row in values["rows.file"]),
                                         key=str)
            values["map.4.4"] = None
    differences = [f"{name}: {found.get(name)}, merged {expected.get(name)}" for name in expected
                   if not equal(found.get(name), expected[name]) and
                   not (UNORDERED.fullmatch(name.partition(".")[2]) and found[name] is None)]
    return differences + [f"{name}: not null" for name in ("time.inter_arrival_ns", "time.concurrency_max") if found.get(name) is not None]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    first, _, last = sys.argv[2].partition("-")
    failed = 0
    for seed in range(int(first), int(last or first) + 1):
        differences = compare(sys.argv[1], seed)
        failed += bool(differences)
        for difference in differences[:5]:
            print(f"seed {seed}: {difference[:400]}")
    print(f"{failed} jobs differ")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
