#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks laws of the values of iotrace analyze on random traces: values that a change of the trace must not change, or changes by a
known factor, and sums that must agree.

	analyze_laws.py IOTRACE FIRST-LAST

Prints each law and the number of traces it holds for, and the first values of each that it does not hold for.
"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter

from analyze_random import random_trace

HOUR = 3600 * 10**6
TICK = 1000
# Of durations in a longer tick: multiplied by the tick, and divided by it
LONGER = re.compile(r"trace\.run_time_s$|totals\.(running_time_s|(\w+_)?io_ns)|time\.(read|write|operation|io|call)_time|"
                    r"metadata\.\w+_ns|(files|processes)\.top_time|processes\.imbalance_io_time\.mean")
FASTER = re.compile(r"(totals|large|classes)\.\w+_per_(running_)?s$|classes\.\w+_per_running_s\.")
OVER_TIME = re.compile(r"time\.(?!(read|write|operation|call)_time|(?!io_busy)io_|operation_share|call_share)|cycles\.")


def flat(values):
    """Returns {section.name.key: value}, of findings their shares alone, and without copies of values."""
    result = {}
    for section, names in values.items():
        if section == "map":
            continue
        if section == "findings":
            for finding in names:
                result["findings.cost_share." + finding["code"]] = finding["cost_share"]
            continue
        for name, value in names.items():
            for key, each in (value.items() if isinstance(value, dict) else [("", value)]):
                result[f"{section}.{name}" + (f".{key}" if key else "")] = each
    return result


def analyzed(tool, lines, *options):
    done = subprocess.run([tool, "analyze", "-q", "--json", *options], input="\n".join(lines) + "\n", capture_output=True, text=True,
                          check=True)
    return flat(json.loads(done.stdout))


def same(a, b):
    return a == b if not all(isinstance(v, (int, float)) for v in (a, b)) else math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def unequal(before, after, factor=lambda name: 1, skip=lambda name: False):
    """Yields the values that differ, after each is multiplied by the factor of its name."""
    for name in sorted({*before, *after}):
        a, b = before.get(name), after.get(name)
        if not skip(name) and not same(a if a is None else a * factor(name), b):
            yield f"{name}: {a}, {b}"


def without_job(lines):
    """The times of the job are of another clock."""
    return [re.sub(r" job-\w+=\S+", "", line) for line in lines]


def without_thresholds(values):
    """Without findings that are near the threshold under which they are trivial."""
    kept = {name: value for name, value in values.items() if not name.startswith("findings.")}
    for name, value in values.items():
        if name.startswith("findings.cost_share.") and value > 0.1:
            kept[name] = value
    return kept


def scaled(tool, lines):
    """Seconds of counters are in no tick."""
    lines = [line for line in without_job(lines) if not re.match(r"255 %(trace|counter)", line)]

    def factor(name):
        return 2 if LONGER.match(name) else 0.5 if FASTER.match(name) else 1

    before, after = (without_thresholds(analyzed(tool, lines, *options)) for options in ((), (f"--in-tick={2 * TICK}",)))
    for name in [name for name in {*before, *after} if name.startswith("findings.")]:
        a, b = before.pop(name, None), after.pop(name, None)  # thresholds in seconds; costs are whole nanoseconds
        if a is not None and b is not None and not math.isclose(a, b, rel_tol=1e-6):
            yield f"{name}: {a}, {b}"
    yield from unequal(before, after, factor, OVER_TIME.match)


def replaced(line, key, function):
    return re.sub(rf"\b{key}=(\d+)", lambda found: f"{key}={function(int(found[1]))}", line)


def shifted(tool, lines):
    """By a multiple of all bins, so that each bin has the same requests."""
    lines, by = without_job(lines), (1 << 20) * 10**6
    late, first = [], True
    for line in lines:
        fields = line.split()
        if fields[0] == "255":
            line = replaced(line, "time", lambda time: time + by)
        elif first:
            line, first = " ".join([*fields[:4], str(int(fields[4]) + by), *fields[5:]]), False
        late.append(line)
    if any("lacks=" in line and "start" in line for line in lines):
        return []
    return unequal(analyzed(tool, lines), analyzed(tool, late))


