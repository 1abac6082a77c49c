#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Computes the statistics of `iotrace analyze` slowly and clearly, with all requests in memory; shares no code with the library.

	iotrace cat TRACE | analyze_reference.py [OPTION]... >values.json
	analyze_reference.py --compare VALUES1.json VALUES2.json

Integers are exact, except that sums remain at 2^64 - 1. Floating point is used in the last division only. A value that cannot be
computed is null. States are left out. Readings of ambiguous definitions are in the docstrings.
"""
import argparse
import heapq
import json
import math
import sys
from collections import Counter, defaultdict
from decimal import Decimal
from itertools import groupby

import counters_reference
import reuse_reference
import cycles_reference
from study_symbols import named
from trace_text import ASYNCHRONOUS, KIND, LOGICAL, WRITE, Reader, Record

SECOND = 10**9
KIB, MIB = 1 << 10, 1 << 20
SMALL = [4 * KIB, 8 * KIB, 64 * KIB, 128 * KIB, 512 * KIB, MIB, 4 * MIB]
DARSHAN = [("0-100", 100), ("100-1K", 1024), ("1K-10K", 10240), ("10K-100K", 102400), ("100K-1M", MIB), ("1M-4M", 4 * MIB),
           ("4M-10M", 10485760), ("10M-100M", 104857600), ("100M-1G", 1 << 30), ("1G+", None)]
MAIN_THRESHOLD = MIB
THRESHOLDS = [0, KIB, 8 * KIB, 128 * KIB, 512 * KIB, MIB]
LAYERS = ["posix", "mpiio"]
BLOCK = 512
KINDS = {1: "metadata", 2: "read_ahead", 3: "virtual_memory"}
PATTERNS = ["short", "contiguous", "simple strided", "nested strided", "sequential", "random"]
MAX_SUM = (1 << 64) - 1
MAX_BINS, MAX_FINE, MAX_CELLS, MAX_SIZES, MAX_STRIDES, MAX_VARIABLE, MAX_TOKENS = 1 << 16, 1 << 14, 1 << 20, 1 << 14, 64, 64, 1 << 14


def add_up(values):
    """Returns the sum, which remains at the maximum."""
    return min(sum(values), MAX_SUM)


def ratio(numerator, denominator):
    return None if numerator is None or not denominator else numerator / denominator


def float_of(fraction):
    return None if fraction is None else float(fraction)


def by_direction(name, function, requests):
    """Returns name_r, name_w and name: the function of reads, of writes and of all requests."""
    return {f"{name}_r": function([r for r in requests if not r.write]), f"{name}_w": function([r for r in requests if r.write]),
            name: function(requests)}


def mean_cv(values):
    """The coefficient of variation has the standard deviation of the population."""
    n, total, squares = len(values), sum(values), sum(v * v for v in values)
    return ratio(total, n), ratio(math.sqrt(n * squares - total * total), total)


class Histogram:
    """Upper-inclusive log-linear bins, 32 per octave (L)."""

    def __init__(self, values=()):
        self.count, self.weight = Counter(), Counter()
        self.n = self.sum = self.squares = 0
        self.min = self.max = None
        for value in values:
            self.add(value)

    @staticmethod
    def index(v):
        if v <= 64:
            return v
        e = (v - 1).bit_length() - 1
        return 65 + 32 * (e - 6) + ((v - 1) >> (e - 5)) - 32

    @staticmethod
    def bounds(index):
        if index <= 64:
            return index, index
        e, step = 6 + (index - 65) // 32, (index - 65) % 32
        return ((32 + step) << (e - 5)) + 1, min((33 + step) << (e - 5), MAX_SUM)

    def add(self, v):
        self.count[self.index(v)] += 1
        self.weight[self.index(v)] = add_up([self.weight[self.index(v)], v])
        self.n, self.sum, self.squares = self.n + 1, min(self.sum + v, MAX_SUM), min(self.squares + v * v, (1 << 128) - 1)
        self.min = v if self.min is None else min(self.min, v)
        self.max = v if self.max is None else max(self.max, v)

    def quantile(self, percent):
        """Returns the mid-point of the lowest bin with at least this share of the values at or below it."""
        below = 0
        for index in sorted(self.count):
            below += self.count[index]
            if 100 * below >= percent * self.n:
                return sum(self.bounds(index)) / 2
        return None

    def quantiles(self, percents=(1, 25, 50, 75, 90, 99)):
        return {str(p / 100): self.quantile(p) for p in percents}

    def mean(self):
        return ratio(self.sum, self.n)

    def deviation(self):
        """The standard deviation of the population (division by n)."""
        return ratio(math.sqrt(max(0, self.n * self.squares - self.sum * self.sum)), self.n)

    def summary(self):
        return {"n": self.n, "sum": self.sum, "min": self.min, "max": self.max, "mean": self.mean(), "cv": ratio(
            self.deviation(), self.mean()), "quantile": self.quantiles(), "L": self.by_upper(self.count)}

    def by_upper(self, numbers):
        return {str(self.bounds(index)[1]): numbers[index] for index in sorted(numbers)}


class Union:
    """The length of a union of intervals that arrive in order; gaps is a list of the distances between them.

    Readings. An interval of length 0 is empty: it neither adds to the union nor divides a gap. An interval that starts before the end of
    the union adds what lies after that end (rule 7: the order is that of the trace), so of a record out of order only this counts.
    """

    def __init__(self):
        self.length, self.end, self.gaps = 0, None, []

    def add(self, start, duration):
        if not duration:
            return
        if self.end is not None and start > self.end:
            self.gaps.append(start - self.end)
        begin = start if self.end is None else max(start, self.end)
        self.length += max(0, start + duration - begin)
        self.end = max(begin, start + duration)


class Operation:
    __slots__ = ("name", "process", "file", "time", "took", "result")

    def opens(self):
        """Returns whether the operation returns a descriptor of a file."""
        return self.name in ("open", "create") and self.result == "0" and self.file is not None


class Trace:
    """The requests and operations of a trace with the counting rules applied.

    Readings.
    - Without an option, physical records are analyzed if there are no logical ones.
    - "Lowest layer present": the lowest one that a request declares; a request whose file declares no layer is of posix.
    - A process is added to the owner that `thread-of` of its definition in effect at the event names, and no further.
    - Times (t_start, t_end) and out_of_order concern all records of the trace, also those of other kinds and layers, and operations.
    - P also counts processes whose requests are of another layer.
    - Of several %trace the last one declares ranks and the times of the job, and the first one that precedes all times the epoch.
    - A %file without a preceding close belongs to the open stream unless it declares another object; a record after a close opens another
      stream.
      After a close no definition of the fileId is in effect until the next %file.
    - A file without an object is one (process, fileId), with the process of the record, also if that is a thread.
    """

    def __init__(self, lines, options):
        self.options, self.requests, self.operations, self.events = options, [], [], []
        self.programs = {}
        self.keys, self.hosts, self.ranks, self.paths, self.job, self.sections = {}, {}, {}, {}, {}, {}
        self.other, self.task_of, self.streams, self.counters = Counter(), {}, {}, []
        self.all_processes, self.lacks = set(), set()
        self.lost = self.lost_records = self.out_of_order = self.other_level = self.left_out = 0
        self.earliest = self.latest = self.previous_start = None
        lines = list(lines)
        options.physical = options.physical or not options.layer and only_physical(lines, options.tick)
        reader = Reader(options.tick)
        for event in reader.events(lines):
            if isinstance(event, Record):
                self.add_record(event, reader)
            else:
                self.add_directive(event, reader)
        self.choose_layer()
        self.P = int(self.keys.get("ranks", 0)) or len(self.all_processes)
        self.set_span()

    def owner(self, process, reader):
        definition = reader.processes.get(process, {})
        return int(definition["thread-of"]) if "thread-of" in definition and not self.options.per_thread else process

    def add_record(self, record, reader):
        self.extend_span(record.start, record.duration)
        if bool(record.type & LOGICAL) == self.options.physical:
            self.other_level += 1
            return
        if self.options.physical:
            record.length *= BLOCK
            record.offset = record.offset and record.offset * BLOCK
        if record.type & KIND and not self.options.physical:
            name = KINDS[record.type & KIND] + ("_w" if record.type & WRITE else "_r")
            self.other["N", name] += 1
            self.other["S", name] = add_up([self.other["S", name], record.length])
        else:
            self.add_request(record, reader)

    def add_request(self, record, reader):
        request = Request(record, self.owner(record.process, reader))
        request.stream = self.stream_of(record, request)
        self.all_processes.add(request.process)
        self.requests.append(request)
        self.events.append(request)

    def stream_of(self, record, request):
        """A fileId is another stream if it gets another object."""
        place, generation = (record.process, record.file), 0 if self.options.physical else record.generation
        at, file, number = self.streams.get(place, (generation, request.file, 0))
        number += at != generation or file != request.file
        self.streams[place] = generation, request.file, number
        return (*place, number)

    def add_trace(self, keys):
        for key in ("epoch",):
            if key in keys and self.earliest is None:
                self.keys.setdefault(key, keys[key])
        for key in ("ranks", "lengths"):
            if key in keys:
                self.keys[key] = keys[key]
        self.lacks |= set(keys.get("lacks", "").split(","))
        for key in ("source", "command", "host"):
            if keys.get(key):
                self.keys.setdefault(key, keys[key])
        for key, value in (("job", keys.get("job")), ("user", keys.get("user", keys.get("uid")))):
            if value:
                self.job.setdefault(key, value)
        if "job-start" in keys and "job-end" in keys:
            self.keys["job"] = [int(Decimal(keys[key]) * SECOND) for key in ("job-start", "job-end")]

    def add_definition(self, kind, keys):
        """Reading: a host, rank or path is that of the last directive that declares it; the path of an object that of the first."""
        if kind == "file":
            file = file_key(int(keys["process"]), int(keys["id"]), keys)
            if keys.get("path") and not (int(keys.get("object", 0)) and self.paths.get(file)):
                self.paths[file] = keys["path"]
            return
        process = int(keys["id"])
        if keys.get("name"):
            self.programs[process] = keys["name"]
        if "host" in keys:
            self.hosts[process] = keys["host"]
        if "rank" in keys:
            self.ranks[process] = int(keys["rank"])

    def add_directive(self, directive, reader):
        if directive.name == "trace":
            self.add_trace(directive.keys)
        elif directive.name in ("process", "file"):
            self.add_definition(directive.name, directive.keys)
        elif directive.name == "lost":
            self.lost += 1
            self.lost_records += int(directive.keys.get("records", 0))
        elif directive.name == "counter":
            self.counters.append(directive.keys)
            if directive.keys.get("object", "0").isdigit() and int(directive.keys.get("object", 0)) and directive.keys.get("path"):
                self.paths.setdefault(("object", int(directive.keys["object"])), directive.keys["path"])
        elif directive.name == "op" and not self.options.physical:
            self.add_operation(directive, reader)

    def add_operation(self, directive, reader):
        self.extend_span(directive.time, directive.took)
        operation, keys = Operation(), directive.keys
        operation.name, operation.result = keys["name"], keys.get("result", "0")
        operation.time, operation.took = directive.time, directive.took
        operation.process = operation.file = None
        if "process" not in keys:
            self.operations.append(operation)
            return
        process = int(keys["process"])
        operation.process = self.owner(process, reader)
        self.all_processes.add(operation.process)
        if "file" in keys:
            definition = reader.files.get((process, int(keys["file"]), True), {})
            operation.file = file_key(process, int(keys["file"]), definition)
        self.operations.append(operation)
        self.events.append(operation)

    def extend_span(self, start, duration):
        if start is None:
            return
        end = start + (duration or 0)
        self.out_of_order += self.previous_start is not None and start < self.previous_start
        self.previous_start = start
        self.earliest = start if self.earliest is None else min(self.earliest, start)
        self.latest = end if self.latest is None else max(self.latest, end)

    def choose_layer(self):
        self.counted = not self.requests and not self.options.physical and any(k.get("source") == "POSIX" for k in self.counters)
        present = {r.layer for r in self.requests}
        self.by_layer = Counter((r.layer, "w" if r.write else "r") for r in self.requests)
        lowest = next((layer for layer in LAYERS if layer in present), None)
        self.layer = chosen = self.options.layer or lowest
        kept = [r for r in self.requests if r.layer == chosen]
        self.left_out = len(self.requests) - len(kept)
        self.requests = kept
        left = {id(r) for r in kept}
        self.events = [e for e in self.events if isinstance(e, Operation) or id(e) in left]

    def set_span(self):
        """job-start and job-end are seconds since 1970, so without `epoch` only their difference is used; times that are not in order are not
        used."""
        self.epoch = int(self.keys.get("epoch", 0))
        self.start, self.end = self.earliest, self.latest
        job = self.keys.get("job", (0, 0))
        if self.epoch and job[0] < job[1]:
            self.start, self.end = (time - self.epoch for time in job)
        self.T = job[1] - job[0] if job[0] < job[1] else None if self.start is None else self.end - self.start
        if self.options.runtime is not None:
            self.T = round(self.options.runtime * SECOND)
            if not (self.epoch and job[0] < job[1]) and self.start is not None:
                self.end = max(self.end, self.start + self.T)


def only_physical(lines, tick):
    """Returns whether there are records, all of which are physical."""
    found = False
    for event in Reader(tick).events(lines):
        if isinstance(event, Record):
            found = True
            if event.type & LOGICAL:
                return False
    return found


def file_key(process, fileid, definition):
    number = int(definition.get("object", 0))
    return ("object", number) if number else ("stream", process, fileid)


class Request:
    """A logical record of file data. `process` is the owner of a thread; `stream` and `file` identify its place."""

    __slots__ = ("write", "asynchronous", "process", "stream", "file", "layer", "offset", "length", "start", "duration", "cpu",
                 "task")

    def __init__(self, record, owner):
        self.write, self.asynchronous = bool(record.type & WRITE), bool(record.type & ASYNCHRONOUS)
        self.process, self.task = owner, record.process
        self.layer = "mpiio" if record.definition.get("layer") == "mpiio" else "posix"
        self.file = file_key(record.process, record.file, record.definition)
        self.offset, self.length = record.offset, record.length
        self.start, self.duration, self.cpu = record.start, record.duration, record.cpu

    @property
    def end(self):
        return min(self.offset + self.length, MAX_SUM)

    @property
    def timed(self):
        return self.start is not None and self.duration is not None


def header(t):
    names = [f"{kind}_{d}" for kind in KINDS.values() for d in "rw"]
    level = "left_out_logical" if t.options.physical else "left_out_physical"
    declared = {key: t.keys[key] for key in ("source", "command", "host") if key in t.keys}
    return {**declared, **t.job, "P": t.P, "T": ratio(t.T, SECOND), "left_out": t.left_out, level: t.other_level, "lost": t.lost, "lost_records": t.lost_records or (None if t.lost else 0),
            "lengths_requested": int(t.keys.get("lengths") == "requested"),
            **{f"other_{c}": {name: t.other[c, name] for name in names} for c in "NS"}}


# 3.1 Totals and rates

def cpu_time(t):
    """Returns the sum of C_p in ns, or None if a task has requests and no CPU clock.

    Reading: CPU clocks belong to the process of the record, so those of threads are summed. A sum over some of the processes would be
    too small, so one task without any clock makes the whole unknown. A sum that is not positive is a clock that did not advance:
    no CPU time either.
    """
    clocks = defaultdict(list)
    for r in t.requests:
        clocks[r.task].append(r.cpu)
    known = [[c for c in values if c is not None] for values in clocks.values()]
    total = sum(values[-1] - values[0] for values in known) if known and all(known) else 0
    return total if total > 0 else None


def extents(t):
    result = {}
    for r in t.requests:
        if r.offset is not None:
            result[r.file] = max(result.get(r.file, 0), r.end)
    return result


def rates(requests, running, extent):
    """The rows of 3.1 that exist for all files and for large files. `running` is in ns; `extent`: of these files."""
    def count(rs):
        return len(rs)

    def size(rs):
        return add_up(r.length for r in rs)

    def both(rs):
        """Of sums of both directions the sum is not limited any more where it is only a numerator."""
        return sum(size([r for r in rs if r.write == write]) for write in (False, True))

    def per_second(amount, unit):
        return lambda rs: ratio(amount(rs) * SECOND, running * unit if running else None)

    n, s = by_direction("N", count, requests), by_direction("S", size, requests)
    return {**n, **s,
            **by_direction("avg_size", lambda rs: ratio(both(rs), count(rs)), requests),
            "rw_ratio_bytes": ratio(s["S_r"], s["S_w"]), "rw_ratio_requests": ratio(n["N_r"], n["N_w"]),
            **by_direction("MB_s", per_second(both, 1), requests),
            **by_direction("IOs_s", per_second(count, 1), requests),
            "files": len({r.file for r in requests}),
            "data_size": add_up(extent.values()) if extent else None,
            "F_max": max(extent.values(), default=None), "F_min": min(extent.values(), default=None)}


def totals(t):
    """Reading: files whose offsets are all unknown have no extent; they count in `files`, but not in data_size, F_max and F_min."""
    cpu = cpu_time(t)
    running = t.T if cpu is None else cpu
    q, result = t.requests, rates(t.requests, running, extents(t))
    unknown, asynchronous = [r for r in q if r.offset is None], [r for r in q if r.asynchronous]
    for name, chosen in (("offset_unknown", unknown), ("asynchronous", asynchronous)):
        result |= by_direction(name, len, chosen)
        result |= by_direction(name + "_bytes", lambda rs: add_up(r.length for r in rs), chosen)
    if t.counted:
        result |= {name: None for name in result if name.startswith(("offset_unknown", "asynchronous"))}
    if "asynchronous" in t.lacks:
        result |= dict.fromkeys(name for name in result if name.startswith("asynchronous"))
    both = result["S_r"] + result["S_w"]
    for d, size in (("_r", result["S_r"]), ("_w", result["S_w"]), ("", both)):
        result["B_avg" + d] = ratio(size * SECOND, t.T)
        result["IOPS_avg" + d] = ratio(result["N" + d] * SECOND, t.T)
    for d in "rw":
        result[f"p_{d}_IOPs"] = ratio(result["N_" + d], result["N"])
        result[f"p_{d}_Bytes"] = ratio(result["S_" + d], both)
        durations = [r.duration for r in q if r.write == (d == "w")]
        known = [duration for duration in durations if duration is not None]
        any_known = not q or any(r.duration is not None for r in q)
        result["duration_" + d] = add_up(known) if any_known and (known or not durations) else None
    took = [r.duration for r in q]
    result["duration"] = None if took and took.count(None) == len(took) else add_up(t for t in took if t is not None)
    return result | opens(t) | {"running_time": ratio(running, SECOND), "running_clock": "wall" if cpu is None else "cpu",
                                "out_of_order": None if t.counted else t.out_of_order}


def opens(t):
    """Readings: without a successful open both numbers are unknown. A source that lacks `created` declares each open that may create the file as
    `create`, so that the number of created files is known only if it is 0; one that lacks `creates` shows no `create`."""
    opened = [o for o in t.operations if o.opens()]
    created = sum(o.name == "create" for o in opened)
    if not opened:
        return {"opens": None, "created": None}
    return {"opens": len(opened), "created": None if created and "created" in t.lacks or "creates" in t.lacks else created}


def large(t):
    extent = {f: e for f, e in extents(t).items() if e >= t.options.large}
    cpu = cpu_time(t)
    return rates([r for r in t.requests if r.file in extent], t.T if cpu is None else cpu, extent)


# 3.2 Request sizes

def power_of_two(v):
    """Returns the upper bound of the class of v: 0, 1, 2, 4 ..."""
    return 0 if v == 0 else 1 << (v - 1).bit_length()


def darshan_class(v):
    return next(name for name, upper in DARSHAN if upper is None or v <= upper)


def zero_bits(v):
    """Trailing zero bits; 64 for the value 0, of a length as well."""
    return 64 if v == 0 else (v & -v).bit_length() - 1


def sorted_counts(values):
    counts = Counter(values)
    return {str(v): counts[v] for v in sorted(counts)}


def common_level(value):
    """Returns the level up to which a table of common values keeps one: zero bits of its hash and of itself; small ones count as round."""
    mask = (1 << 64) - 1
    value &= mask
    h = (value ^ value >> 32) * 0x9e3779b97f4a7c15 & mask
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9 & mask
    return zero_bits(h ^ h >> 32) + max(zero_bits(value), 10 if value < 1024 else 0)


def common(values, limit):
    """Counts distinct values, or a sample of up to `limit`. Returns the ten most frequent (ties: smaller first) and the number of others."""
    table = Counter(values)
    level, kept = 0, list(table)
    while len(kept) > limit:
        level += 1
        kept = [v for v in kept if common_level(v) >= level]
    first = sorted(kept, key=lambda v: (-table[v], v))[:10]
    return {str(v): table[v] for v in first}, sum(table.values()) - sum(table[v] for v in kept)


def variable_requests(requests):
    """Returns the number of requests that do not have the most common size of their (process, file, direction); None if one has more
    than 64 sizes."""
    tables = defaultdict(Counter)
    for r in requests:
        tables[r.process, r.file, r.write][r.length] += 1
    if any(len(table) > MAX_VARIABLE for table in tables.values()):
        return None
    return sum(sum(table.values()) - max(table.values()) for table in tables.values())


def sizes_of(t, requests, d):
    """Reading: "share <= s" is by number of requests."""
    lengths = [r.length for r in requests]
    n, h = len(lengths), Histogram(lengths)
    bits = [zero_bits(r.offset) for r in requests if r.offset is not None]
    need = zero_bits(t.options.alignment)
    most, other = common(lengths, MAX_SIZES)
    darshan = Counter(map(darshan_class, lengths))
    small = sorted({*SMALL, t.options.small})
    result = {
        "size_min": h.min, "size_max": h.max, "size_mean": h.mean(), "size_stddev": h.deviation(), "size_quantile": h.quantiles(),
        "small": {str(s): ratio(sum(v <= s for v in lengths), n) for s in small},
        "variable": ratio(variable_requests(requests), n),
        "common": most, "common_share": {size: ratio(c, n) for size, c in most.items()}, "common_other": None if t.counted else other,
        "aligned": ratio(sum(b >= need for b in bits), len(bits)),
        "aligned_length": ratio(sum(zero_bits(v) >= need for v in lengths), n),
        "offset_zero_bits": sorted_counts(bits), "length_zero_bits": sorted_counts(map(zero_bits, lengths)),
        "size_darshan": {name: darshan[name] for name, _ in DARSHAN},
        "size_log2": sorted_counts(map(power_of_two, lengths)),
        "size_L": h.by_upper(h.count), "size_L_bytes": h.by_upper(h.weight)}
    return {f"{name}_{d}": value for name, value in result.items()}


def sizes(t):
    bits = [zero_bits(r.offset) for r in t.requests if r.offset is not None]
    return {**sizes_of(t, [r for r in t.requests if not r.write], "r"), **sizes_of(t, [r for r in t.requests if r.write], "w"),
            "aligned": ratio(sum(b >= zero_bits(t.options.alignment) for b in bits), len(bits))}


# 3.3 Order within streams

class Step:
    """A request of a stream and its relation to its predecessor, if it has one: gap g, stride d, and the stride before that."""

    __slots__ = ("request", "before", "g", "d", "last_d")

    def __init__(self, request, before):
        self.request, self.before, self.g, self.d, self.last_d = request, None, None, None, None
        if before is None:
            return
        previous = before.request
        self.before, self.d, self.last_d = previous, signed(request.offset - previous.offset), before.d
        self.g = request.offset - previous.end


def signed(number):
    """A distance beyond 2^63 counts as the one that differs by 2^64, as 64 bits hold it."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def steps(requests, key):
    """Returns the steps of each stream; a request of unknown offset is no step, and the next request has no predecessor."""
    streams, last = defaultdict(list), {}
    for r in requests:
        k = key(r)
        if r.offset is None:
            last[k] = None
            continue
        last[k] = Step(r, last.get(k))
        streams[k].append(last[k])
    return list(streams.values())


