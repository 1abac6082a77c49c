#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the values of iotrace analyze with those of analyze_reference.py.

	analyze_compare.py [--options=OPTIONS] IOTRACE SEED[-SEED] | INPUT...

An input is a trace or a log that iotrace cat reads, or a range of seeds of analyze_random.py. Integers have to be equal, other values
within 1e-9; each difference is printed, and of the first random trace that has any, the smallest part that
still has it. OPTIONS are options
that both programs have, separated by commas.
"""
import io
import json
import os
import re
import subprocess
import sys

import analyze_reference
from analyze_random import random_trace


TABLES = {"process": ("processes", "rows"), "rank": ("processes", "rank_rows"), "host": ("processes", "host_rows"), "file": ("files", "rows")}


def printed(tool, text, options):
    """Returns what iotrace analyze prints as JSON; None if it refuses the trace."""
    done = subprocess.run([tool, "analyze", "-q", "--json", "--allow-empty", *options], input=text, capture_output=True, check=False)
    if done.returncode > 1 or done.returncode < 0 or not done.stdout:
        return None
    return json.loads(done.stdout.decode("utf-8", "surrogateescape"))


def analyzed(tool, text, options):
    """Returns the values of iotrace analyze with the rows of its tables; None if it refuses the trace."""
    values = printed(tool, text, options)
    for by, (section, name) in TABLES.items() if values and not any("--section" in option for option in options) else ():
        rows = printed(tool, text, [*options, "--by=" + by])["rows"]
        values[section][name] = {row.pop("key") or "-": row for row in rows}
    return values


def as_printed(value):
    """JSON prints a byte that is not UTF-8 as the character of that number."""
    if isinstance(value, dict):
        return {as_printed(key): as_printed(each) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    return re.sub("[\udc80-\udcff]", lambda byte: chr(ord(byte[0]) - 0xDC00), value)


def findings_without_times(findings):
    """Returns {name: {code: value}} of findings that have no cost in time, without the one that depends on cycles: those that the
    reference has."""
    names = {}
    for finding in findings:
        if "cost_ns" in finding or finding["code"] == "overlap_possible":
            return {}
        for name, value in {"cost_share": finding["cost_share"], **finding["evidence"]}.items():
            names.setdefault(name, {})[finding["code"]] = value
    return names


def compare(tool, text, options):
    """Returns the differences of a trace in text form, and the names that the reference lacks."""
    found = analyzed(tool, text, options)
    if found is None:
        return ["iotrace analyze fails: -"], set()
    found["findings"] = findings_without_times(found.get("findings", []))
    lines = io.StringIO(text.decode("utf-8", "surrogateescape"), newline="\n")
    expected = as_printed(analyze_reference.values_of(lines, options))
    # Those of a sample of the requests, see analyze_reference.repetition.
    for name in ("repetition", "repetition_any_file"):
        for count in {"tokens", "covered"} - expected.get("order", {}).get(name, {}).keys():
            found.get("order", {}).get(name, {}).pop(count, None)
    lacking = {f"{s}.{name}" for s, values in found.items() for name in values if name not in expected.get(s, {})}
    return list(analyze_reference.differences(found, expected)), lacking


def as_text(lines):
    return ("\n".join(lines) + "\n").encode()


def first_name(differences):
    return differences[0].split(":")[0] if differences else None


def shrink(tool, lines, options):
    """Removes lines as long as the first value that differs still does."""
    name, step = first_name(compare(tool, as_text(lines), options)[0]), len(lines) // 2
    while step:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + step:]
            if fewer and any(d.split(":")[0] == name for d in compare(tool, as_text(fewer), options)[0]):
                lines = fewer
            else:
                at += step
        step //= 2
    return lines


def compare_seeds(tool, first, last, options):
    failed, lacking = 0, set()
    for seed in range(first, last + 1):
        lines = random_trace(seed)
        differences, more = compare(tool, as_text(lines), options)
        lacking |= more
        if differences:
            print(f"seed {seed}:", *differences[:5], sep="\n")
            if not failed:
                print("of", *shrink(tool, lines, options), sep="\n")
            failed += 1
    return failed, lacking


def compare_input(tool, name, options):
    text = subprocess.run([tool, "cat", "-q", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    if not text:
        print(f"{name}: not a trace")
        return 0, set()
    differences, lacking = compare(tool, text, options)
    print(f"{name}: {len(differences)} differences", *differences[:20], sep="\n")
    return bool(differences), lacking


def main():
    options, words = [], sys.argv[1:]
    if words and words[0].startswith("--options="):
        options = words.pop(0).partition("=")[2].split(",")
    if len(words) < 2:
        sys.exit(__doc__)
    failed, lacking = 0, set()
    for word in words[1:]:
        seeds = re.fullmatch(r"(\d+)(?:-(\d+))?", word)
        if seeds and not os.path.exists(word):
            result = compare_seeds(words[0], int(seeds[1]), int(seeds[2] or seeds[1]), options)
        else:
            result = compare_input(words[0], word, options)
        failed, lacking = failed + result[0], lacking | result[1]
    print(f"{failed} traces differ")
    if lacking:
        print("not compared:", *sorted(lacking))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