def renumbered(tool, lines):
    """Other numbers of processes and fileIds."""
    def process(number):
        return 1000 - number

    def file(number):
        return 7 * number + 3

    other = []
    for line in lines:
        fields = line.split()
        if fields[0] != "255":
            fields[7:9] = str(file(int(fields[7]))), str(process(int(fields[8])))
            line = " ".join(fields)
        else:
            kind = process if fields[1] == "%process" else file
            for key, function in (("id", kind), ("process", process), ("thread-of", process), ("file", file)):
                line = replaced(line, key, function)
        other.append(line)

    def name_of(name):
        name = re.sub(r"/(\d+)/(\d+)$", lambda found: f"/{process(int(found[1]))}/{file(int(found[2]))}", name)
        return re.sub(r"(processes\.top_\w+\.)(\d+)$", lambda found: found[1] + str(process(int(found[2]))), name)

    before = {name_of(name): value for name, value in analyzed(tool, lines, "--top=1000").items()}
    return unequal(before, analyzed(tool, other, "--top=1000"), skip=lambda name: name.endswith(".process"))


def doubled(tool, lines):
    """Every process twice, each with files of its own: counts and bytes double, and sizes keep their shares."""
    def twin(line):
        fields = line.split()
        if fields[0] != "255":
            return " ".join([*fields[:4], "0", *fields[5:8], str(int(fields[8]) + 10000), fields[9]])
        for key in ("process", "thread-of", "object", *(["id"] if fields[1] == "%process" else [])):
            line = replaced(line, key, lambda number: number + 10000)
        return line

    lines = [line for line in lines if not line.startswith("255 %counter")]  # which replace requests if there are none
    twice = [each for line in lines for each in ([line, twin(line)] if re.match(r"255 %(process|file|op)|\d+ 0", line) else [line])]
    doubles = re.compile(r"totals\.((reads|writes|requests|((read|written|extent)_)?bytes)$|(\w+_)?unknown_offset|(\w+_)?asynchronous|(\w+_)?io_ns|files|opens|created)|"
                         r"order\.((\w+_)?(followers|pattern_\w+)|sequential_runs|jumps)|sizes\.\w+_(size_bin|size_log2|size_classes)|"
                         r"time\.(read_time_ns|write_time_ns|operation_time_ns|io_time_ns|call_time_ns)|reuse\.(?!reuse|rounded)")
    equal = re.compile(r"sizes\.\w+_(size_m|small|variable|size_quantile)|order\.(\w+_)?(sequential|same|switch|consecutive|forward|backward|strided)_"
                       r"|totals\.(\w+_share|\w*_to_\w+|(\w+_)?size_mean|extent_m)|reuse\.(reuse|rounded)")
    limit = re.compile(r"18446744073709551615")
    before, after = analyzed(tool, lines), analyzed(tool, twice)
    if limit.search(json.dumps(after)):
        return []
    return unequal(before, after, lambda name: 2 if doubles.match(name) else 1,
                   lambda name: not (doubles.match(name) or equal.match(name)))