def runs(streams):
    """Returns the maximal runs with g = 0, as lists of steps; a request that no other continues is a run of its own."""
    result = []
    for stream in streams:
        for step in stream:
            if step.g == 0:
                result[-1].append(step)
            else:
                result.append([step])
    return result


def order_common(streams, suffix):
    """Runs and seek distances.

    Reading: the definition does not say whether the streams are mixed or of one direction; both are given, mixed without a suffix.
    """
    found = runs(streams)
    lengths, sizes_ = Histogram(map(len, found)), Histogram(add_up(s.request.length for s in run) for run in found)
    seeks = Histogram(abs(s.g) for stream in streams for s in stream if s.g)
    result = {"runs": len(found), "run_requests_mean": lengths.mean(), "run_requests_quantile": lengths.quantiles((50, 90, 99)),
              "run_bytes_mean": sizes_.mean(), "run_bytes_quantile": sizes_.quantiles((50, 90, 99)),
              "seeks": seeks.n, "seek_mean": seeks.mean(), "seek_quantile": seeks.quantiles((50, 90, 99)),
              "run_requests_L": lengths.by_upper(lengths.count), "run_bytes_L": sizes_.by_upper(sizes_.count),
              "seek_L": seeks.by_upper(seeks.count)}
    return {name + suffix: value for name, value in result.items()}


