#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that anonymized traces have the same numbers and no names.

    anonymous_truth.py IOTRACE INPUT...

Each INPUT (a trace, or what `iotrace convert` takes; the files of a directory each by itself) is made
anonymous. Then `info` and the rows of `stat` must have the same figures as before, and no name of four
characters or more that the trace had (a part of a path, host, user, command, name of a process,
percent-decoded) may stand anywhere in a directive's value. Figures are not names.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from urllib.parse import unquote_to_bytes

NAMES = {"path", "to", "host", "user", "command", "name", "source-id"}
LEAST = 4


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr


def directives(text):
    for line in text.split(b"\n"):
        if line.startswith(b"ff %") and not line.startswith((b"ff %iotrace", b"ff %sync", b"ff %end")):
            words = line[4:].split()
            yield words[0], [w.partition(b"=") for w in words[1:]]


def names_of(text):
    """Returns the words of all names, split at the separators of paths and commands."""
    found = set()
    for directive, pairs in directives(text):
        for key, _, value in pairs:
            if key.decode("latin-1") not in NAMES or (directive, key) == (b"op", b"name"):
                continue
            for part in re.split(rb"[/\s]", unquote_to_bytes(value)):
                if len(part) >= LEAST and not re.fullmatch(rb"[0-9.+-]+", part):
                    found.add(part)
    return found


# Values that are words of the format, whatever else they may be the name of.
FORMAT = {b"source", b"lacks", b"kind", b"offset", b"result", b"fs"}


def leaks(text, names):
    """Returns the names that occur in values. A pattern of all names would be slow, so their first four bytes are looked up."""
    heads = {}
    for name in names:
        heads.setdefault(name[:LEAST], set()).add(name)
    found = set()
    for directive, pairs in directives(text):
        for key, _, value in pairs:
            if key in FORMAT or (directive, key) == (b"op", b"name"):
                continue
            value = unquote_to_bytes(value)
            for i in range(len(value) - LEAST + 1):
                for name in heads.get(value[i:i + LEAST], ()):
                    if value.startswith(name, i):
                        found.add(name)
    return found


TOLD = ("path", "source", "command", "host", "user", "epoch_ns", "comments", "text_bytes", "stored_bytes")


def figures(iotrace, trace):
    _, info, _ = run(iotrace, "info", "-q", "--json", trace)
    facts = json.loads(info)
    keep = sorted((key, value) for key, value in facts.items() if key not in TOLD)
    _, rows, _ = run(iotrace, "stat", "-q", "--tsv", trace)
    table = [row.split("\t") for row in rows.decode("latin-1").split("\n") if row]
    head = table[0]
    drop = {head.index(name) for name in ("process", "file", "object", "name")}
    return keep, sorted([cell for i, cell in enumerate(row) if i not in drop] for row in table[1:])


def check(iotrace, source, folder):
    trace, shared = os.path.join(folder, "in.iot"), os.path.join(folder, "out.iot")
    key = os.path.join(folder, "key")
    for path in (trace, shared):
        if os.path.exists(path):
            os.remove(path)
    run(iotrace, "cat", "-q", "-o", trace, source)
    if not os.path.exists(trace):
        run(iotrace, "convert", "-q", "-o", trace, source)
    if not os.path.exists(trace):
        return None
    words = [] if os.path.exists(key) else ["--new-key"]
    status, _, err = run(iotrace, "anonymize", "-q", "--key", key, *words, "-o", shared, trace)
    if status != 0:
        return ["exit status %d: %s" % (status, err.decode("latin-1").strip())]
    with open(trace, "rb") as file:
        names = names_of(file.read())
    with open(shared, "rb") as file:
        found = leaks(file.read(), names)
    faults = ["name %r" % name for name in sorted(found)[:5]]
    before, after = figures(iotrace, trace), figures(iotrace, shared)
    faults += ["info: %s, was %s" % (b, a) for a, b in zip(before[0], after[0]) if a != b]
    if before[1] != after[1]:
        faults.append("figures of stat differ")
    return faults, len(names)


def inputs(paths):
    for path in paths:
        if not os.path.isdir(path) or os.path.exists(os.path.join(path, "recorder.mt")):
            yield path
            continue
        for name in sorted(os.listdir(path)):
            yield os.path.join(path, name)


def main():
    iotrace = sys.argv[1]
    passed = failed = other = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in inputs(sys.argv[2:]):
            result = check(iotrace, source, folder)
            if result is None:
                other += 1
                continue
            faults, names = result
            total += names
            passed += not faults
            failed += bool(faults)
            for fault in faults:
                print("%s: %s" % (source, fault))
    print("anonymous: %d names looked for, %d inputs that are no traces" % (total, other))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


sys.exit(main())