def sums(tool, lines):
    """Yields sums that do not agree, and shares outside 0 .. 1."""
    v = analyzed(tool, lines)
    if "reuse.footprint" not in v:  # counters replace requests, and need not agree with each other
        return

    def total(prefix):
        return sum(value for name, value in v.items() if name.startswith(prefix) and value is not None)

    def check(name, a, b):
        if not same(a, b):
            yield f"{name}: {a}, {b}"

    for verb in ("read", "write"):
        requests = v[f"totals.{verb}s"]
        for bins in ("size_bins", "size_log2", "size_classes"):
            yield from check(f"sizes.{verb}_{bins}", total(f"sizes.{verb}_{bins}."), requests)
        located = requests - v[f"totals.{verb}_unknown_offsets"]
        yield from check(f"order.{verb}_pattern_requests", total(f"order.{verb}_pattern_requests."), located)
        if v[f"order.{verb}_followers"]:
            shares = [f"order.{verb}_{name}_share" for name in ("consecutive", "forward", "re_access", "backward")]
            yield from check("order.consecutive_share ... backward", sum(v[name] for name in shares), 1)
    if v["totals.bytes"] < 1 << 63 and (v["totals.extent_max"] or 0) < (1 << 64) - 1:
        yield from reuse_sums(v, check, total)
    if v["totals.bytes"]:
        yield from check("totals.byte_share", v["totals.read_byte_share"] + v["totals.write_byte_share"], 1)
    if "time.bins" in v and v["time.io_busy_ns"] is not None:
        outstanding = total("time.concurrency_ns.") - v.get("time.concurrency_ns.0", 0) + v["time.concurrency_more_ns"]
        yield from check("time.io_busy_ns", outstanding, v["time.io_busy_ns"])
    if "time.bins" in v:
        yield from check("time.dominating_type", total("time.dominating_type."), 1)
        yield from check("time.rate_cdf", v["time.rate_cdf.100"] or 1, 1)
        for name in ("time.burst_byte_share", "time.idle_without_io.share", "time.idle_below_5.share"):
            if not 0 <= (v[name] or 0) <= 1:
                yield f"{name}: {v[name]}"
    for name, value in v.items():
        if re.match(r"time\.(\w+_)?(intensity|burstiness|parallel_intensity)", name) and value is not None and not 0 <= value <= 1:
            if "ranks=" not in lines[0]:
                yield f"{name}: {value}, outside 0 .. 1"
    read, write, both = (v[name] or 0 for name in ("time.read_time_ns", "time.write_time_ns", "time.io_time_ns"))
    if not max(read, write) <= both <= read + write:
        yield f"time.io_time_ns: {v['time.io_time_ns']}"
    yield from check("metadata.calls", total("metadata.calls.") + (v["metadata.other_calls"] or 0), v["metadata.operations"] or 0)
    yield from check("metadata.failed", total("metadata.errors.") + (v["metadata.other_errors"] or 0), v["metadata.failed_operations"] or 0)


def reuse_sums(v, check, total):
    """Each byte is of one kind, in one state and of one class."""
    kinds = {"read": ("first_read", "re_read", "read_after_write"),
             "written": ("first_write", "write_after_read", "overwrite_unread", "overwrite_read")}
    for d, names in kinds.items():
        located = v[f"totals.{d}_bytes"] - v[f"totals.{d}_unknown_offset_bytes"]
        yield from check("reuse kinds of " + d, sum(v["reuse." + name] for name in names), located)
        yield from check("classes of " + d, total(f"classes.{d}_reason_bytes."), v[f"totals.{d}_bytes"])
    final = v["reuse.state_bytes.written"] + v["reuse.state_bytes.written-last"]
    yield from check("reuse.state_bytes", total("reuse.state_bytes."), v["reuse.footprint"])
    yield from check("classes", total("classes.reason_bytes."), v["totals.bytes"])
    yield from check("bytes written", v["reuse.read_after_write"] + v["reuse.overwrite_unread"] + final,
                     v["totals.written_bytes"] - v["totals.written_unknown_offset_bytes"])
    yield from check("unique bytes", v["reuse.first_read"] + v["reuse.first_write"], v["reuse.footprint"])


def processes_apart(tool, lines):
    """The values of the processes alone, added up."""
    lines = [line for line in without_job(lines) if "thread-of" not in line]
    ids = sorted({line.split()[8] for line in lines if not line.startswith("255")})
    names = ("totals.reads", "totals.writes", "totals.read_bytes", "totals.written_bytes", "totals.unknown_offsets", "totals.asynchronous_requests", "order.followers",
             "order.sequential_runs", "order.jumps", "time.read_time_ns", "time.write_time_ns", "time.io_time_ns")
    added = Counter()
    for process in ids:
        alone = []
        for line in lines:
            fields = line.split()
            if fields[0] != "255" and fields[8] != process:
                fields[0] = "129" if int(fields[0]) & 128 else "1"
                line = " ".join(fields)
            alone.append(line)
        values = analyzed(tool, alone, "--layer=posix")
        for name in names:
            added[name] += values[name] or 0
    whole = analyzed(tool, lines, "--layer=posix")
    if not ids or whole["totals.bytes"] >= 1 << 63:
        return []
    return unequal({name: whole[name] or 0 for name in names}, {name: added[name] for name in names})