def order_mixed(t):
    streams = steps(t.requests, lambda r: r.stream)
    following = [s for stream in streams for s in stream if s.before]
    n = len(following)
    return {"followers_M": n, "sequential_M": ratio(sum(s.g == 0 for s in following), n),
            "same_size_M": ratio(sum(s.request.length == s.before.length for s in following), n),
            "switches": ratio(sum(s.request.write != s.before.write for s in following), n), **order_common(streams, "")}


def relation(step):
    if step.g == 0:
        return "consecutive"
    if step.g > 0:
        return "forward"
    return "re_access" if step.d == 0 and step.request.length > 0 else "backward"


def stride_counts(stream):
    """Returns the strides of a stream and their numbers; None beyond 64 distinct ones (*many*)."""
    counts = Counter(s.d for s in stream if s.before)
    return None if len(counts) > MAX_STRIDES else counts


def pattern(stream):
    """Returns the pattern of a direction stream, its stride and, if it is nested, its jump and requests per group.

    Readings. The number of requests is of those with a known offset; n is the number of transitions, and it is n minus those
    that fit that must not exceed the tolerance. Of equally frequent strides the smaller one comes first. *Many* has no tolerance.
    """
    gaps = [s.g for s in stream if s.before]
    n = len(gaps)
    if len(stream) < 4:
        return "short", ()
    counts = stride_counts(stream)
    if counts is None:
        return ("sequential" if min(gaps) >= 0 else "random"), ()

    def tolerated(exceptions):
        return exceptions <= 1 or 20 * exceptions <= n

    ranked = sorted(counts, key=lambda d: (-counts[d], d))
    if tolerated(sum(g != 0 for g in gaps)):
        return "contiguous", ()
    if tolerated(n - counts[ranked[0]]):
        return "simple strided", (ranked[0],)
    if tolerated(n - counts[ranked[0]] - counts[ranked[1]]):
        return "nested strided", (ranked[0], ranked[1], ratio(counts[ranked[0]], counts[ranked[1]]) + 1)
    return ("sequential" if tolerated(sum(g < 0 for g in gaps)) else "random"), ()


def order_direction(requests, d):
    """Reading: common strides are those of all direction streams that are not *many*, strides of contiguous requests included."""
    streams = steps(requests, lambda r: r.stream)
    following = [s for stream in streams for s in stream if s.before]
    n, relations = len(following), Counter(map(relation, following))
    result = {"followers": n}
    result |= {name: ratio(relations[name], n) for name in ("consecutive", "forward", "re_access", "backward")}
    result["strided"] = ratio(sum(s.g != 0 and s.d == s.last_d for s in following), n)
    for name in ("streams", "requests", "bytes"):
        result["pattern_" + name] = dict.fromkeys(PATTERNS, 0)
    strides = Counter()
    for stream in streams:
        name = pattern(stream)[0]
        result["pattern_streams"][name] += 1
        result["pattern_requests"][name] += len(stream)
        result["pattern_bytes"][name] = add_up([result["pattern_bytes"][name], *(s.request.length for s in stream)])
        strides.update(stride_counts(stream) or {})
    first = sorted(strides, key=lambda stride: (-strides[stride], stride))[:10]
    result["common_strides"] = {str(stride): strides[stride] for stride in first}
    return {f"{name}_{d}": value for name, value in result.items()} | order_common(streams, "_" + d)


