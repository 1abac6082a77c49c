#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares iotrace simulate --time with timing_reference.py on random small traces and options.

    timing_compare.py IOTRACE FIRST-LAST        seeds

All integers have to be equal, and some laws have to hold. The first difference ends the comparison; its trace and command are printed.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

from timing_reference import CALL, DROP, FSYNC, READ, WRITE, Step, simulate

TYPES = {READ: 0x80, WRITE: 0xC0}


class Trace:
    """A random trace: its lines, and its processes as programs."""

    def __init__(self, rng, name, block, by):
        self.by, self.known = by, set()
        self.rng, self.name, self.block = rng, name, block
        self.lines, self.programs, self.sizes, self.last_start = [], {}, {}, 0
        self.cpu, self.position, self.open, self.unlinked = {}, {}, {}, set()
        objects = rng.choice([1, 1, 2, 4])
        self.processes = rng.choice([1, 1, 2, 3, 5])
        self.lengths = [rng.choice([1, block, 2 * block, 3 * block, 7 * block + 1, block // 2 + 1, 20 * block]) for _ in range(3)]
        self.pace = rng.choice([0, 10**4, 10**6, 10**7, 3 * 10**7])
        self.extent = rng.choice([4, 20, 60]) * block
        self.asynchronous = rng.choice([0, 0, 0.3, 1])
        for p in range(1, self.processes + 1):
            for f in range(1, objects + 1):
                self.lines.append(f"ff %file process={p} id={f} object={f} path=/{f}")
                self.open[p, f] = f
            self.programs[p] = []
        for _ in range(rng.choice([1, 5, 20, 60])):
            self.operation() if rng.random() < 0.08 else self.record()

    def think(self):
        return self.rng.choice([0, 0, self.pace, self.rng.randrange(self.pace + 1)])

    def record(self):
        rng = self.rng
        p = rng.randrange(1, self.processes + 1)
        files = [f for q, f in self.open if q == p]
        if not files:
            return
        f = rng.choice(files)
        kind, length = rng.choice([READ, READ, WRITE]), rng.choice(self.lengths + [0] * (rng.random() < 0.1))
        at = self.position.get((p, f), 0)
        offset = at if rng.random() < 0.7 and at < self.extent else rng.randrange(self.extent)
        self.position[p, f] = offset + length
        asynchronous = rng.random() < self.asynchronous
        think = self.think()
        first = p not in self.cpu
        if not first and rng.random() < 0.03:
            change, think = -rng.randrange(min(1000, self.cpu[p]) + 1), 0
        else:
            change = think
        self.cpu[p] = self.cpu.get(p, 0) + change
        # The fields of a record are unsigned, except the CPU time, which is a difference in two's complement.
        cpu = f"{change:x}" if change >= 0 else f"-{-change:x}"
        self.lines.append(f"{TYPES[kind] | 8 * asynchronous:x} 20 {offset:x} {length:x} 1 0 {f:x} {p:x} {cpu}")
        row = {None: None, "object": f"/{f}", "process": f"process {p}", "file": f"{p}:{f} /{f}",
               "op": "write" if kind == WRITE else "read"}[self.by]
        self.known.add(row)
        self.programs[p].append(Step(kind, 0 if first else think, f, offset, length, asynchronous, row))
        self.sizes[f] = max(self.sizes.get(f, 0), offset + length)

    def operation(self):
        rng = self.rng
        p = rng.randrange(1, self.processes + 1)
        files = [f for q, f in self.open if q == p]
        name = rng.choice(["fsync", "unlink", "truncate", "close", "stat"])
        if not files or p not in self.cpu:
            return
        f, step = rng.choice(files), Step(CALL)
        text = f"ff %op name={name} process={p} file={f} path=/{f}"
        if name == "fsync":
            step = Step(FSYNC, obj=f)
        elif name == "truncate":
            step = Step(DROP, obj=f, offset=rng.randrange(self.extent))
            text += f" size={step.offset}"
        elif name == "unlink":
            self.unlinked.add(f)
        elif name == "close":
            del self.open[p, f]
            if f in self.unlinked and f not in self.open.values():
                self.unlinked.discard(f)
                step = Step(DROP, obj=f)
        row = {"object": f"/{f}", "process": f"process {p}", "file": f"{p}:{f} /{f}"}.get(self.by)
        if rng.random() < 0.1 and name in ("fsync", "truncate", "stat"):
            step, text = Step(CALL), text + " result=EIO"
            row = None if self.by == "object" else row
        step.row = row if row in self.known else None
        self.lines.append(text)
        self.programs[p].append(step)

    def write(self, path):
        with open(path, "w") as file:
            print(*self.lines, sep="\n", file=file)


def random_options(rng):
    ms, us = 10**6, 1000
    device = rng.choice(["disk1990", "far=0ns,near=0ns,rate=0", "read-latency=90us,write-latency=30us,rate=500000000,depth=3",
                         "far=5ms,near=1ms,span=64K,rate=10000000,depth=1", "far=5ms,near=1ms,span=0,rate=10000000"])
    values = {"disk1990": (2 * ms, 15 * ms, 1 << 30, 0, 0, 38400000, 0), "far=0": (0, 0, 0, 0, 0, 0, 0),
              "read-": (0, 0, 0, 90 * us, 30 * us, 500000000, 3), "far=5ms,near=1ms,span=64K": (ms, 5 * ms, 65536, 0, 0, 10000000, 1),
              "far=5ms,near=1ms,span=0": (ms, 5 * ms, 0, 0, 0, 10000000, 0)}
    near, far, span, read_latency, write_latency, rate, depth = next(v for k, v in values.items() if device.startswith(k))
    zero = rng.random() < 0.2
    cost = [(0, 0), (0, 0), (20 * us, us)][rng.randrange(3)]
    o = {"block": rng.choice([512, 4096, 5000]), "cache": rng.choice([1, 2, 3, 5, 10, 30, 100]), "cpus": rng.choice([1, 1, 1, 2, 3]),
         "quantum": rng.choice([10**5, 10**6, 10**8]), "switch": 0 if zero else rng.choice([0, 10 * us]),
         "syscall": 0 if zero else rng.choice([0, 25 * us]), "interrupt": 0 if zero else rng.choice([0, 10 * us, 10**6]),
         "copy_call": cost[0], "copy_kib": cost[1], "ahead": rng.choice(["none", "request", "request", "window"]),
         "window": rng.choice([0, 16384, 131072, 1 << 20]), "write": rng.choice(["none", "immediate", "immediate", "delayed", "delayed"]),
         "limit": rng.choice([0, 0, 0, 1, 2, 8]), "near": near, "far": far, "span": span, "read_latency": read_latency,
         "write_latency": write_latency, "read_rate": rate, "write_rate": rate, "depth": depth}
    queue = "fifo" if depth else "none"
    o["by"] = rng.choice([None, "object", "process", "file", "op"])
    arguments = [f"--block={o['block']}", f"--cache={o['cache']}b", f"--cpus={o['cpus']}", f"--quantum={o['quantum']}ns",
                 f"--switch={o['switch']}ns", f"--syscall={o['syscall']}ns", f"--interrupt={o['interrupt']}ns",
                 f"--hit-cost={cost[0]}ns,{cost[1]}ns", f"--read-ahead={o['ahead']}" + f":{o['window']}" * (o["ahead"] == "window"),
                 f"--write-behind={o['write']}", f"--device={device}", f"--queue={queue}"]
    if o["by"] is not None:
        arguments.append(f"--by={o['by']}")
    if o["write"] == "delayed":
        background, dirty = rng.choice([(10, 20), (1, 50), (50, 100), (30, 30)])
        o["interval"], o["expire"] = rng.choice([10**6, 5 * 10**9, 3 * 10**7, 3 * 10**7]), rng.choice([0, 10**6, 10**8, 30 * 10**9])
        arguments += [f"--dirty-background={background}", f"--dirty={dirty}", f"--writeback-interval={o['interval']}ns",
                      f"--dirty-expire={o['expire']}ns"]
    else:
        background = dirty = o["interval"] = o["expire"] = 0
    o["dirty"] = max(1, o["cache"] * dirty // 100)
    o["background"] = min(max(1, o["cache"] * background // 100), o["dirty"])
    if o["limit"]:
        arguments.append(f"--process-limit={o['limit'] * o['block']}")
    return o, arguments


def combined(traces, copies, share):
    """The programs of all copies of all traces, with objects of their own, and the sizes of the objects."""
    programs, sizes = [], {}
    for t, trace in enumerate(traces):
        for copy in range(copies):
            space = (t, 0 if share else copy)
            sizes.update({(*space, f): size for f, size in trace.sizes.items()})
            for p in order(trace):
                steps = []
                for s in trace.programs[p]:
                    obj = None if s.obj is None else (*space, s.obj)
                    row = None if s.row is None else (t, s.row)
                    steps.append(Step(s.kind, s.think, obj, s.offset, s.length, s.asynchronous, row))
                    if obj is not None:
                        sizes.setdefault(obj, 0)
                programs.append(((t, copy, p), steps))
    return programs, sizes


def order(trace):
    """Processes are numbered by their first record or operation."""
    seen = []
    for line in trace.lines:
        fields = line.split()
        p = int(fields[7], 16) if fields[0] != "ff" else int(fields[3].split("=")[1]) if fields[1] == "%op" else None
        if p is not None and p not in seen:
            seen.append(p)
    return seen


def laws(o, found):
    """Conservation of time and bytes."""
    busy = sum(found[name] for name in ("think_ns", "syscall_ns", "copy_ns", "switch_ns", "interrupt_ns"))
    yield "time", found["wall_ns"] * o["cpus"] == busy + found["idle_ns"]
    used = found["prefetched_blocks"] - found["wasted_blocks"]
    yield "prefetched", used == found["read_prefetched_blocks"]
    device = found["device_read_bytes"] // o["block"]
    yield "device", device == found["read_miss_blocks"] + found["prefetched_blocks"] + found["partial_reads"]
    written = found["cleaned_blocks"] + found["cancelled_blocks"] + found["dirty_blocks"]
    yield "dirty blocks", found["dirtied_blocks"] == written
    if o["read_rate"] == 0 and not any(o[name] for name in ("switch", "syscall", "interrupt")) and o["cpus"] == 1:
        yield "no idle time", found["idle_ns"] == 0


def differences(o, expected, found):
    for name, value in expected.items():
        if name not in ("process_list", "rows") and found[name] != value:
            yield f"{name}: {found[name]}, expected {value}"
    for i, p in enumerate(expected["process_list"]):
        for name, value in p.items():
            if found["process_list"][i][name] != value:
                yield f"process_list[{i}].{name}: {found['process_list'][i][name]}, expected {value}"
    for row in found.get("rows", []):
        for name, value in expected["rows"].get((row["input_number"], row["row"]), {"missing": 0}).items():
            if row.get(name) != value:
                yield f"row {row['row']}: {name} {row.get(name)}, expected {value}"
    if o["by"] is not None and len(found["rows"]) != len([row for row in expected["rows"] if row is not None]):
        yield "number of rows"
    for name, holds in laws(o, found):
        if not holds:
            yield f"law of {name}"


def compare(iotrace, seed, directory):
    rng = random.Random(seed)
    o, arguments = random_options(rng)
    traces = [Trace(rng, f"{seed}.{i}", o["block"], o["by"]) for i in range(rng.choice([1, 1, 1, 2]))]
    copies, share = rng.choice([1, 1, 2, 3]), rng.random() < 0.3
    arguments += [f"--copies={copies}"] + ["--share"] * share
    paths = []
    for trace in traces:
        if not order(trace):
            return 0
        paths.append(os.path.join(directory, trace.name))
        trace.write(paths[-1])
    command = [iotrace, "simulate", "--time", "--quiet", "--json", "--in-tick=1", "--in-base=16", *arguments, *paths]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"seed {seed}: exit status {run.returncode}: {run.stderr}\n{' '.join(command)}")
    expected = simulate(o, *combined(traces, copies, share))
    found = json.loads(run.stdout)["runs"][0]
    wrong = list(differences(o, expected, found))
    if wrong:
        for trace in traces:
            print(*trace.lines, sep="\n")
        sys.exit("\n".join([f"seed {seed}: {' '.join(command)}", *wrong]))
    return expected["calls"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    first, _, last = sys.argv[2].partition("-")
    calls = 0
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(int(first), int(last or first) + 1):
            calls += compare(sys.argv[1], seed, directory)
    print(f"timing: seeds {sys.argv[2]}, {calls} calls: equal")


main()
