#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares iotrace simulate with a slow model of it, written from its definition, on random small traces and options.

    simulate_compare.py IOTRACE FIRST-LAST        seeds

The model has the rows of --by with their reuse, prefetching, the device's reads and writes, and the estimates of its time; policies are
those of cache_reference.py. All integers have to be equal. The first difference ends the comparison; its trace and command are printed.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import cache_reference

READ, WRITE, FSYNC, TRUNCATE = range(4)
KINDS = {0: "file data", 1: "metadata", 3: "virtual memory"}
DEVICES = {"disk1990": (2e6, 15e6, 1 << 30, 0, 0, 38400000, 38400000), "ssd": (0, 0, 1 << 30, 90000, 30000, 550 * 10**6, 500 * 10**6),
           "near=1ms,far=7ms,span=64K,rate=1000000": (1e6, 7e6, 65536, 0, 0, 10**6, 10**6)}


class Record:
    def __init__(self, kind, process, file, offset=0, length=0, start=0, asynchronous=False, data=0):
        self.kind, self.process, self.file, self.offset, self.length = kind, process, file, offset, length
        self.start, self.asynchronous, self.data = start, asynchronous, data


class Trace:
    def __init__(self, rng, block):
        self.records, self.lines = [], []
        processes, files, now = rng.choice([1, 2, 3]), rng.choice([1, 2, 3]), 0
        self.object_of, self.numbers = {}, {}
        self.rank_of = {p: rng.choice([None, p % 2]) for p in range(1, processes + 1)}
        for p in range(1, processes + 1):
            rank = "" if self.rank_of[p] is None else f" rank={self.rank_of[p]}"
            self.lines.append(f"ff %process id={p}{rank}")
            for f in range(1, files + 1):
                self.object_of[p, f] = rng.choice([f, f, f + 10 * p])
                self.numbers.setdefault(self.object_of[p, f], len(self.numbers))
                self.lines.append(f"ff %file process={p} id={f} object={self.object_of[p, f]} path=/{self.object_of[p, f]}")
        end = {}
        for _ in range(rng.choice([1, 10, 50, 120])):
            p, f = rng.randrange(1, processes + 1), rng.randrange(1, files + 1)
            if rng.random() < 0.06:
                size = rng.randrange(40 * block)
                kind, name = rng.choice([(FSYNC, "fsync"), (TRUNCATE, f"truncate size={size}")])
                self.lines.append(f"ff %op name={name} process={p} file={f}")
                self.records.append(Record(kind, p, f, offset=size))
                continue
            length = rng.choice([0, 1, block // 2, block, block, 2 * block, 3 * block + 7, 9 * block, 40 * block])
            offset = end.get((p, f), 0) if rng.random() < 0.6 else rng.randrange(40 * block)
            kind, wait, data = rng.choice([READ, READ, WRITE]), rng.choice([0, 1, 5, 1000]), rng.choice([0, 0, 0, 1, 3])
            asynchronous = rng.random() < 0.2
            end[p, f], now = offset + length, now + wait
            self.records.append(Record(kind, p, f, offset, length, now, asynchronous, data))
            self.lines.append(f"{0x80 | (0x40 if kind == WRITE else 0) | (8 if asynchronous else 0) | data:x} 20 {offset:x} {length:x} "
                              f"{wait:x} 0 {f:x} {p:x} 0")

    def base(self, r):
        """The key of block 0 of the object of a record or operation."""
        return self.numbers[self.object_of[r.process, r.file]] << 40

    def keys(self, r, block):
        return [self.base(r) + b for b in range(r.offset // block, (r.offset + r.length - 1) // block + 1)] if r.length else []

    def write(self, path):
        with open(path, "w") as file:
            print(*self.lines, sep="\n", file=file)

    def row(self, by, r):
        return {"object": f"/{self.object_of[r.process, r.file]}",
                "file": f"{r.process}:{r.file} /{self.object_of[r.process, r.file]}", "process": f"process {r.process}",
                "rank": "-" if self.rank_of[r.process] is None else f"rank {self.rank_of[r.process]}", "kind": KINDS[r.data],
                "op": "write" if r.kind == WRITE else "read"}[by]


def curve_end(distance):
    """The end of the bin of a distance: exact up to 128, then 64 bins to an octave."""
    v, shift = distance - 1, 0
    while v >> shift >= 128:
        shift += 1
    return ((v >> shift) + 1) << shift


class Reuse:
    """The stack of the newest blocks, in which None is the place of a block that was dropped."""

    def __init__(self):
        self.stack, self.last, self.rows = [], {}, {}

    def use(self, key, row, start):
        distance = self.stack.index(key) + 1 if key in self.stack else None
        hole = self.stack.index(None) if None in self.stack else None
        if distance is not None:
            self.stack[distance - 1] = None
        if hole is not None and (distance is None or hole < distance - 1):
            del self.stack[hole]
        elif distance is not None:
            del self.stack[distance - 1]
        self.stack.insert(0, key)
        for name in (None, row):
            counts, distances, times = self.rows.setdefault(name, ({}, [], []))
            counts[key] = counts.get(key, 0) + 1
            if distance is not None:
                distances.append(distance)
                times.append(start - self.last[key])
        self.last[key] = start

    def drop(self, gone):
        self.stack = [None if key is not None and gone(key) else key for key in self.stack]

    def row(self, name):
        counts, distances, times = self.rows.get(name, ({}, [], []))

        def median(values, add):
            return curve_end(sorted(values)[(len(values) - 1) // 2] + add) - add if values else None
        return {"referenced_blocks": len(counts), "repeated_blocks": sum(n > 1 for n in counts.values()), "reuses": len(distances),
                "reuse_distance": median(distances, 0), "reuse_time_ns": median(times, 1)}


class Device:
    """Adjacent blocks of a record with the same cause are one I/O."""

    CAUSES = ["evicted", "read", "write", "prefetched", "synced"]

    def __init__(self, o):
        self.o, self.previous, self.all, self.waited = o, None, 0, 0
        self.pending = {cause: [] for cause in self.CAUSES}
        self.asynchronous = False

    def service(self, obj, offset, length, write):
        near, far, span, read_latency, write_latency, read_rate, write_rate = DEVICES[self.o["device"]]
        if self.previous is None or self.previous[0] != obj:
            position = far
        elif self.previous[1] == offset:
            position = 0
        else:
            position = near + int((far - near) * math.sqrt(min(1.0, abs(offset - self.previous[1]) / span)))
        self.previous = (obj, offset + length)
        return int(position) + (write_latency if write else read_latency) + length * 10**9 // (write_rate if write else read_rate)

    def issue(self, cause):
        blocks = self.pending[cause]
        if not blocks:
            return
        size = self.o["block"]
        ns = self.service(blocks[0] >> 40, blocks[0] % (1 << 40) * size, len(blocks) * size, cause not in ("read", "prefetched"))
        self.all += ns
        if cause == "synced" or (cause in ("read", "write") and not self.asynchronous):
            self.waited += ns
        self.pending[cause] = []

    def add(self, cause, key):
        blocks = self.pending[cause]
        if blocks and blocks[-1] + 1 != key:
            self.issue(cause)
        self.pending[cause].append(key)

    def end(self):
        for cause in self.CAUSES:
            self.issue(cause)


class Model:
    def __init__(self, o, trace, policy, capacity, steps):
        self.o, self.trace, self.name = o, trace, policy
        self.policy = cache_reference.new(policy, capacity, steps)
        self.device, self.dirty, self.unused = Device(o), set(), set()
        self.count = dict.fromkeys("hits misses device_read device_written saved cancelled prefetched prefetch_used prefetch_wasted".split(), 0)
        self.extent, self.io_end, self.read_end, self.windows = {}, {}, {}, {}
        for r in trace.records:
            if r.kind <= WRITE and r.length and not o["pipe"]:
                self.extend(r)

    def extend(self, r):
        base = self.trace.base(r)
        self.extent[base] = max(self.extent.get(base, 0), self.trace.keys(r, self.o["block"])[-1] + 1)

    def refer(self, key):
        """Returns whether it hits; the evicted block is written if it is dirty."""
        before = set(self.policy.resident())
        hit = self.policy.refer(key)
        for victim in before - set(self.policy.resident()):
            self.count["prefetch_wasted"] += victim in self.unused
            self.unused.discard(victim)
            if victim in self.dirty:
                self.dirty.remove(victim)
                self.count["device_written"] += 1
                self.device.add("evicted", victim)
        return hit

    def prefetch(self, first, end):
        for key in range(first, min(end, self.extent.get(first >> 40 << 40, 0))):
            if key not in self.policy.resident():
                self.refer(key)
                if key in self.policy.resident():
                    self.unused.add(key)
                self.count["prefetched"] += 1
                self.count["device_read"] += 1
                self.device.add("prefetched", key)

    def reference(self, r, key):
        o, size = self.o, self.o["block"]
        write, start = r.kind == WRITE, key % (1 << 40) * size
        if key in self.unused:
            self.unused.remove(key)
            self.count["prefetch_used"] += 1
        if write and o["write"] == "around" and key not in self.policy.resident():
            hit = False
            if self.name == "opt":
                self.policy.index += 1
        else:
            hit = self.refer(key)
        self.count["hits" if hit else "misses"] += 1
        partial = start < r.offset or start + size > r.offset + r.length
        if not hit and (not write or (o["rmw"] and o["write"] != "around" and partial)):
            self.count["device_read"] += 1
            self.device.add("read", key)
        if write and o["write"] == "back":
            self.count["saved"] += key in self.dirty
            self.dirty.add(key)
        elif write:
            self.count["device_written"] += 1
            self.device.add("write", key)
        if o["prefetch"] == "next:2" and not hit:
            self.prefetch(key + 1, key + 3)
        return hit

    def window(self, r, stream, first, last, missed):
        """Windows as in Linux: [start, end) and the block that issues the next one."""
        most = self.o["window"] // self.o["block"]
        start, end, marker = self.windows.get(stream, (0, 0, None))
        if marker is not None and first <= marker <= last:
            size = end - start
            size = 4 * size if size < most / 16 else 2 * size if size <= most / 2 else most
            self.windows[stream] = (end, end + size, end)
            self.prefetch(end, end + size)
        elif missed and (r.offset == 0 or self.read_end.get(stream) == r.offset):
            size = 1
            while size < last + 1 - first:
                size *= 2
            size = 4 * size if size <= most / 32 else 2 * size if size <= most / 4 else most
            self.windows[stream] = (first, first + size, last + 1) if first + size > last + 1 else (0, 0, None)
            self.prefetch(last + 1, first + size)

    def record(self, r):
        size, base = self.o["block"], self.trace.base(r)
        stream, keys = (r.process, base), self.trace.keys(r, size)
        self.device.asynchronous = r.asynchronous
        self.extend(r)
        missed = [not self.reference(r, key) for key in keys]
        if r.kind == READ and self.o["prefetch"] == "request" and self.io_end.get(stream) == r.offset:
            after = r.offset + r.length
            self.prefetch(base + after // size, base + (after + r.length - 1) // size + 1)
        elif r.kind == READ and self.o["prefetch"].startswith("window"):
            self.window(r, stream, keys[0], keys[-1], any(missed))
        self.io_end[stream] = r.offset + r.length
        if r.kind == READ:
            self.read_end[stream] = r.offset + r.length
        self.device.end()

    def write_dirty(self, cause, chosen):
        for key in sorted(key for key in self.dirty if chosen(key)):
            self.dirty.remove(key)
            self.count["device_written"] += 1
            self.device.add(cause, key)
        self.device.end()

    def operation(self, r):
        if r.kind == FSYNC:
            self.write_dirty("synced", lambda key: key >> 40 << 40 == self.trace.base(r))
            return
        gone = dropped(self.o, self.trace, r)
        wasted = [key for key in self.policy.resident() if gone(key) and key in self.unused]
        self.count["prefetch_wasted"] += len(wasted)
        self.unused -= set(wasted)
        self.policy.drop(gone)
        self.count["cancelled"] += sum(gone(key) for key in self.dirty)
        self.dirty = {key for key in self.dirty if not gone(key)}

    def run(self):
        for r in self.trace.records:
            if r.kind >= FSYNC:
                self.operation(r)
            elif r.length:
                self.record(r)
        self.write_dirty("evicted", lambda key: True)
        return self.count


def dropped(o, trace, r):
    """Which blocks a truncate removes: those wholly beyond the new size."""
    first = trace.base(r) + -(-r.offset // o["block"])
    return lambda key: key >> 40 << 40 == trace.base(r) and key >= first


def steps_of(o, trace):
    """The references, and functions for what a truncate drops, for OPT."""
    steps = []
    for r in trace.records:
        if r.kind == TRUNCATE:
            steps.append(dropped(o, trace, r))
        elif r.kind <= WRITE:
            steps += trace.keys(r, o["block"])
    return steps


def reuse_of(o, trace):
    reuse = Reuse()
    for r in trace.records:
        if r.kind == TRUNCATE:
            reuse.drop(dropped(o, trace, r))
        elif r.kind <= WRITE:
            for key in trace.keys(r, o["block"]):
                reuse.use(key, trace.row(o["by"], r), r.start)
    return reuse


def random_options(rng):
    o = {"block": rng.choice([512, 4096, 5000]), "by": rng.choice(["object", "file", "process", "rank", "kind", "op"]),
         "device": rng.choice(list(DEVICES)), "write": rng.choice(["back", "back", "through", "around"]), "rmw": rng.random() < 0.3,
         "prefetch": rng.choice(["none", "none", "next:2", "request", "window:32K", "window:1M"]), "window": 0, "pipe": rng.random() < 0.3}
    if o["prefetch"].startswith("window"):
        o["window"] = {"window:32K": 32 << 10, "window:1M": 1 << 20}[o["prefetch"]]
    policies = rng.sample([p for p in cache_reference.POLICIES if p != "opt" or (o["prefetch"] == "none" and not o["pipe"])], 2)
    sizes = sorted(rng.sample([1, 2, 3, 5, 8, 13, 30, 100, 1000], 2))
    arguments = [f"--block={o['block']}", f"--by={o['by']}", f"--device={o['device']}", f"--write={o['write']}",
                 f"--prefetch={o['prefetch']}", "--policy=" + ",".join(policies), "--cache=" + ",".join(f"{size}b" for size in sizes),
                 f"--threads={rng.choice([1, 2])}"] + ["--rmw"] * o["rmw"]
    return o, arguments, [(policy, size) for policy in policies for size in sizes]


class Firsts:
    """First references by direction, the records that have one, and their bytes in these blocks."""

    def __init__(self):
        self.count = {name: {"reads": 0, "writes": 0} for name in ("first_references", "first_records", "first_bytes")}

    def add(self, r, blocks, size):
        direction = "writes" if r.kind == WRITE else "reads"
        begin, end = r.offset, r.offset + r.length
        self.count["first_references"][direction] += len(blocks)
        self.count["first_records"][direction] += bool(blocks)
        self.count["first_bytes"][direction] += sum(min(end, (b + 1) * size) - max(begin, b * size) for b in blocks)


def firsts_of(o, trace):
    seen, rows = set(), {}
    for r in trace.records:
        if r.kind <= WRITE and r.length:
            new = [key for key in trace.keys(r, o["block"]) if key not in seen]
            seen.update(new)
            for name in (None, trace.row(o["by"], r)):
                rows.setdefault(name, Firsts()).add(r, [key % (1 << 40) for key in new], o["block"])
    return rows


def differences(o, trace, pairs, found):
    firsts = firsts_of(o, trace)
    for name, row in [(None, found["trace"]), *((row["row"], row) for row in found["simulations"][0]["rows"])]:
        for key, value in firsts.get(name, Firsts()).count.items():
            if row[key] != value:
                yield f"{key} of {name or 'the trace'}: {row[key]}, expected {value}"
    reuse = reuse_of(o, trace)
    if found["trace"]["reuse"] != reuse.row(None):
        yield f"reuse: {found['trace']['reuse']}, expected {reuse.row(None)}"
    for row in found["simulations"][0]["rows"]:
        if row["reuse"] != reuse.row(row["row"]):
            yield f"reuse of {row['row']}: {row['reuse']}, expected {reuse.row(row['row'])}"
    for (policy, size), s in zip(pairs, found["simulations"]):
        model = Model(o, trace, policy, size, steps_of(o, trace))
        n = model.run()
        expected = {"hits": n["hits"], "misses": n["misses"], "device_read_bytes": n["device_read"] * o["block"],
                    "device_written_bytes": n["device_written"] * o["block"], "saved_writes": n["saved"],
                    "cancelled_writes": n["cancelled"], "prefetched": n["prefetched"],
                    "prefetch_used": n["prefetch_used"], "prefetch_wasted": n["prefetch_wasted"],
                    "estimate": {"estimated_device_ns": model.device.all, "estimated_idle_ns": model.device.waited}}
        s["hits"] = sum(s["hits"].values())
        for name, value in expected.items():
            if s[name] != value:
                yield f"{policy}, {size} blocks: {name} {s[name]}, expected {value}"


def compare(iotrace, seed, directory):
    rng = random.Random(seed)
    o, arguments, pairs = random_options(rng)
    trace = Trace(rng, o["block"])
    path = os.path.join(directory, str(seed))
    trace.write(path)
    command = [iotrace, "simulate", "--quiet", "--json", "--in-tick=1", "--in-base=16", *arguments, "-" if o["pipe"] else path]
    with open(path) as file:
        data = file.read()
    run = subprocess.run(command, capture_output=True, text=True, check=False, input=data)
    if run.returncode != 0:
        sys.exit(f"seed {seed}: exit status {run.returncode}: {run.stderr}\n{' '.join(command)}")
    wrong = list(differences(o, trace, pairs, json.loads(run.stdout)))
    if wrong:
        print(*trace.lines, sep="\n")
        sys.exit("\n".join([f"seed {seed}: {' '.join(command)}", *wrong]))
    return sum(r.kind <= WRITE for r in trace.records)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    first, _, last = sys.argv[2].partition("-")
    records = 0
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(int(first), int(last or first) + 1):
            records += compare(sys.argv[1], seed, directory)
    print(f"simulate: seeds {sys.argv[2]}, {records} records: equal")


main()