def repetition(requests, token):
    """Returns the lag that covers most requests, with its neighbours within 1 %, and what it covers.

    Readings. Lags are counted per process and summed over the processes. All tokens count (none is sampled out). The denominator
    contains first occurrences. Of lags that cover the same number, the one that occurs more often comes first, then the smaller.
    Of more than MAX_TOKENS different tokens, analyze counts a sample: then the counts are not returned.
    """
    numbers, last, lags, tokens = Counter(), {}, Counter(), 0
    for r in requests:
        number = numbers[r.process]
        numbers[r.process] += 1
        if r.offset is None:
            continue
        tokens += 1
        key = r.process, *token(r)
        if key in last:
            lags[number - last[key]] += 1
        last[key] = number
    best = None
    for lag in lags:
        covered = sum(lags[other] for other in range(lag - lag // 100, lag + lag // 100 + 1))
        rank = (covered, lags[lag], -lag)
        best = max(best, rank) if best else rank
    covered, lag = (best[0], -best[2]) if best else (0, None)
    counts = {"tokens": tokens, "covered": covered} if len(last) <= MAX_TOKENS else {}
    return counts | {"lag": lag, "repetitive": 2 * covered >= tokens if tokens else None}


def sequential(requests):
    """The share of Darshan's SEQ: consecutive and forward, of the requests with a predecessor in their direction stream."""
    following = [s for stream in steps(requests, lambda r: (r.stream, r.write)) for s in stream if s.before]
    return ratio(sum(relation(s) in ("consecutive", "forward") for s in following), len(following))


def blank(values):
    """Returns the values as unknown ones."""
    return {key: blank(value) for key, value in values.items()} if isinstance(values, dict) else None


def order(t):
    """Counters have no order of requests."""
    result = {**order_mixed(t), "sequential": sequential(t.requests), **order_direction([r for r in t.requests if not r.write], "r"),
            **order_direction([r for r in t.requests if r.write], "w"),
            "repetition": repetition(t.requests, lambda r: (r.file, r.offset, r.length, r.write)),
            "repetition_any_file": repetition(t.requests, lambda r: (r.offset, r.length, r.write))}
    return blank(result) if t.counted else result


# 2 and 3.4 Over time

def bin_index(time, k):
    return (time << k) // SECOND if k >= 0 else time // (SECOND << -k)


def bin_begin(b, k):
    """Returns the first whole nanosecond of a bin."""
    return -(-b * SECOND >> k) if k >= 0 else b * SECOND << -k


def parts(amount, start, duration, k):
    """Divides an amount among the bins that [start, start + duration) touches; yields (bin, part).

    Reading: "up to time x" is up to the first whole nanosecond of the next bin, so that each nanosecond belongs to the bin of its index.
    """
    done = 0
    for b in range(bin_index(start, k), bin_index(start + duration - 1, k) + 1):
        until = min(amount, amount * (bin_begin(b + 1, k) - start) // duration)
        yield b, until - done
        done = until


READS, READ, WRITES, WRITTEN, IN_FLIGHT, OPS = range(6)


def limit_sums(table):
    for values in table.values():
        if max(values) > MAX_SUM:
            values[:] = [min(v, MAX_SUM) for v in values]


def cells_at(t, k):
    cells = defaultdict(lambda: [0] * 6)
    for r in t.requests:
        if r.start is None:
            continue
        start = r.start + t.epoch
        cells[r.process, bin_index(start, k)][WRITES if r.write else READS] += 1
        size = WRITTEN if r.write else READ
        if not r.duration:
            cells[r.process, bin_index(start, k)][size] += r.length
            continue
        for b, part in parts(r.length, start, r.duration, k):
            cells[r.process, b][size] += part
        for b, part in parts(r.duration, start, r.duration, k):
            cells[r.process, b][IN_FLIGHT] += part
    for o in t.operations:
        if o.time is not None and o.process is not None:
            cells[o.process, bin_index(o.time + t.epoch, k)][OPS] += 1
    limit_sums(cells)
    return cells


MIN_INTERVALS = 20


class Cells:
    """The cells at the finest width that keeps the limits.

    Reading: the bins whose number is limited are those from t_start to t_end, as a view has these, and those of all requests and
    operations. Failed operations count as well.
    """

    def __init__(self, t):
        begins = [r.start for r in t.requests if r.start is not None]
        begins += [o.time for o in t.operations if o.time is not None and o.process is not None]
        begins += [] if t.start is None else [t.start, max(t.start, t.end - 1)]
        ends = [r.start + max(0, (r.duration or 0) - 1) for r in t.requests if r.start is not None] + begins
        self.k = 20
        first, last = (min(begins) + t.epoch, max(ends) + t.epoch) if begins else (0, 0)
        while bin_index(last, self.k) - bin_index(first, self.k) >= (MAX_FINE if self.k > 0 else MAX_BINS):
            self.k -= 1
        self.cells = cells_at(t, self.k)
        while len(self.cells) > MAX_CELLS:
            self.k -= 1
            self.cells = cells_at(t, self.k)
        bins = [b for _, b in self.cells]
        self.ends = [min(bins), max(bins)] if bins else []


class View:
    """The cells at an interval: by_process[p][b] and total[b], for b in first .. first + B - 1; the width is width_ns / width_of s.

    Interval 0 begins at the start of the cell in which the run begins. Readings: the view also contains each bin that holds a request,
    so that a request at t_end without a duration is in it; the last cell of the run belongs to the last interval that begins in the run.
    """

    def __init__(self, t, cells, j=None, interval=None, max_bins=MAX_BINS):
        self.k, self.j = cells.k, j
        self.num, self.den = (SECOND << max(0, -j), 1 << max(0, j)) if interval is None else (interval, 1)
        self.interval = interval
        self.by_process, self.total = defaultdict(dict), {}
        self.origin, self.end_cell, self.end = 0, None, 0
        touched = []
        if t.start is not None:
            end = max(t.start, t.end - 1)
            self.origin, self.end_cell = bin_index(t.start + t.epoch, self.k), bin_index(end + t.epoch, self.k)
            coarser = self.interval is not None or self.j < self.k
            self.end = (end - t.start) * self.den // self.num if coarser else self.end_cell - self.origin
            touched = [0, self.end]
        touched += [self.of_bin(b) for b in cells.ends]
        self.first = min(touched, default=0)
        self.B = max(touched) - self.first + 1 if touched else 0
        if self.B <= max_bins:
            self.add(cells)

    def add(self, cells):
        for (p, b), values in cells.cells.items():
            at = self.of_bin(b)
            for table in (self.by_process[p], self.total):
                row = table.setdefault(at, [0] * 6)
                for column, value in enumerate(values):
                    row[column] += value
        for table in (*self.by_process.values(), self.total):
            limit_sums(table)

    def of_bin(self, b):
        after = b - self.origin
        if self.interval is None:
            at = after >> (self.k - self.j)
        else:
            at = (after * SECOND << max(0, -self.k)) // (self.interval << max(0, self.k))
        return min(at, self.end) if self.end_cell is not None and b <= self.end_cell else at

    def column(self, *which):
        """Returns one value per bin: the sum of these columns."""
        return [add_up(self.total[b][c] for c in which) if b in self.total else 0 for b in range(self.first, self.first + self.B)]


def main_view(t, cells):
    interval = t.options.interval
    if interval is None:
        views = [View(t, cells, j=j) for j in range(min(0, cells.k), cells.k + 1)] if t.start is not None else []
        return next((v for v in views if v.B >= MIN_INTERVALS), View(t, cells, j=min(0, cells.k)))
    interval = round(interval * SECOND)
    width_fits = interval << cells.k >= SECOND if cells.k >= 0 else interval >= SECOND << -cells.k
    return View(t, cells, interval=interval) if width_fits else View(t, cells, j=cells.k)


def finest_view(t, cells, bins):
    return next(v for v in (View(t, cells, j=j, max_bins=bins) for j in range(cells.k, -80, -1)) if v.B <= bins)


SIDES = {"r": ([READS], [READ]), "w": ([WRITES], [WRITTEN]), "": ([READS, WRITES], [READ, WRITTEN])}


def active_processes(view, side, threshold):
    """Returns the number of active processes per bin. Reading: for both directions, the sum of bytes is compared."""
    counts, sizes_ = SIDES[side]
    result = [0] * view.B
    for table in view.by_process.values():
        for b, cell in table.items():
            if threshold is None:
                result[b - view.first] += any(cell[c] for c in counts)
            else:
                result[b - view.first] += add_up(cell[c] for c in sizes_) * view.den * SECOND > threshold * view.num
    return result


def burstiness(h):
    runs_ = {True: [], False: []}
    for key, group in groupby(h):
        runs_[key].append(len(list(group)))
    if not h:
        return None
    if not runs_[False]:
        return 0.0
    if not runs_[True]:
        return 1.0
    mean = {key: sum(values) / len(values) for key, values in runs_.items()}
    return 1 - math.tanh(mean[True] / mean[False])


def activity(t, view, side, threshold):
    """Reading: the value is null for P = 1 only if it is normalised, as the denominator is P - 1."""
    active = active_processes(view, side, threshold)
    h = [n > 0 for n in active]
    parallel = 0.0 if not sum(active) else ratio(sum(active), t.P * sum(h))
    normalised = None if t.P <= 1 else 0.0 if not parallel else ratio(sum(active) - sum(h), sum(h) * (t.P - 1))
    return {"active_bins": sum(h), "active_pairs": sum(active), "intensity": ratio(sum(h), view.B), "burstiness": burstiness(h),
            "op_concurrency_max": ratio(max(active, default=0), t.P), "parallel_intensity": parallel,
            "parallel_intensity_normalised": normalised}


def activities(t, view, side):
    """Returns a table by threshold for each value; parallel intensity is given at the main threshold."""
    tables = {"0 requests": activity(t, view, side, None), **{str(c): activity(t, view, side, c) for c in THRESHOLDS}}
    names, suffix = tables["0"], "_" + side if side else ""
    return {name + suffix: {c: row[name] for c, row in tables.items() if "parallel" not in name or c == str(MAIN_THRESHOLD)}
            for name in names}


def dominating_kind(r, w):
    """Returns r, w, m (both), or - (no requests)."""
    if r + w == 0:
        return "-"
    return "r" if 10 * r >= 9 * (r + w) else "w" if 10 * w >= 9 * (r + w) else "m"


def dominating(view):
    """Returns a character per bin."""
    return "".join(dominating_kind(r, w) for r, w in zip(view.column(READS), view.column(WRITES)))


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def true_runs(flags):
    """Returns the runs of true flags as [begin, end)."""
    at, result = 0, []
    for flag, group in groupby(flags):
        n = len(list(group))
        if flag:
            result.append((at, at + n))
        at += n
    return result


def bursts(t, cells):
    """Readings. The cap is twice the lower median of the positive bins; bursts exist with fewer than 48 bins, too. The median gap is
    the lower median, and runs are merged once. Durations and gaps are whole bins; the bytes of the bins between merged runs count."""
    view = finest_view(t, cells, 1 << 14)
    x = view.column(READ, WRITTEN)
    positive = [v for v in x if v > 0]
    half_cap = lower_median(positive) if positive else 0
    found = true_runs([10 * v > half_cap for v in x]) if positive else []
    if len(found) > 1:
        limit = lower_median([b[0] - a[1] for a, b in zip(found, found[1:])])
        merged = found[:1]
        for begin, end in found[1:]:
            if 5 * (begin - merged[-1][1]) < limit:
                merged[-1] = (merged[-1][0], end)
            else:
                merged.append((begin, end))
        found = merged
    size = [min(MAX_SUM, sum(x[b:e])) for b, e in found]
    names = {"r": "read", "w": "write", "m": "read/write", "-": "none"}
    reads, writes = view.column(READS), view.column(WRITES)
    kinds = Counter(dominating_kind(sum(reads[b:e]), sum(writes[b:e])) for b, e in found)
    return {"burst_type": {name: kinds[kind] for kind, name in names.items()}, "bursts": len(found), "burst_bytes": min(MAX_SUM, sum(size)), "burst_share": ratio(min(MAX_SUM, sum(size)), min(MAX_SUM, sum(x))), "burst_bin_width": 2.0 ** -view.j,
            "burst_duration": Histogram(e - b for b, e in found).summary(), "burst_size": Histogram(size).summary(),
            "burst_peak": Histogram(max(x[b:e]) for b, e in found).summary(),
            "burst_gap": Histogram(b[0] - a[1] for a, b in zip(found, found[1:])).summary()}


MINUTE = 60 * SECOND
IDLE_LIMITS = [0, MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE, math.inf]
IDLE_CLASSES = ["< 1 min", "1-10 min", "10-60 min", "1-6 h", ">= 6 h"]


def idle(t, view):
    """Readings. "Without any activity": no request, byte, time in flight or operation in the bin. The durations are whole ns, rounded
    down. The exact gaps are those between requests of known duration, asynchronous ones included."""
    x = view.column(READ, WRITTEN)
    peak = max(x, default=0)
    quiet = [not any(view.total.get(b, [0])) for b in range(view.first, view.first + view.B)]
    result = {}
    for name, flags in (("idle_below_5", [20 * v < peak for v in x]), ("idle_without", quiet)):
        lengths = [(e - b) * view.num // view.den for b, e in true_runs(flags)]
        if view.num >= 60 * SECOND * view.den:
            classes = [[v for v in lengths if low <= v < high] for low, high in zip(IDLE_LIMITS, IDLE_LIMITS[1:])]
            result[name + "_class"] = {key: len(values) for key, values in zip(IDLE_CLASSES, classes)}
            result[name + "_class_ns"] = {key: sum(values) for key, values in zip(IDLE_CLASSES, classes)}
            width = view.num / view.den / SECOND
            result[name + "_hours_share"] = ratio(sum(sum(values) for values in classes[3:]) / SECOND, view.B * width)
            runs = list(true_runs(flags))
            if runs:
                b, e = max(runs, key=lambda run: run[1] - run[0])
                result[name + "_longest_s"] = {"begin": b * width, "length": (e - b) * width}
        result[name] = {"bins": sum(flags), "share": ratio(sum(flags), view.B), **Histogram(lengths).summary()}
    union, now = Union(), 0
    for r in t.requests:
        if r.timed:  # counts from the latest start, as in concurrency()
            now = max(now, r.start)
            union.add(now, max(0, r.start + r.duration - now))
    if t.requests and not any(r.timed for r in t.requests):
        return result | {"idle_gap": None, "busy_ns": None}
    return result | {"idle_gap": Histogram(union.gaps).summary(), "busy_ns": union.length}


def inter_arrival(t):
    """Readings. Requests of unknown start are passed over. Think time needs the end of the preceding request, also if asynchronous."""
    def intervals(key):
        last, result = {}, []
        for r in t.requests:
            if r.start is not None:
                if key(r) in last:
                    result.append(max(0, r.start - last[key(r)]))
                last[key(r)] = r.start
        return Histogram(result).summary()

    last, think = {}, []
    for r in t.requests:
        before = last.get(r.process)
        if before and before.timed and r.start is not None and r.start > before.start + before.duration:
            think.append(r.start - before.start - before.duration)
        last[r.process] = r
    return {"inter_arrival": intervals(lambda r: None), "inter_arrival_process": intervals(lambda r: r.process),
            "inter_arrival_file": intervals(lambda r: r.file),
            **({"think_time": Histogram(think).summary()} if not t.requests or any(r.timed for r in t.requests)
               else dict.fromkeys(("think_time", "think_time_quantile", "think_time_L")))}


def concurrency(t):
    """Returns the time with exactly q requests outstanding.

    Readings. A request that starts before the preceding one counts from the latest start (rule 7). Requests of duration 0 are never
    outstanding. The time with none is the rest of [t_start, t_end).
    """
    ends, now, times = [], 0, Counter()

    def advance(until):
        nonlocal now
        while ends and ends[0] <= until:
            times[len(ends)] += ends[0] - now
            now = heapq.heappop(ends)
        times[len(ends)] += until - now if ends else 0
        now = until

    for r in t.requests:
        if r.timed:
            advance(max(now, r.start))
            if r.start + r.duration > now:
                heapq.heappush(ends, r.start + r.duration)
    if ends:
        advance(max(ends))
    busy = {q: ns for q, ns in times.items() if ns}
    if t.start is not None:
        busy[0] = max(0, t.end - t.start - sum(busy.values()))
    result = {str(q): busy[q] for q in sorted(busy) if q < 64 and busy[q]}
    if t.requests and not any(r.timed for r in t.requests):
        return dict.fromkeys(("concurrency_ns", "concurrency_more_ns", "concurrency_max", "in_flight_ns", "concurrency_mean"))
    in_flight = sum(r.duration for r in t.requests if r.timed)
    return {"concurrency_ns": result, "concurrency_more_ns": sum(ns for q, ns in busy.items() if q >= 64),
            "concurrency_max": max(busy, default=0), "in_flight_ns": in_flight, "concurrency_mean": ratio(in_flight, t.T)}


def same_file(t):
    """Returns the maximum of A(f, b) and its mean over the pairs (f, b) with a request, for files of more than one process.

    Reading: b is the interval in which the request itself starts, also if the bins of the view are wider.
    """
    interval = SECOND if t.options.interval is None else round(t.options.interval * SECOND)
    users, processes_of = defaultdict(set), defaultdict(set)
    for r in t.requests:
        processes_of[r.file].add(r.process)
        if r.start is not None:
            users[r.file, (r.start + t.epoch) // interval].add(r.process)
    counts = [len(ps) for (f, _), ps in users.items() if len(processes_of[f]) > 1]
    return {"same_file_max": ratio(max(counts), t.P) if counts else None, "same_file_mean": ratio(sum(counts), len(counts) * t.P)}


def time(t):
    cells = Cells(t)
    view = main_view(t, cells)
    if not cells.cells:
        return shares(t)
    result = {"k": cells.k, "bin_width": ratio(view.num, view.den * SECOND), "first": view.first, "bins": view.B}
    for d, (counts, sizes_) in SIDES.items():
        suffix = "_" + d if d else ""
        result["B_max" + suffix] = ratio(max(view.column(*sizes_), default=0) * view.den * SECOND, view.num)
        result["IOPS_max" + suffix] = ratio(max(view.column(*counts), default=0) * view.den * SECOND, view.num)
        result |= activities(t, view, d)
    x, kinds = view.column(READ, WRITTEN), Counter(dominating(view))
    peak = max(x, default=0)
    bins = view.B if peak else 0
    names = {"r": "read", "w": "write", "m": "read/write", "-": "none"}
    result |= {"dominating_type": {name: ratio(kinds[c], view.B) for c, name in names.items()}, 
               "mean_rate": ratio(sum(x) * view.den * SECOND, view.num * view.B), "peak_to_mean": ratio(peak * view.B, sum(x)),
               "below_33_percent_of_peak": ratio(sum(100 * v < 33 * peak for v in x), bins),
               "rate_cdf": {str(p): ratio(sum(100 * v <= p * peak for v in x), bins) for p in (0, 10, 20, 33, 50, 75, 100)}}
    operations = view.column(OPS)
    if t.operations:
        result |= {"operations_max": ratio(max(operations, default=0) * view.den * SECOND, view.num),
                   "operations_bins": ratio(sum(n > 0 for n in operations), view.B)}
    else:
        result |= {"operations_max": None, "operations_bins": None}
    result |= bursts(t, cells) | idle(t, view) | inter_arrival(t) | concurrency(t) | same_file(t) | shares(t)
    if t.options.series:
        result["series"] = {str(b): view.total[b] for b in sorted(view.total)}
    return result


# 3.5 Cycles

def cycles(t):
    """Readings. The indicator of a type is 1 in the bins that it dominates. Pairs of bins are those at the period, rounded to bins."""
    cells = Cells(t)
    if not cells.cells:
        return {}
    view = finest_view(t, cells, 1 << 14)
    width = 2.0 ** -view.j
    result = {"bin_width": width, "bins": view.B}
    for suffix, columns in (("", (READ, WRITTEN)), ("_r", (READ,)), ("_w", (WRITTEN,)), ("_op", (OPS,))):
        bins = view.column(*columns)
        counted = {READ: READS, WRITTEN: WRITES, OPS: OPS}
        found = cycles_reference.find(bins, sum(view.column(*(counted[c] for c in columns))))
        result |= cycles_of(bins, found, width, suffix)
        if suffix == "":
            result["temporal_pattern"] = found["pattern"]
            if found["period"]:
                result["cycle_requests"] = cycles_reference.amounts(view.column(READS, WRITES), found["period"], found["span"])
    kinds = dominating(view)
    result["type_period_s"], result["type_pairs"] = {}, {}
    for kind, name in (("r", "read"), ("w", "write"), ("m", "read/write")):
        is_kind = [int(k == kind) for k in kinds]
        period = cycles_reference.find(is_kind)["period"]
        result["type_period_s"][name] = period and period * width
        result["type_pairs"][name] = period and sum(a and b for a, b in zip(is_kind, is_kind[int(period + 0.5):]))
    return result


def cycles_of(bins, found, width, suffix):
    period = found["period"]
    result = {"period_s": period and period * width, "method": found["method"], "correlation": found["correlation"], "p": found["p"],
              "dispersion": found["dispersion"], "cycles": None, "similarity": None, "duty": None, "cycle_amount": None}
    if period:
        shape = cycles_reference.shape(bins, period, found["span"])
        for name in ("profile", "profile_low", "profile_high"):
            rates_ = [v / (period * width / 64) for v in shape.pop(name)]
            if suffix == "":
                result[name] = {str(i): rate for i, rate in enumerate(rates_)}
        result |= shape | {"cycle_amount": cycles_reference.amounts(bins, period, found["span"])}
    return {name + suffix: value for name, value in result.items()}


# 3.7 to 3.9 Files, processes, time, metadata

class Row:
    """Sums of a process, a node or a file.

    Readings. The times of a file and of a node are sums over processes: of the unions of the intervals of each process, in that file or in
    all. A time is unknown if that of each request, or operation, is.
    """

    UNIONS = {"t_r": "r", "t_w": "w", "md_time": "m", "io_time": "rw", "io_md_time": "rwm"}

    def __init__(self):
        self.n, self.untimed, self.size, self.took = Counter(), Counter(), Counter(), Counter()
        self.opens = self.closes = 0
        self.unions = {name: defaultdict(Union) for name in self.UNIONS}
        self.first = self.last = None

    def add(self, event):
        if isinstance(event, Request):
            start, took, kind, blocks = event.start, event.duration, "w" if event.write else "r", not event.asynchronous
            self.size[kind] = add_up([self.size[kind], event.length])
        else:
            start, took, kind, blocks = event.time, event.took if event.time is not None else None, "m", True
            self.opens += event.opens()
            self.closes += event.name == "close" and event.result == "0"
        self.n[kind] += 1
        self.untimed[kind] += start is None or took is None
        self.took[kind] += took or 0
        if start is None:
            return
        self.first = start if self.first is None else min(self.first, start)
        self.last = max(start + (took or 0), self.last or 0)
        for name, kinds in self.UNIONS.items():
            if blocks and kind in kinds:
                self.unions[name][event.process].add(start, took or 0)

    def is_untimed(self, kinds):
        n = sum(self.n[kind] for kind in kinds)
        return n > 0 and n == sum(self.untimed[kind] for kind in kinds)

    def length(self, name):
        return add_up(union.length for union in self.unions[name].values())

    def requests(self):
        return self.n["r"] + self.n["w"]

    def bytes(self):
        return add_up([self.size["r"], self.size["w"]])

    def values(self):
        unknown = {name: self.is_untimed(kinds) for name, kinds in self.UNIONS.items() if name != "io_md_time"}
        unknown["io_md_time"] = unknown["io_time"] or unknown["md_time"]
        return {"N_r": self.n["r"], "N_w": self.n["w"], "S_r": self.size["r"], "S_w": self.size["w"], "operations": self.n["m"],
                "opens": self.opens, "closes": self.closes,
                "duration": None if self.is_untimed("rw") else self.took["r"] + self.took["w"],
                **{name: None if unknown[name] else self.length(name) for name in self.UNIONS},
                "first": self.first, "last": self.last, "rw_ratio": ratio(self.size["r"], self.size["w"])}


def row_values(t, row):
    """Reading: opens are unknown in a trace that shows none, closes in one that shows no operation."""
    shown = {} if any(o.opens() for o in t.operations) else {"opens": None}
    return row.values() | shown | ({} if t.operations else {"closes": None})


def rows(t, key):
    """Returns a row for each key."""
    result = defaultdict(Row)
    for e in t.events:
        if key(e) is not None:
            result[key(e)].add(e)
    return result


def top_lists(table, name_of, limit, time_of):
    """Returns the rows with most of each, if any: name_of(key) is what equal ones are ordered by, and the name in the list."""
    result = {}
    for name, function in (("top_bytes", Row.bytes), ("top_requests", Row.requests), ("top_time", time_of)):
        keys = sorted((key for key in table if function(table[key])), key=lambda key: (-function(table[key]), name_of(key)[0]))
        result[name] = {name_of(key)[1]: function(table[key]) for key in keys[:limit]}
    return result


def imbalance(values, names):
    """`names` are the processes of the leading values; the remaining values are those of idle processes."""
    if not names:
        return None
    mean, cv = mean_cv(values)
    top = max(values)
    return {"mean": mean, "cv": cv, "max_to_mean": ratio(top, mean), "spread": ratio(top - min(values), top),
            "process": names[values.index(top)]}


def hosts_of(t):
    """Reading: the nodes are the hosts of the processes that P counts if ranks= does not."""
    return len({t.hosts[p] for p in t.all_processes if p in t.hosts}) or None


def processes(t):
    table = rows(t, lambda e: e.process)
    ids = sorted(table)
    files_of = defaultdict(set)
    for r in t.requests:
        files_of[r.process].add(r.file)
    values = {p: {**row_values(t, table[p]), "files": len(files_of[p]), "rank": t.ranks.get(p),
                  "program": t.programs.get(p), "host": t.hosts.get(p)} for p in ids}
    idle_ones = [0] * max(0, t.P - len(ids))

    def balance(function):
        return imbalance([function(table[p]) for p in ids] + idle_ones, ids)

    everything = Row()
    for e in t.events:
        everything.add(e)
    sums = section(t, "totals")
    tops = top_lists(table, lambda p: (p, str(p)), t.options.top, lambda row: row.length("io_md_time"))
    shown = {name for top in tops.values() for name in top}
    groups = {name: (rows(t, lambda e: None if e.process is None else str(of.get(e.process, "-"))),
                     Counter(str(of.get(p, "-")) for p in ids)) for name, of in (("rank", t.ranks), ("host", t.hosts))}
    return {"rows": {str(p): values[p] for p in ids}, "imbalance_bytes": balance(Row.bytes),
            "files_per_process": ratio(sums["files"], t.P), "MiB_per_process": ratio(sums["S"], t.P),
            "created_per_process": ratio(sums["created"], t.P),
            "imbalance_requests": balance(Row.requests),
            "imbalance_io_time": None if everything.is_untimed("rw") else balance(lambda row: row.length("io_time")),
            "nodes": hosts_of(t),  **{f"{name}_rows": {key: {**row_values(t, row), "processes": members[key]} for key, row in table.items() if key in members}
                                        for name, (table, members) in groups.items()},
            **tops, "top_program": {p: t.programs[int(p)] for p in shown if int(p) in t.programs},
            "top_rank": {p: t.ranks[int(p)] for p in shown if int(p) in t.ranks}}


def effective_rate(requests):
    return ratio(add_up(r.length for r in requests) * SECOND, add_up(r.duration for r in requests))


def latency_of(t, d):
    """Requests without a known duration have no latency."""
    requests = [r for r in t.requests if r.write == (d == "w")]
    timed = [r.duration for r in requests if r.timed]
    if not timed and (requests or t.counted or t.requests and not any(r.timed for r in t.requests)):
        return dict.fromkeys((f"latency_{d}", f"latency_{d}_quantile", f"latency_{d}_L"))
    return {f"latency_{d}": Histogram(timed).summary()}


def shares(t):
    """3.8. Readings: overlap uses the sum of io_time over the processes; asynchronous requests are included in the latency (rule 5); the
    effective rate is that of all requests of known time, in the sum of their durations."""
    values = {p: {name: row.length(name) for name in Row.UNIONS} for p, row in rows(t, lambda e: e.process).items()}
    sums = {name: sum(v[name] for v in values.values()) for name in ("t_r", "t_w", "md_time", "io_time", "io_md_time")}
    blocked = [v["t_r"] + v["t_w"] + v["md_time"] for v in values.values()]
    nodes = t.options.nodes or hosts_of(t)
    size = sum(add_up(r.length for r in t.requests if r.write == write) for write in (False, True))
    rate = ratio(size * SECOND, max(blocked, default=0))
    durations = sum(r.duration for r in t.requests if r.timed)
    whole = t.T * t.P if t.T else None
    requests, operations = Row(), Counter()
    for r in t.requests:
        requests.add(r)
    for row in rows(t, lambda e: e.process).values():
        operations += Counter(n=row.n["m"], untimed=row.untimed["m"])
    no_operation = 0 < operations["n"] == operations["untimed"]
    untimed = ([name for name, kinds in (("t_r", "r"), ("t_w", "w")) if requests.is_untimed(kinds) or requests.is_untimed("rw")]
               + ["io_time", "io_md_time", "io_time_max", "io_share", "io_md_share"] * requests.is_untimed("rw")
               + ["md_time", "io_md_time", "io_md_share"] * no_operation)
    if untimed:
        untimed += ["metadata_share", "MiB_s", "MiB_s_CN"]
    latency, counts = latency_of(t, "r") | latency_of(t, "w"), counted_times(t)
    operation_share = ratio(sums["md_time"], sum(blocked)) if counts is None else float_of(ratio(counts["md_time"], sum(counts.values())))
    counted_io = float_of(ratio(min(sum(counts.values()), whole), whole)) if counts is not None and whole else None
    return {**sums, "io_time_max": max((v["io_time"] for v in values.values()), default=0), "io_share": ratio(sums["io_time"], whole), "io_md_share": ratio(sums["io_md_time"], whole),
            "metadata_share": operation_share, "MiB_s": rate, "MiB_s_CN": ratio(rate, nodes), "N_cn": nodes,
            "overlap": 1 - sums["io_time"] / durations if durations else None, **latency,
            **{"effective_rate_" + d: effective_rate([r for r in t.requests if r.timed and r.write == (d == "w")]) for d in "rw"},
            **({name: None for name in ("t_r", "t_w", "io_time", "io_md_time", "io_time_max", "io_md_share")} | {"io_share": counted_io} if t.counted else {}),
            **dict.fromkeys(untimed),
            **({"md_time": None} if t.counted and not sums["md_time"] or not t.operations else {}),
            **({} if t.operations or any(k.get("source") == "POSIX" for k in t.counters) else {"metadata_share": None}),
            "asynchronous_share": None if "asynchronous" in t.lacks else ratio(sum(r.asynchronous for r in t.requests), len(t.requests)),
            "asynchronous_share_bytes": None if "asynchronous" in t.lacks else ratio(sum(add_up(r.length for r in t.requests if r.asynchronous and r.write == write)
                                                  for write in (False, True)), size)}


def layout(requests):
    """Readings. "One stride" is the stride of a simple, the jump of a nested strided stream. All direction streams count, so one short
    stream makes the layout *overlapping*. A process without known offsets overlaps nothing."""
    spans = {}
    for r in requests:
        if r.offset is not None:
            low, high = spans.get(r.process, (r.offset, 0))
            spans[r.process] = (min(low, r.offset), max(high, r.end))
    ordered = sorted(spans.values())
    if all(a[1] <= b[0] for a, b in zip(ordered, ordered[1:])):
        return "segmented"
    found = [pattern(s) for write in (False, True) for s in steps([r for r in requests if r.write == write], lambda r: r.stream)]
    if all(name in ("simple strided", "nested strided") for name, _ in found) and len({d[:2][-1] for _, d in found}) == 1:
        return "interleaved"
    return "overlapping"


def strategy(t, by_class):
    """Returns the strategy of the job. Reading: without bytes there is none, unless P = 1."""
    per_process, total = Counter(), by_class["all"]["bytes"]
    for p, row in rows(t, lambda e: e.process).items():
        per_process[p] = row.bytes()
    if t.P == 1:
        return "serial"
    if not total:
        return None
    if 100 * max(per_process.values()) >= 99 * total:
        return "rank-0"
    names = [("N-1", "shared"), ("N-M", "part-shared"), ("N-N", "unique")]
    return max(names, key=lambda pair: by_class[pair[1]]["bytes"])[0]


def file_name(key):
    return "/".join(map(str, key))


def files(t):
    """Reading: the pattern of a file is that of most of its requests, of equally many the first in the order of the definition."""
    table, extent, requests = rows(t, lambda e: e.file), extents(t), defaultdict(list)
    for r in t.requests:
        requests[r.file].append(r)
    by_class = {name: {"files": 0, "bytes": 0, "requests": 0, "extent": None} for name in
                ("all", "read-only", "write-only", "read/write", "unique", "shared", "part-shared")}
    result, layouts = {}, dict.fromkeys(("segmented", "interleaved", "overlapping"), 0)
    used, (by_file, _) = reuse_reference.bytes_by_file(t.requests), classes_by_file(t)
    for f in table:
        rs = requests[f]
        users = len({r.process for r in rs})
        row = result[file_name(f)] = file_row(t, table[f], rs) | {
            "path": t.paths.get(f), "n_f": users, "A_f": ratio(users, t.P), "extent": extent.get(f)}
        of = reuse_row([used.get(f, reuse_reference.Bytes())])
        row |= {name: of[name] for name in ("unique_read", "unique_written", "footprint", "reuse")} | class_columns(*by_file[f])
        if users == 0:
            continue
        sharing = "unique" if users == 1 else "shared" if users == t.P else "part-shared"
        use = "read-only" if not any(r.write for r in rs) else "write-only" if all(r.write for r in rs) else "read/write"
        for name in ("all", use, sharing):
            c = by_class[name]
            c["files"], c["bytes"], c["requests"] = c["files"] + 1, add_up([c["bytes"], table[f].bytes()]), c["requests"] + len(rs)
            c["extent"] = max((e for e in (c["extent"], extent.get(f)) if e is not None), default=None)
        if row["layout"]:
            layouts[row["layout"]] += 1
    tops = top_lists(table, lambda f: ((t.paths.get(f) or "", f), file_name(f)), t.options.top, lambda row: add_up(row.took.values()))
    shown = {name for top in tops.values() for name in top}
    return {**{f"class_{name}": {c: by_class[c][name] for c in by_class} for name in ("files", "bytes", "requests", "extent")},
            "task_local": by_class["unique"]["files"], "shared": by_class["shared"]["files"] + by_class["part-shared"]["files"],
            "layout": layouts, "strategy": strategy(t, by_class), "rows": result, **tops,
            "top_path": {name: result[name]["path"] for name in result if name in shown}}


def file_pattern(requests):
    counts = dict.fromkeys(PATTERNS, 0)
    for write in (False, True):
        for stream in steps([r for r in requests if r.write == write], lambda r: r.stream):
            counts[pattern(stream)[0]] += len(stream)
    return max(counts, key=counts.get) if any(counts.values()) else None


def file_row(t, row, requests):
    following = [s for stream in steps(requests, lambda r: r.stream) for s in stream if s.before]
    times = {r.process: Union() for r in requests}
    for r in requests:
        if r.timed and not r.asynchronous:
            times[r.process].add(r.start, r.duration)
    lengths = [union.length for union in times.values()]
    sums = {name: value for name, value in row_values(t, row).items() if name != "io_md_time"}
    return sums | {
        "mean_size": ratio(row.size["r"] + row.size["w"], len(requests)),
        "sequential_M": ratio(sum(s.g == 0 for s in following), len(following)),
        "same_size_M": ratio(sum(s.request.length == s.before.length for s in following), len(following)),
        "pattern": file_pattern(requests),
        "layout": layout(requests) if len(times) > 1 else None,
        "stragglers": ratio(max(lengths) - min(lengths), add_up(lengths)) if len(times) > 1 else None}


GROUPS = {"F_open": ["open"], "F_close": ["close"], "F_create": ["create"], "F_dir": ["mkdir", "rmdir", "readdir", "opendir", "closedir"],
          "F_inode": ["unlink", "rename", "exchange", "link", "symlink", "truncate", "chmod", "chown", "utime", "setxattr", "removexattr", "mknod"]}


OPERATION_KINDS = {"opens": ["open", "close", "create"], "lookups": ["stat", "access", "readlink", "statfs", "getcwd"],
         "names": ["unlink", "rename", "exchange", "mkdir", "rmdir", "link", "symlink", "mknod"],
         "attributes": ["chmod", "chown", "utime", "xattr", "getxattr", "setxattr", "removexattr"],
         "directories": ["readdir", "opendir", "closedir"], "syncs": ["fsync", "fdatasync", "sync", "syncfs", "msync"],
         "locks": ["lock", "flock"], "seeks": ["seek", "lseek"], "space": ["truncate", "ftruncate", "allocate"]}


def kinds(t):
    """Reading: opens that fail are lookups; the time of a kind is unknown if all of its operations lack theirs."""
    by_kind = defaultdict(list)
    for o in t.operations:
        kind = next((kind for kind, names in OPERATION_KINDS.items() if o.name in names), "other")
        by_kind["lookups" if kind == "opens" and o.result != "0" else kind].append(o)
    times = {kind: [o.took for o in of if o.took is not None] for kind, of in by_kind.items()}
    return {"kind_calls": {kind: len(of) for kind, of in by_kind.items()},
            "kind_failed": {kind: sum(o.result != "0" for o in of) for kind, of in by_kind.items()},
            "kind_time": {kind: add_up(ns) if ns else None for kind, ns in times.items()}}


def metadata(t):
    """Readings: the groups F_* contain successful calls only, and exactly the names that the definition lists; the time of an operation
    is the plain sum."""
    names = defaultdict(list)
    for o in t.operations:
        names[o.name].append(o)
    times = {name: [o.took for o in calls if o.took is not None] for name, calls in names.items()}
    good, bad = Counter(o.name for o in t.operations if o.result == "0"), [o for o in t.operations if o.result != "0"]
    n, known = len(t.requests), {name: took for name, took in times.items() if took}
    result = {"operations": len(t.operations), "operations_failed": len(bad),
            "operations_time": add_up(sum(times.values(), [])) if known else None,
            "calls": {name: len(calls) for name, calls in names.items()},
            "failed": {name: len(calls) - good[name] for name, calls in names.items()},
            "timed": {name: len(took) for name, took in times.items()}, "time": {name: add_up(took) for name, took in known.items()},
            "time_min": {name: min(took) for name, took in known.items()}, "time_max": {name: max(took) for name, took in known.items()},
            "time_mean": {name: ratio(add_up(took), len(took)) for name, took in known.items()},
            "errors": dict(Counter(o.result for o in bad)), "calls_other": 0, "errors_other": 0,
            **kinds(t), **{group: sum(good[name] for name in members) for group, members in GROUPS.items()},
            "opens_per_file": ratio(sum(o.opens() for o in t.operations), len({r.file for r in t.requests})),
            "operations_per_request": ratio(len(t.operations), n), "seeks_per_request": ratio(good["seek"] + good["lseek"], n)}
    if "results" in t.lacks:
        result |= {"operations_failed": None, "errors_other": None, "kind_failed": dict.fromkeys(result["kind_failed"]),
                   "failed": dict.fromkeys(names)}
    if not any(o.opens() for o in t.operations):
        result["opens_per_file"] = None
    lacking = {"creates": ["F_create"], "operations": ["F_dir", "F_inode", "seeks_per_request"]}
    result |= {name: None for word, of in lacking.items() if word in t.lacks for name in of if not result[name]}
    if t.operations:
        return result
    unknown = ("operations", "operations_failed", "calls_other", "errors_other", *GROUPS, "opens_per_file", "operations_per_request",
            "seeks_per_request")
    return result | {name: None for name in unknown}


# 3.6 Reuse

STATES = {"read": "r", "written": "a", "written-last": "b", "read-last": "v"}


def reuse_row(files):
    """Reading: a request beyond 2^64 - 1 ends there."""
    kinds, states = [f.kinds() for f in files], [f.in_state() for f in files]
    sums = {name: add_up(k[name] for k in kinds) for name in reuse_reference.Bytes().kinds()}
    of = {s: add_up(f[s] for f in states) for s in "rabv"}
    footprint = add_up(of.values())
    return {**sums, "state_bytes": {name: of[s] for name, s in STATES.items()},
            "unique_read": add_up(of[s] for s in "rbv"), "unique_written": add_up(of[s] for s in "abv"), "footprint": footprint,
            "reuse": ratio(sum(min(add_up(sums[name] for name in names), MAX_SUM) for names in (reuse_reference.READS, reuse_reference.WRITES)), footprint)}


def reuse(t):
    dependencies = reuse_reference.dependencies(t.requests, t.options.top) if t.options.dependencies else {}
    return {**reuse_row(list(reuse_reference.bytes_by_file(t.requests).values())), "rounded": 0, **dependencies}


CLASSES = ["required", "checkpoint", "swapping", "rewritten", "unknown"]


def classes_by_file(t):
    """Returns the classes of reads and of writes of each file, and the checkpoint series."""
    used, requests = reuse_reference.bytes_by_file(t.requests), defaultdict(list)
    for r in t.requests:
        requests[r.file].append(r)
    none = reuse_reference.Bytes()
    writes = {f: reuse_reference.Written(f, used.get(f, none), rs) for f, rs in requests.items()}
    series = reuse_reference.checkpoint_series(writes, t.paths)
    checkpoints = {f for of in series for f in of}
    unknown = {f: [sum(r.length for r in rs if r.offset is None and r.write == write) for write in (False, True)]
               for f, rs in requests.items()}
    return defaultdict(lambda: reuse_reference.classes_of(none, [0, 0], False),
                       {f: reuse_reference.classes_of(used.get(f, none), unknown[f], f in checkpoints) for f in requests}), series


def class_columns(reads, writes):
    """Reading: the class of a file is that of most of its bytes, of equally many the first one in this order."""
    both = {c: add_up([min(reads.get(c, 0), MAX_SUM), min(writes[c], MAX_SUM)]) for c in CLASSES}
    columns = {f"{c}_{d}": min(of[c], MAX_SUM) for d, of in (("r", reads), ("w", writes)) for c in of}
    return columns | {"class": max(CLASSES, key=both.get) if any(both.values()) else None}


def classes(t):
    files_, series = classes_by_file(t)
    cpu = cpu_time(t)
    running, result = t.T if cpu is None else cpu, {}
    sums = [{c: add_up(min(f[d][c], MAX_SUM) for f in files_.values()) for c in of}
            for d, of in enumerate((["required", "swapping", "unknown"], CLASSES))]
    both = {c: sums[0].get(c, 0) + sums[1][c] for c in CLASSES}
    for suffix, of in (("_r", sums[0]), ("_w", sums[1]), ("", both)):
        result["bytes" + suffix] = {c: min(of[c], MAX_SUM) for c in of}
        result["share" + suffix] = {c: ratio(of[c], sum(of.values())) for c in of}
        result["MB_s" + suffix] = {c: ratio(of[c] * SECOND, running) for c in of}
    return result | {"checkpoint_files": len({f for of in series for f in of}), "checkpoint_series": len(series)}


# Counters of Darshan, where there are no requests

def counted_rates(files, running):
    """The rows of 3.1, of files of counters; a file without bytes has no extent."""
    n = {"N_" + d: sum(f.requests[d] for f in files) for d in "rw"}
    s = {"S_" + d: add_up(f.bytes[d] for f in files) for d in "rw"}
    n, s = n | {"N": n["N_r"] + n["N_w"]}, s | {"S": s["S_r"] + s["S_w"]}
    ends = [f.last + 1 for f in files if sum(f.bytes.values())]
    result = {**n, **s, "files": len(files), "data_size": sum(ends) if ends else None,
              "F_max": max(ends, default=None), "F_min": min(ends, default=None),
              "rw_ratio_bytes": ratio(s["S_r"], s["S_w"]), "rw_ratio_requests": ratio(n["N_r"], n["N_w"])}
    for d in ("_r", "_w", ""):
        result["avg_size" + d] = ratio(s["S" + d], n["N" + d])
        for name, amount in (("MB_s", s["S" + d]), ("IOs_s", n["N" + d])):
            result[name + d] = ratio(amount * SECOND, running)
    return result


def counted_totals(t, extent_min=0):
    files = [f for f in counters_reference.posix(t.counters).values()
             if not extent_min or sum(f.bytes.values()) and f.last + 1 >= extent_min]
    cpu = cpu_time(t)
    result = counted_rates(files, t.T if cpu is None else cpu)
    if extent_min:
        return result
    for d in ("_r", "_w", ""):
        result["B_avg" + d] = ratio(result["S" + d] * SECOND, t.T)
        result["IOPS_avg" + d] = ratio(result["N" + d] * SECOND, t.T)
    for d in "rw":
        result[f"p_{d}_IOPs"] = ratio(result["N_" + d], result["N"])
        result[f"p_{d}_Bytes"] = ratio(result["S_" + d], result["S"])
        result["duration_" + d] = counters_reference.counters(t.counters)["t_" + d]["POSIX"]
    result["duration"] = result["duration_r"] + result["duration_w"]
    return result if t.operations else result | {"opens": counted_calls(t, "OPENS")}


def counted_calls(t, name):
    return sum(max(0, int(k.get("POSIX_" + name, 0))) * int(k.get("times", 1)) for k in t.counters if k.get("source") == "POSIX")


def counted_metadata(t):
    """Values of operations from counters, in a trace without operations."""
    of = counters_reference.counters(t.counters)
    files = counters_reference.posix(t.counters)
    counts = sum(sum(f.requests.values()) for f in files.values())
    number, n = (len(files), counts) if t.counted else (len({r.file for r in t.requests}), len(t.requests))
    opened, seeks = counted_calls(t, "OPENS"), counted_calls(t, "SEEKS")
    return {"operations_time": of["md_time"]["POSIX"], "F_open": opened, "opens_per_file": ratio(opened, number),
            "operations_per_request": None, "seeks_per_request": ratio(seeks, n)}


def counted_files(t):
    by_class = {name: {"files": 0, "bytes": 0, "requests": 0, "extent": None} for name in counters_reference.CLASSES}
    for f in counters_reference.posix(t.counters).values():
        users = t.P if f.shared else f.ranks
        sharing = "unique" if users == 1 else "shared" if users == t.P else "part-shared"
        use = "read-only" if not f.requests["w"] else "write-only" if not f.requests["r"] else "read/write"
        for name in ("all", use, sharing):
            c = by_class[name]
            c["files"], c["requests"] = c["files"] + 1, c["requests"] + sum(f.requests.values())
            c["bytes"] += sum(f.bytes.values())
            if sum(f.bytes.values()):
                c["extent"] = max(f.last + 1, c["extent"] or 0)
    names = [("N-1", "shared"), ("N-M", "part-shared"), ("N-N", "unique")]
    most = max(names, key=lambda pair: by_class[pair[1]]["bytes"])[0] if by_class["all"]["bytes"] else None
    if most and 100 * max(counters_reference.posix_ranks(t.counters).values(), default=0) >= 99 * by_class["all"]["bytes"]:
        most = "rank-0"
    return {**{f"class_{name}": {c: by_class[c][name] for c in by_class} for name in ("files", "bytes", "requests", "extent")},
            "task_local": by_class["unique"]["files"], "shared": by_class["shared"]["files"] + by_class["part-shared"]["files"],
            "strategy": "serial" if t.P == 1 else most}


def counted_share(of, parts):
    """Returns the share of counted requests in all of POSIX; None if one of these was not measured."""
    requests = [of[f"N_{d}"]["POSIX"] for d in "rw"]
    return None if None in requests + parts else ratio(sum(parts), sum(requests))


def counted_small(classes, limit):
    """Returns the share of counted requests up to a size; None if that is not the limit of a class."""
    ends = {label: counters_reference.LIMITS.get(key) for key, label in counters_reference.SIZES.items()}
    known = limit in ends.values()
    return ratio(sum(n for label, n in classes.items() if (ends[label] or limit + 1) <= limit), sum(classes.values())) if known else None


def counted_times(t):
    """Returns the exact t_r, t_w and md_time of the modules of the layer in ns; None where no counters of POSIX replace operations."""
    if t.options.physical or t.operations or not any(k.get("source") == "POSIX" for k in t.counters):
        return None
    return counters_reference.times(t.counters, ("MPI-IO",) if t.layer == "mpiio" else ("POSIX", "STDIO"))


def counted(t, name):
    """Returns the values of a section that counters replace."""
    if name == "metadata":
        posix = not t.options.physical and any(k.get("source") == "POSIX" for k in t.counters)
        return counted_metadata(t) if posix and not t.operations else {}
    if not t.counted:
        return {}
    of = counters_reference.counters(t.counters)
    if name == "order":
        return {"sequential": counted_share(of, [of["sequential_r"]["POSIX"], of["sequential_w"]["POSIX"]])}
    if name == "sizes":
        not_aligned = of["not_aligned"]["POSIX"]
        share = counted_share(of, [not_aligned])
        classes = {d: {label: of["size_" + d]["POSIX " + label] for label in counters_reference.SIZES.values()} for d in "rw"}
        small = {d: {str(limit): counted_small(classes[d], limit) for limit in {*SMALL, t.options.small}} for d in "rw"}
        return {"aligned": None if share is None else 1 - share} | \
            {f"{name}_{d}": of[d] for name, of in (("size_darshan", classes), ("small", small)) for d in "rw"}
    if name == "time":
        rate = of["MiB_s"]["POSIX"]
        return {"MiB_s": rate, "MiB_s_CN": ratio(rate, t.options.nodes or hosts_of(t))}
    return {"totals": counted_totals, "large": lambda t: counted_totals(t, t.options.large), "files": counted_files}.get(name, lambda t: {})(t)


def counters(t):
    return counters_reference.counters(t.counters)


# 3.10 Criteria

def criteria(t):
    """Readings. The pattern of a direction is that of most requests, of equal ones the first in the order of 3.3. Interfaces have the
    requests of the layers of %file, and those of the modules of counters.
    """
    of = {name: section(t, name) for name in ("totals", "sizes", "order", "time", "cycles", "metadata", "files", "classes", "counters")}

    def values(name, *paths, suffixes="r w".split()):
        found = {}
        for path in paths:
            for suffix in suffixes:
                end = "_" + suffix if suffix else ""
                value = of[name].get(path[0] + end)
                found[path[0] + end] = value.get(path[1]) if isinstance(value, dict) else value
        return found

    def both(name, *paths):
        return values(name, *paths, suffixes=("r", "w", ""))

    def alone(name, *names):
        return {n: of[name].get(n) for n in names}

    result = {"1.1": both("totals", ("S",)), "1.2": both("totals", ("N",)), "1.3": both("time", ("B_max",)) | both("totals", ("B_avg",)),
              "1.4": both("time", ("IOPS_max",)) | both("totals", ("IOPS_avg",)),
              "1.5": alone("totals", "created") | alone("metadata", "F_open", "F_close"),
              "1.6": both("time", ("intensity", str(MIB))), "2.2": values("sizes", ("small", str(t.options.small))),
              "2.3": values("sizes", ("variable",)), "2.4": alone("totals", "p_r_IOPs", "p_w_IOPs", "p_r_Bytes", "p_w_Bytes"),
              "2.6": alone("files", "task_local", "shared"), "2.7": {}, "2.9": both("time", ("burstiness", str(MIB))),
              "2.10": {key: of["order"]["repetition"][key] for key in ("repetitive", "lag")},
              "3.1": both("time", ("parallel_intensity_normalised", str(MIB))), "4.2": interfaces(t, of["counters"]),
              "4.4": {f"{c}_{d}": of["classes"].get(f"share_{d}", {}).get(c) for d, c in
                      (*[("r", c) for c in ("required", "swapping", "unknown")],
                       *[("w", c) for c in ("required", "checkpoint", "swapping", "rewritten", "unknown")])},
              "4.5": alone("time", "asynchronous_share", "asynchronous_share_bytes")}
    for d in "rw":
        requests = {name: n or 0 for name, n in of["order"][f"pattern_requests_{d}"].items()}
        most = max(requests, key=requests.get)
        total = sum(requests.values())
        result["2.7"] |= {f"pattern_{d}": most if total else None, f"pattern_share_{d}": ratio(requests[most], total)}
    periods = of["cycles"].get("type_period_s", {})
    result["2.11"] = {name: periods.get(kind) for name, kind in
                      (("type_period_s_r", "read"), ("type_period_s_w", "write"), ("type_period_s", "read/write"))}
    return result


def interfaces(t, counters_):
    found = {}
    for layer in LAYERS:
        numbers = {f"{layer}_{d}": t.by_layer[layer, d] for d in "rw"}
        found |= numbers if any(numbers.values()) else {}
    for module in counters_.get("N_r", {}):
        found |= {f"counters_{module}_{d}": counters_[f"N_{d}"][module] for d in "rw"}
    return found


# 3.11 Findings

def most_of(amounts, name_of):
    """Returns the key with most, of equal ones the first by name; None if all are 0."""
    return min((key for key in amounts if amounts[key]), key=lambda key: (-amounts[key], name_of(key)), default=None)


class Findings:
    """Readings. Shares are of requests with a predecessor where section order has them so. Of shared files, the share is that of their
    requests. `overlap_possible` needs the period of a cycle, and is left out.
    """

    def __init__(self, t):
        self.t, self.list = t, {}
        self.by_file = defaultdict(list)
        for r in t.requests:
            self.by_file[r.file].append(r)
        self.users = {f: len({r.process for r in rs}) for f, rs in self.by_file.items()}
        self.used = reuse_reference.bytes_by_file(t.requests)

    def cost(self):
        """What remedies can save at most: the run time, and the share of it that the slowest process spends in reads, writes, both; of the
        bytes if the times are not known, or requests are asynchronous."""
        self.bytes = float(self.total("S"))
        if self.t.counted:
            longest = [counters_reference.longest(self.t.counters, "POSIX", names, self.t.P)
                       for names in (("t_r",), ("t_w",), ("t_r", "t_w"), ("t_r", "t_w", "md_time"))]
        else:
            table = {} if any(r.asynchronous for r in self.t.requests) else rows(self.t, lambda e: e.process)
            longest = [max((row.length(name) for row in table.values()), default=0) / SECOND
                       for name in ("t_r", "t_w", "io_time", "io_md_time")]
        self.seconds = max((self.t.T or 0) / SECOND, longest[3])
        self.timed = self.seconds > 0 and longest[2] > 0
        if self.timed:
            self.shares = dict(zip(("r", "w", "rw"), (min(1, time / self.seconds) for time in longest)))
        else:
            self.shares = {d: min(1, self.total("S_" + d) / self.bytes) if self.bytes else 0 for d in "rw"} | {"rw": 1}

    def total(self, name):
        return (counted_totals(self.t) if self.t.counted else totals(self.t))[name]

    def add(self, code, value, threshold, saves, **concerned):
        """saves: (share, unit), the unit "s" or "bytes"."""
        share, unit = min(1, saves[0]), saves[1]
        if share < 0.01 or (share * self.seconds < 0.001 if unit == "s" else share * self.bytes < 65536):
            self.list[code] = {"trivial_saves": share}
        else:
            self.list[code] = {"value": value, "threshold": threshold, "saves": share, **concerned}

    def part(self, share):
        return share, "s" if self.timed else "bytes"

    def time(self, seconds):
        return seconds / self.seconds if self.seconds else 0, "s"

    def add_file(self, code, amounts):
        file = most_of(amounts, lambda f: (self.t.paths.get(f) or "", f))
        if file and "value" in self.list[code]:
            self.list[code] |= {"file": file_name(file)} | ({"path": self.t.paths[file]} if self.t.paths.get(file) else {})

    def requests(self, write, shared):
        return {f: [r for r in rs if r.write == write] for f, rs in self.by_file.items() if self.users[f] > shared}

    def small(self):
        limit, counted = self.t.options.small, counters_reference.posix(self.t.counters)
        for d, write in (("r", False), ("w", True)):
            all_of = sum(f.requests[d] for f in counted.values()) if self.t.counted else sum(r.write == write for r in self.t.requests)
            for shared, code in ((1, "small_requests_shared_" + d), (0, "small_requests_" + d)):
                if self.t.counted:
                    chosen = {key: f for key, f in counted.items() if not shared or f.shared or f.ranks > 1}
                    small = {key: f.small(d, limit) for key, f in chosen.items()}
                    requests = sum(f.requests[d] for f in chosen.values())
                else:
                    chosen = self.requests(write, shared)
                    small = {f: sum(r.length <= limit for r in rs) for f, rs in chosen.items()}
                    requests = sum(map(len, chosen.values()))
                n = sum(small.values())
                if requests and n > 1000 and n > 0.1 * requests:
                    self.add(code, ratio(n, requests), 0.1, self.part(n / all_of * self.shares[d]), count=n)
                    self.add_file(code, small)

    def counters(self):
        of = counters(self.t)
        for d in "rw":
            calls, collective = (of.get(f"{name}_{d}", {}).get("MPI-IO") for name in ("N", "collective"))
            if calls is not None and collective is not None and calls > 1000 and collective < calls / 2:
                self.add("no_collective_" + d, ratio(collective, calls), 0.5, self.part((1 - collective / calls) * self.shares[d]),
                         count=calls)
        size = {module: sum(of.get("S_" + d, {}).get(module) or 0 for d in "rw") for module in ("STDIO", "POSIX")}
        if size["STDIO"] > 0.1 * sum(size.values()):
            self.add("stream_io", ratio(size["STDIO"], sum(size.values())), 0.1,
                     self.time(counters_reference.longest(self.t.counters, "STDIO", ("t_r", "t_w"), self.t.P)))

    def counted_metadata(self):
        metadata, both = (counters_reference.longest(self.t.counters, "POSIX", names, self.t.P)
                          for names in (("md_time",), ("t_r", "t_w", "md_time")))
        if metadata > 30 or metadata > 0 and 2 * metadata >= both:
            self.add("metadata", metadata / both, 0.5, self.time(metadata))

    def metadata(self):
        if not self.t.options.physical and any(k.get("source") == "POSIX" for k in self.t.counters) and \
                not any(row.length("md_time") for row in rows(self.t, lambda e: e.process).values()):
            self.counted_metadata()
            return
        times = {p: (row.length("md_time"), row.length("io_md_time")) for p, row in rows(self.t, lambda e: e.process).items()}
        found = {p: md for p, (md, both) in times.items() if md > 0 and (md > 30 * SECOND or 2 * md >= both)}
        process = most_of(found, lambda p: p)
        if process is not None:
            self.add("metadata", ratio(*times[process]), 0.5, self.time(times[process][0] / SECOND), count=len(found), process=process)

    def reuse(self):
        kinds, footprint = [f.kinds() for f in self.used.values()], add_up(add_up(f.in_state().values()) for f in self.used.values())
        again = {f: add_up([b.kinds()["re_read"], b.kinds()["read_after_write"]]) for f, b in self.used.items()}
        both = sum(add_up(k[name] for k in kinds) for name in ("re_read", "read_after_write"))
        size = [add_up(r.length for r in self.t.requests if r.write == write) for write in (False, True)]
        swapping = classes(self.t)["share"]["swapping"]
        if swapping is not None and footprint < 0.25 * add_up(size) and swapping > 0.5:
            self.add("fits_in_memory", ratio(footprint, add_up(size)), 0.25, self.part(swapping * self.shares["rw"]), bytes=footprint)
        if both > 0.1 * size[0]:
            self.add("read_again", ratio(both, size[0]), 0.1, self.part(both / size[0] * self.shares["r"]), bytes=min(both, MAX_SUM))
            self.add_file("read_again", again)

    def random(self):
        o, random_of = order(self.t), Counter()
        for f, rs in self.by_file.items():
            for write in (False, True):
                for stream in steps([r for r in rs if r.write == write], lambda r: r.stream):
                    random_of[f] += len(stream) if pattern(stream)[0] == "random" else 0
        for d in "rw":
            backward = (o["backward_" + d] or 0)
            requests = o["pattern_requests_" + d]
            share = ratio(requests["random"], sum(requests.values())) or 0
            if backward > 0.2 and backward * o["followers_" + d] > 1000:
                self.add("random_" + d, backward, 0.2, self.part(backward * self.shares[d]))
            elif share > 0.5:
                self.add("random_" + d, share, 0.5, self.part(share * self.shares[d]))
            else:
                continue
            self.add_file("random_" + d, random_of)

    def shared_files(self):
        more, shares_of = {}, {}
        for f, rs in self.by_file.items():
            times = defaultdict(Union)
            for r in rs:
                union = times[r.process]
                if r.timed and not r.asynchronous:
                    union.add(r.start, r.duration)
            lengths = [union.length for union in times.values()]
            share = ratio(max(lengths) - min(lengths), add_up(lengths)) if len(lengths) > 1 else None
            if share is not None and share > 0.15:
                more[f], shares_of[f] = max(lengths) - min(lengths), share
        if more:
            worst = most_of(more, lambda f: (self.t.paths.get(f) or "", f))
            self.add("stragglers", shares_of[worst], 0.15, self.time(more[worst] / SECOND), count=len(more))
            self.add_file("stragglers", more)
        shared = [f for f in self.by_file if self.users[f] == self.t.P and self.t.P > 1]
        if len(shared) == 1 and files(self.t)["strategy"] == "N-1":
            size = add_up(r.length for r in self.by_file[shared[0]])
            share = ratio(size, totals(self.t)["S"])
            self.add("one_shared_file", share, 0, self.part(share * self.shares["rw"]))
            self.add_file("one_shared_file", {shared[0]: size})

    def processes(self):
        size = {p: row.bytes() for p, row in rows(self.t, lambda e: e.process).items()}
        if size and files(self.t)["strategy"] == "rank-0":
            process = most_of(size, lambda p: p)
            self.add("rank_0", ratio(size[process], sum(size.values())), 0.99, self.part((1 - 1 / self.t.P) * self.shares["rw"]),
                     process=process)
        balances = [processes(self.t)[name] for name in ("imbalance_bytes", "imbalance_requests")]
        balance = next((b for b in balances if b and (b["spread"] or 0) > 0.3), None)
        if self.t.P > 1 and balance:
            self.add("imbalance", balance["spread"], 0.3, self.part((1 - 1 / balance["max_to_mean"]) * self.shares["rw"]),
                     process=balance["process"])

    def misaligned(self):
        s = sizes(self.t)
        for d in "rw":
            if s["aligned_" + d] is not None and 1 - s["aligned_" + d] > 0.1:
                self.add("misaligned_" + d, 1 - s["aligned_" + d], 0.1, self.part((1 - s["aligned_" + d]) * self.shares[d]))


class CountedFindings(Findings):
    """Of a trace without records."""

    def reuse(self):
        again = {key: f.read_again() for key, f in counters_reference.posix(self.t.counters).items()}
        if sum(again.values()) > 0.1 * self.total("S_r"):
            share = sum(again.values()) / self.total("S_r")
            self.add("read_again", share, 0.1, self.part(share * self.shares["r"]), bytes=sum(again.values()))
            self.add_file("read_again", again)

    def random(self):
        of = counters(self.t)
        for d in "rw":
            sequential, n = (of[f"{name}_{d}"]["POSIX"] for name in ("sequential", "N"))
            if sequential is not None and n is not None and n - sequential > max(0.2 * n, 1000):
                self.add("random_" + d, (n - sequential) / n, 0.2, self.part((n - sequential) / n * self.shares[d]))

    def shared_files(self):
        files = counters_reference.posix(self.t.counters)
        more = {key: f.slowest - f.fastest for key, f in files.items() if f.time and (f.slowest - f.fastest) / f.time > 0.15}
        if more:
            worst = most_of({key: round(time * 10**9) for key, time in more.items()}, lambda f: (self.t.paths.get(f) or "", f))
            if worst:
                self.add("stragglers", float(more[worst] / files[worst].time), 0.15, self.time(round(more[worst] * 10**9) / SECOND),
                         count=len(more))
                self.add_file("stragglers", {worst: 1})
        shared = [key for key, f in files.items() if f.shared or f.ranks > 1 and f.ranks == self.t.P]
        if len(shared) == 1 and counted_files(self.t)["strategy"] == "N-1" and self.total("S"):
            share = sum(files[shared[0]].bytes.values()) / self.total("S")
            self.add("one_shared_file", share, 0, self.part(share * self.shares["rw"]))
            self.add_file("one_shared_file", {shared[0]: 1})

    def processes(self):
        size, total = counters_reference.posix_ranks(self.t.counters), self.total("S")
        most = max(size.values(), default=0)
        if self.t.P < 2 or not total:
            return
        if most >= 0.99 * total:
            self.add("rank_0", most / total, 0.99, self.part((1 - 1 / self.t.P) * self.shares["rw"]))
        least = min(size.values(), default=0) if len(size) >= self.t.P else 0
        if sum(size.values()) == total and most - least > 0.3 * most:
            self.add("imbalance", (most - least) / most, 0.3, self.part((1 - total / self.t.P / most) * self.shares["rw"]))

    def misaligned(self):
        n, requests = counters(self.t)["not_aligned"]["POSIX"], self.total("N")
        if n is not None and requests and n > 0.1 * requests:
            self.add("misaligned", n / requests, 0.1, self.part(n / requests * self.shares["rw"]), count=n)


def findings(t):
    f = (CountedFindings if t.counted else Findings)(t)
    f.cost()
    for find in (f.metadata, f.small, f.counters, f.reuse, f.random, f.shared_files, f.processes, f.misaligned):
        find()
    return {name: {code: of[name] for code, of in f.list.items() if name in of}
            for name in ("value", "threshold", "saves", "count", "bytes", "file", "path", "process", "trivial_saves")}


SECTIONS = {"trace": header, "totals": totals, "large": large, "sizes": sizes, "order": order, "time": time, "cycles": cycles, "files": files,
            "processes": processes, "metadata": metadata, "reuse": reuse, "classes": classes, "counters": counters,
            "map": criteria, "findings": findings}


def section(t, name):
    """Returns the values of a section, which are computed once."""
    if name not in t.sections:
        t.sections[name] = SECTIONS[name](t) | counted(t, name)
    return t.sections[name]


def differences(a, b, path=""):
    """Yields the differences of two results in the sections and values that both have. Integers must be equal, others within 1e-9
    relative; null is the same as absent within a table."""
    if isinstance(a, dict) and isinstance(b, dict):
        table = path.count(".") >= 1
        for key in {**a, **b}:
            if table or key in a and key in b:
                yield from differences(a.get(key), b.get(key), f"{path}.{key}" if path else key)
    elif isinstance(a, (int, float)) and isinstance(b, (int, float)):
        exact = isinstance(a, int) and isinstance(b, int)
        if a != b if exact else abs(a - b) > 1e-9 * max(abs(a), abs(b)):
            yield f"{path}: {a}, {b}"
    elif a != b:
        yield f"{path}: {a}, {b}"


def flat(section):
    """Returns a section with the tables within a value as values of their own: NAME_TABLE."""
    result = {}
    for name, value in section.items():
        if isinstance(value, dict) and not name.endswith("rows"):
            result[name] = {key: v for key, v in value.items() if not isinstance(v, dict)}
            result |= {f"{name}_{key}": v for key, v in value.items() if isinstance(v, dict)}
        else:
            result[name] = value
    return result


def compare(names):
    first, second = (json.load(open(name, encoding="utf-8", errors="surrogateescape")) for name in names)
    first, second = ({name: flat(section) for name, section in values.items()} for values in (first, second))
    found = list(differences(first, second))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(1 if found else 0)


def seconds(text):
    """Of a time with a unit, such as 100ms."""
    units = {"ms": 0.001, "s": 1, "min": 60, "m": 60, "h": 3600}
    number = text.rstrip("minhs")
    return float(number) * units[text[len(number):] or "s"]


def parse(words):
    parser = argparse.ArgumentParser(description="Statistics of a trace in text form, as JSON.")
    parser.add_argument("--compare", nargs=2, metavar="FILE", help="print the differences of two results")
    parser.add_argument("--section", default=",".join(SECTIONS))
    parser.add_argument("--tick", "--in-tick", type=int, default=1000)
    parser.add_argument("--layer", choices=LAYERS)
    parser.add_argument("--physical", action="store_true")
    parser.add_argument("--per-thread", action="store_true")
    parser.add_argument("--dependencies", action="store_true")
    parser.add_argument("--small", type=int, default=MIB)
    parser.add_argument("--large", type=int, default=4 * MIB)
    parser.add_argument("--alignment", type=int, default=4096)
    parser.add_argument("--runtime", type=float)
    parser.add_argument("--interval", type=seconds)
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--top", type=int, default=10)
    parser.add_argument("--series", action="store_true", help="print the bins of the view, too")
    parser.add_argument("file", nargs="?")
    return parser.parse_args(words)


def values_of(lines, words):
    """Returns the values of a trace, by section and name; words: options."""
    options = parse(words)
    trace = Trace(lines, options)
    return {name: named(name, flat(section(trace, name))) for name in options.section.split(",")}


def main():
    options = parse(None)
    if options.compare:
        compare(options.compare)
    source = options.file or sys.stdin.fileno()
    with open(source, encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
        print(json.dumps(values_of(lines, None), indent=1))


if __name__ == "__main__":
    main()
