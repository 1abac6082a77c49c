#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes synthetic traces with the request sizes, rates and cycles of seven supercomputer applications.

	study_traces.py NAME [TIMES] >trace        NAME: one of APPLICATIONS or CLASS_TESTS
	study_traces.py --list

With TIMES, an application of ITERATIVE makes as many times the cycles, in as many times the time.
The parameters follow from the tables of E. L. Miller, Input/Output Behavior of Supercomputing Applications. There are no random
numbers: the same name gives the same bytes. Times are microseconds, rounded down; the trace has one process.
"""
import sys

SECOND = 1000000
MB = 1000000
READ, WRITE, ASYNCHRONOUS = 0x80, 0xC0, 0x08

# CPU seconds, reads, writes, size of reads and of writes, files, extent of each file, cycles
ITERATIVE = {
    "bvi": (1258, 1147866, 232591, 13824, 29696, 2, 85494784, 40),
    "ccm": (205, 27783, 26342, 33792, 33280, 2, 5812224, 75),
    "forma": (206, 413491, 62335, 33792, 20480, 3, 10002432, 42),
    "les": (146, 10687, 11697, 355840, 342016, 4, 55866880, 18),
    "venus": (379, 22763, 12141, 472064, 491520, 6, 9338880, 108),
}
# CPU seconds, reads, writes, sizes, extents of input and output, percent of the time at the start and at the end
IN_MEMORY = {
    "gcm": (1897, 645, 7308, 33792, 33280, 21795840, 207267840, 1, 5),
    "upw": (596, 22, 1818, 33280, 33280, 732160, 60503040, 1, 1),
}
APPLICATIONS = [*ITERATIVE, *IN_MEMORY]
CLASS_TESTS = ["input-output", "checkpoint-one", "checkpoint-many", "staging"]


class Positions:
    """The file and offset of each request: files in turn, from the start again behind the extent."""

    def __init__(self, files, extent, size, first_file=1):
        self.files, self.extent, self.size, self.first = files, extent, size, first_file
        self.number = 0
        self.position = [0] * files

    def next(self):
        f = self.number % self.files
        self.number += 1
        if self.position[f] + self.size > self.extent:
            self.position[f] = 0
        offset = self.position[f]
        self.position[f] += self.size
        return f + self.first, offset


def iterative(cpu_s, reads, writes, read_size, write_size, files, extent, cycles):
    """Yields (cpu, write, file, offset, size): in each cycle the reads, then the writes, in its first half."""
    read_at, write_at = Positions(files, extent, read_size), Positions(files, extent, write_size)
    for c in range(cycles):
        r = (c + 1) * reads // cycles - c * reads // cycles
        w = (c + 1) * writes // cycles - c * writes // cycles
        for i in range(r + w):
            cpu = (2 * c * (r + w) + i) * cpu_s * SECOND // (2 * (r + w) * cycles)
            if c == cycles - 1 and i == r + w - 1:
                cpu = cpu_s * SECOND
            at, size = (read_at, read_size) if i < r else (write_at, write_size)
            yield (cpu, i >= r, *at.next(), size)


def in_memory(cpu_s, reads, writes, read_size, write_size, read_extent, write_extent, start, end):
    """Reads at the start and writes at the end of a run."""
    whole = cpu_s * SECOND
    read_at, write_at = Positions(1, read_extent, read_size), Positions(1, write_extent, write_size, 2)
    for i in range(reads):
        yield (whole * start * i // (100 * reads), False, *read_at.next(), read_size)
    for i in range(writes):
        cpu = whole - whole * end * (writes - i) // (100 * writes)
        yield (whole if i == writes - 1 else cpu, True, *write_at.next(), write_size)


def transfer(first, span, write, file, total, size=MB, offset=0):
    """`total` bytes in one sequential transfer of `span` CPU microseconds."""
    for i in range(total // size):
        yield first + span * i // max(1, total // size), write, file, offset + i * size, size


def input_output():
    yield from transfer(0, SECOND, False, 1, 50 * MB)
    yield from transfer(199 * SECOND, SECOND - 10000, True, 2, 99 * MB)
    yield 200 * SECOND, True, 2, 99 * MB, MB


def checkpoints(many):
    for k in range(20):
        yield from transfer(k * 20 * SECOND, SECOND, True, k + 1 if many else 1, 40 * MB)
    yield 400 * SECOND, True, 20 if many else 1, 0, 0


def staging():
    """24 bytes for every 200 operations at 200 million operations a second, of a matrix that does not fit in memory."""
    block, matrix = 1 << 20, 64 << 20
    for i in range(24 * MB * 120 // block):
        offset = i // 2 * block % matrix
        yield i * 120 * SECOND // (24 * MB * 120 // block), i % 2 == 1, 1, offset, block
    yield 120 * SECOND, True, 1, 0, block


def requests(name, times):
    if name in ITERATIVE:
        cpu_s, reads, writes, *sizes, cycles = ITERATIVE[name]
        return iterative(times * cpu_s, times * reads, times * writes, *sizes, times * cycles)
    if name in IN_MEMORY:
        return in_memory(*IN_MEMORY[name])
    return {"input-output": input_output, "checkpoint-one": lambda: checkpoints(False),
            "checkpoint-many": lambda: checkpoints(True), "staging": staging}[name]()


def duration(name, size):
    if name == "bvi":
        return 20 + size // 1000
    return 10000 if name == "les" else 1000 + size // 100


def paths(name):
    if name == "checkpoint-many":
        return {k: f"/scratch/ckpt.{k:04}" for k in range(1, 21)}
    names = {"gcm": ["input", "output"], "upw": ["input", "output"], "input-output": ["input", "output"]}
    many = ITERATIVE[name][5] if name in ITERATIVE else 1
    return {k + 1: f"/scratch/{name}.{n}" for k, n in
            enumerate(names.get(name, [f"{i + 1}" for i in range(many)]))}


def main():
    if sys.argv[1:] == ["--list"]:
        print(*APPLICATIONS, *CLASS_TESTS, sep="\n")
        return
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in APPLICATIONS + CLASS_TESTS:
        sys.exit(__doc__)
    name, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 1
    if times < 1 or (times > 1 and name not in ITERATIVE):
        sys.exit(__doc__)
    out = [f"ff %trace source=study_traces command={name}", f"ff %process id=1 name={name}"]
    out += [f"ff %file process=1 id={k} object={k} path={path}" for k, path in paths(name).items()]
    asynchronous = ASYNCHRONOUS if name == "les" else 0
    waited = last_start = last_cpu = 0
    for cpu, write, file, offset, size in requests(name, times):
        took = duration(name, size)
        start = cpu + waited
        waited += 0 if asynchronous else took
        kind = (WRITE if write else READ) | asynchronous
        out.append(f"{kind:x} 20 {offset:x} {size:x} {start - last_start:x} {took:x} {file:x} 1 {cpu - last_cpu:x}")
        last_start, last_cpu = start, cpu
        if len(out) > 100000:
            sys.stdout.write("\n".join(out) + "\n")
            out = []
    sys.stdout.write("\n".join(out) + "\n")


main()
