#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Converts the results of `bench --json` to a document and a plot.

usage: results.py RESULTS.json RESULTS.md RESULTS.svg COMMAND
"""
import datetime
import json
import os
import subprocess
import sys

BARS = [
    ("floor_decode", "floor: decode"), ("decode", "codec: decode"),
    ("read_memory", "read memory"), ("read_plain", "read .iot"),
    ("read_zstd", "read .zst"), ("read_zstd_2", "read .zst, 2 threads"), ("fold_zstd", "count .zst, 2 threads"),
    ("unzstd_command", "zstd -d alone"), ("pcap", "libpcap"),
    ("floor_encode", "floor: encode"), ("encode", "codec: encode"),
    ("write_memory", "write memory"), ("write_plain", "write .iot"),
    ("write_zstd", "write .zst -3"), ("write_zstd_2", "write .zst -3, 2 threads"),
    ("write_default", "write .zst -1"), ("write_default_2", "write .zst -1, 2 threads"),
    ("dozstd_command", "zstd -3 alone"),
]
SIZES = [("plain", "plain"), ("zstd_1", "zstd -1"), ("zstd_3", "zstd -3"), ("zstd_19", "zstd -19"),
         ("gzip_6", "gzip -6"), ("pcap", "pcap")]


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def processor():
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return os.uname().machine


def machine():
    load = "%.1f" % os.getloadavg()[0]
    return [("Date", datetime.date.today().isoformat()),
            ("Processor", "%s, %d cores" % (processor(), os.cpu_count() or 0)),
            ("System", "%s %s" % (os.uname().sysname, ".".join(os.uname().release.split(".")[:2]))),
            ("Compiler", first_line("cc", "--version")),
            ("zstd", first_line("zstd", "--version").strip("* ")),
            ("libpcap", first_line("pkg-config", "--modversion", "libpcap")),
            ("Load at the end", load)]


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" + "---:|" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def times_of(workload):
    for key, entry in workload["times"].items():
        yield (entry["text"], "%.2f" % (entry["records_per_s"] / 1e6),
               "%.2f" % entry["ns_per_record"], "%.0f" % entry["mb_per_s"])


def goals_of(workload):
    for goal in workload["goals"]:
        wanted = "%.2f" % goal["goal"] if "goal" in goal else ""
        met = verdict(goal["reached"]) if "reached" in goal else ""
        yield (goal["text"].strip(), "%.2f %s" % (goal["found"], goal["unit"]), wanted, met)


def document(workloads, command):
    yield "# Results"
    yield ""
    yield ("Medians of %d runs in one process, everything in turns, seed %d. One thread: CPU time; two threads, "
           "commands, and what is compared with them: wall clock. Peak memory: of a process that does nothing else."
           % (workloads[0]["runs"], workloads[0]["seed"]))
    yield ""
    yield from table(("", ""), machine() + [("Command", "`%s`" % command)])
    yield from reached(workloads)
    yield "![records per second](results.svg)"
    yield ""
    for w in workloads:
        yield "## %s" % w["workload"]
        yield ""
        yield "%d I/Os, %d of them different; gzip: %d, zstd -19: %d." % (
            w["records"], w["distinct"], w["records_gzip"], w["records_19"])
        yield ""
        yield from table(("", "M records/s", "ns/record", "MB/s of text"), times_of(w))
        sizes = [(name, "%.2f" % w["bytes_per_record"][key])
                 for key, name in SIZES if w["bytes_per_record"][key] > 0]
        if w["peak_read_kib"] > 0:
            sizes.append(("peak memory, reading .zst on two threads", "%.1f MiB" % (w["peak_read_kib"] / 1024)))
            sizes.append(("peak memory, writing .zst", "%.1f MiB" % (w["peak_write_kib"] / 1024)))
        yield from table(("bytes/record", ""), sizes)
        yield from table(("", "found", "goal", ""), goals_of(w))
    yield from missed(workloads)


REASONS = {
    "read from memory, checked":
        "Instructions bound it: they retire at three to four a cycle, and hardly a branch or a load is missed (below).",
    "times that on mixed":
        "Caches bound it: the tables of 4,096 processes are some 5 MB, beyond the second cache, and a record that goes to another "
        "file of its process waits for its keys and then for its entry. What others on the machine do to the caches decides.",
    "read .zst, one thread":
        "One thread does what libzstd does alone and then what a read from memory does; the sum of both is the limit.",
    "count .zst side by side, two threads":
        "Both threads do what libzstd does alone and then what a read from memory does; half the sum of both is the limit, on two "
        "processors that do nothing else.",
    "read .zst, two threads, times zstd -d":
        "Two processors that do nothing else are needed: one unpacks, one decodes.",
    "times libzstd alone":
        "libzstd unpacks there from memory to memory, in one place; here the text goes through a ring to another "
        "processor's cache.",
    "write .zst -3, two threads, times libzstd":
        "Encoding is one of the two threads; at the end of a frame zstd waits for its last job.",
    "times zstd -3":
        "zstd itself reads and compresses on two threads.",
    "zstd -19":
        "The fewer I/Os (--level19), the less zstd has to find matches in: 6.4 needs 400,000.",
}


# Goals in records per second were set on a machine where the floor's decoder does 41 M/s on mixed, and its encoder 38.
FLOORS = {"decoder": ("floor_decode", 41), "encoder": ("floor_encode", 38)}
SCALED = [("mixed", "read from memory, checked", "read_memory", "decoder"),
          ("sequential", "read from memory, checked", "read_memory", "decoder"),
          ("mixed", "read .zst, one thread", "read_zstd", "decoder"),
          ("mixed", "count .zst side by side, two threads", "fold_zstd", "decoder"),
          ("mixed", "write to memory, checked", "write_memory", "encoder")]


def goals_with_names(workload):
    """Completes the names of goals: an indented name continues the name in the line before."""
    before = ""
    for goal in workload["goals"]:
        text = goal["text"]
        if not text.startswith(" "):
            before = text.split(", times ")[0]
        yield goal, before + ", " + text.strip() if text.startswith(" ") else text


def scaled(workloads):
    """Returns the names of goals in records per second, with the ratio to the floor that was required and the one that was measured."""
    mixed = next((w for w in workloads if w["workload"] == "mixed"), None)
    for name, text, key, floor in SCALED:
        floor_key, floor_there = FLOORS[floor]
        for w in workloads:
            goal = next((g for g in w["goals"] if g["text"] == text and "goal" in g), None)
            if mixed is None or w["workload"] != name or goal is None or floor_key not in mixed["times"]:
                continue
            floor_here = mixed["times"][floor_key]["records_per_s"] / 1e6
            yield (name, text), (goal["goal"], goal["found"], floor, floor_there, floor_here,
                                 goal["goal"] / floor_there, goal["found"] / floor_here)


def reached(workloads):
    yield "## Goals"
    yield ""
    yield ("Goals in records per second were set on another machine. The fair figure is how many times as fast it is as the "
           "*floor* (bench/floor.c, the least that has to be done for each record, unchecked) on *mixed* on the same machine. "
           "All ratios are records per second of ours through those of what it is compared with: more is faster, and more than 1 is "
           "faster than that.")
    yield ""
    rows = []
    by_ratio = dict(scaled(workloads))
    for (name, text), (goal, found, floor, there, here, asked, got) in by_ratio.items():
        rows.append(("*%s*, %s" % (name, text), "%.0f M/s where the floor's %s does %d: %.2f times the floor" % (goal, floor, there, asked),
                     "%.1f M/s where the floor does %.1f: **%.2f times the floor**" % (found, here, got), verdict(got >= asked)))
    for w in workloads:
        for goal, name in goals_with_names(w):
            if "goal" not in goal or (w["workload"], goal["text"]) in by_ratio or "the floor's" in name:
                continue
            most = "at most " if goal["unit"] != "x" else "at least "
            unit = "" if goal["unit"] == "x" else " " + goal["unit"]
            rows.append(("*%s*, %s" % (w["workload"], name), "%s%.2f%s" % (most, goal["goal"], unit),
                         "**%.2f**%s" % (goal["found"], unit), verdict(goal["reached"])))
    yield from table(("goal", "asked for", "found here", ""), rows)


def verdict(is_reached):
    return "reached" if is_reached else "**not reached**"


def missed(workloads):
    yield "## Goals not reached, and why"
    yield ""
    by_ratio = dict(scaled(workloads))
    for w in workloads:
        for goal, name in goals_with_names(w):
            ratio = by_ratio.get((w["workload"], goal["text"]))
            if goal.get("reached") is not False or (ratio is not None and ratio[-1] >= ratio[-2]):
                continue
            yield "* *%s*, %s: %.2f %s, wanted %.2f. %s" % (
                w["workload"], name, goal["found"], goal["unit"], goal["goal"],
                REASONS.get(goal["text"].strip(), ""))
    yield ""


def plot(workload):
    bars = [(name, workload["times"][key]["records_per_s"] / 1e6)
            for key, name in BARS if key in workload["times"]]
    top = max(value for _, value in bars)
    height = 22 * len(bars) + 50
    yield ('<svg xmlns="http://www.w3.org/2000/svg" width="720" height="%d" font-family="sans-serif" '
           'font-size="12">' % height)
    yield '<rect width="100%" height="100%" fill="white"/>'
    yield '<text x="10" y="20" font-size="14">%s: million records per second</text>' % workload["workload"]
    for i, (name, value) in enumerate(bars):
        y = 35 + 22 * i
        ours = not any(word in name for word in ("floor", "alone", "libpcap"))
        yield '<text x="170" y="%d" text-anchor="end">%s</text>' % (y + 13, name)
        yield '<rect x="178" y="%d" width="%.1f" height="17" fill="%s"/>' % (
            y, 480 * value / top, "#2b6cb0" if ours else "#a0aec0")
        yield '<text x="%.1f" y="%d">%.1f</text>' % (184 + 480 * value / top, y + 13, value)
    yield "</svg>"


def main():
    with open(sys.argv[1], encoding="utf-8") as lines:
        workloads = [json.loads(line) for line in lines]
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write("\n".join(document(workloads, sys.argv[4])))
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        out.write("\n".join(plot(workloads[0])) + "\n")


main()