def piped(tool, lines, *words):
    """Returns the trace that a command of iotrace writes."""
    done = subprocess.run([tool, *words], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False)
    return done.stdout.rstrip("\n").split("\n")


def canonical(tool, lines):
    return unequal(analyzed(tool, lines), analyzed(tool, piped(tool, lines, "cat")))


def anonymized(tool, lines):
    lines = [re.sub(r" epoch=\S+", "", line) for line in without_job(lines)]
    with tempfile.NamedTemporaryFile("w", suffix=".key") as key:
        key.write("a key of no secret for tests")
        key.flush()
        other = piped(tool, lines, "anonymize", "--key", key.name)
    return unequal(analyzed(tool, lines), analyzed(tool, other),
                   skip=lambda name: re.match(r"trace\.(source|command|host)|(files|processes)\.(top_|imbalance_\w+\.process)", name))


SUMS = re.compile(r"totals\.((reads|writes|requests|((read|written)_)?bytes)$|(\w+_)?(unknown_offset|asynchronous))|"
                  r"sizes\.\w+_(size_bin|size_log2|size_classes|offset_zero)|trace\.other")
UNORDERED = re.compile(r"totals\.(?!out_of_order|\w*running)|sizes\.(?!\w+_common_size_other)|trace\.")


def sliced(tool, lines):
    """Counts of two slices, added up; of logical records, as a slice may have only physical ones, which are then the default."""
    half = sum(not line.startswith("255") for line in lines) // 2
    lines = [line.replace(" layer=mpiio", "") for line in lines]
    added = Counter()
    for records in (f"0-{max(0, half - 1)}", f"{half}-1000000")[not half:]:
        added.update({name: value for name, value in
                      analyzed(tool, piped(tool, lines, "slice", "--records=" + records), "--layer=logical").items() if SUMS.match(name)})
    whole = analyzed(tool, lines, "--layer=logical")
    if whole["totals.bytes"] >= 1 << 63:
        return []
    return unequal(whole, added, skip=lambda name: not SUMS.match(name))


def threads(tool, lines):
    """Several threads compute the same values."""
    name = f"{tempfile.gettempdir()}/laws.{os.getpid()}.iot"
    try:
        for interval in (2, 37):
            piped(tool, lines, "cat", "--framed", f"--sync={interval}", "-o", name)
            whole = analyzed(tool, lines)
            for n in (1, 2, 3, 4):
                done = subprocess.run([tool, "analyze", "-q", "--json", f"--threads={n}", name], capture_output=True, check=True)
                found = flat(json.loads(done.stdout))
                yield from [f"--sync={interval}, {n} threads: {v}" for v in sorted({*whole, *found}) if whole.get(v) != found.get(v)]
    finally:
        os.unlink(name)


def reordered(tool, lines):
    """In order of start, what does not depend on the order is the same."""
    if any("lacks=" in line and "start" in line or "start=unknown" in line for line in lines):
        return []
    after = analyzed(tool, piped(tool, lines, "reorder"))
    if after["totals.out_of_order"]:
        return [f"totals.out_of_order: {after['totals.out_of_order']}"]
    return unequal(analyzed(tool, lines), after, skip=lambda name: not UNORDERED.match(name))


LAWS = {"canonical": canonical, "anonymized": anonymized, "threads": threads, "two slices": sliced, "in order of start": reordered,
        "times in a tick twice as long": scaled, "the trace starts later": shifted, "other numbers of processes and files": renumbered,
        "every process twice": doubled, "sums and shares of one trace": sums, "sums over the processes": processes_apart}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    first, last = map(int, sys.argv[2].split("-"))
    failed = 0
    for name, law in LAWS.items():
        wrong = {seed: list(law(sys.argv[1], random_trace(seed))) for seed in range(first, last + 1)}
        wrong = {seed: found for seed, found in wrong.items() if found}
        print(f"{name}: {last + 1 - first - len(wrong)} of {last + 1 - first}")
        for seed, found in list(wrong.items())[:3]:
            print(f"  seed {seed}:", *found[:5], sep="\n    ")
        failed += len(wrong)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
