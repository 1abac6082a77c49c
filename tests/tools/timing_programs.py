#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes synthetic traces of seven supercomputer programs, for the timing model of iotrace simulate.

    timing_programs.py [--burst] NAME >trace        NAME: one of PROGRAMS
    timing_programs.py --list

Sizes and numbers of I/Os follow from the tables of E. L. Miller, Input/Output Behavior of Supercomputing Applications. The CPU time
before each I/O varies by a factor of up to 3 around its mean. With --burst, half of the CPU time of each cycle but the first precedes
the cycle's first I/O. The same arguments give the same bytes; times are rounded to microseconds.
"""
import sys

# CPU seconds, I/Os, bytes of the file, reads and writes (their ratio), KiB per I/O
PROGRAMS = {
    "bvi": (1258, 1380457, 171000000, 913, 185, 16.1),
    "ccm": (205, 54125, 11600000, 135, 128, 31.9),
    "forma": (206, 475826, 30000000, 1990, 300, 30.4),
    "gcm": (1897, 7953, 229000000, 0.34, 3.85, 31.9),
    "les": (146, 22384, 224000000, 74, 81, 325),
    "upw": (596, 1840, 61500000, 0.037, 3.05, 32.7),
    "venus": (379, 34904, None, 60, 32, 456),
}
READ, WRITE, ASYNCHRONOUS = 0x80, 0xC0, 0x08
PAGE, SECOND = 4096, 1000000


def venus():
    """Cycles of 216 reads and 120 writes: six files in turn, from the start again after 20 requests each."""
    size = 114 * PAGE
    for i in range(PROGRAMS["venus"][1]):
        at = i % 336
        j = at % 120 if at < 216 else at - 216
        yield at == 0, WRITE if at >= 216 else READ, j % 6 + 1, j // 6 * size, size


def les():
    """Reads of one file and writes of another alternate."""
    _, ios, extent, _, _, kib = PROGRAMS["les"]
    size = round(kib * 1024 / PAGE) * PAGE
    for i in range(ios):
        offset = i // 2 % (extent // 2 // size) * size
        yield False, (READ, WRITE)[i % 2] | ASYNCHRONOUS, i % 2 + 1, offset, size


def loop(name):
    """Cycles of reads and one pass of writes, in their ratio; each continues where the previous one of its kind ended."""
    _, ios, extent, reads, writes, kib = PROGRAMS[name]
    size = round(kib * 1024 / PAGE) * PAGE
    slots = extent // size
    before = round(slots * reads / writes)
    done = [0, 0]
    for i in range(ios):
        write = i % (before + slots) >= before
        yield i % (before + slots) == 0, WRITE if write else READ, 1, done[write] % slots * size, size
        done[write] += 1


def varying():
    """Numbers from 0.5 to 1.5."""
    z = 1
    while True:
        z = (z * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        yield 0.5 + (z >> 33) / (1 << 31)


def weights(ios, burst):
    cycle, result = 0, []
    starts = [i for i, io in enumerate(ios) if io[0]] or [0]
    length = starts[1] - starts[0] if len(starts) > 1 else len(ios)
    for i, (first, u) in enumerate(zip((io[0] for io in ios), varying())):
        cycle += first
        if not burst or cycle < 2:
            result.append(u)
        else:
            result.append(u * (length / 2 if first else length / 2 / (length - 1)))
    return result


def main():
    arguments = sys.argv[1:]
    if arguments == ["--list"]:
        print(*PROGRAMS, sep="\n")
        return
    burst = arguments[:1] == ["--burst"]
    if len(arguments) != 1 + burst or arguments[-1] not in PROGRAMS:
        sys.exit(__doc__)
    name = arguments[-1]
    ios = list(venus() if name == "venus" else les() if name == "les" else loop(name))
    weight = weights(ios, burst)
    scale, cpu, before = PROGRAMS[name][0] * SECOND / sum(weight), 0.0, 0
    out = [f"ff %trace source=timing_programs command={name}", f"ff %process id=1 name={name}"]
    out += [f"ff %file process=1 id={k} object={k} path=/scratch/{name}.{k}" for k in sorted({io[2] for io in ios})]
    for (_, kind, file, offset, size), w in zip(ios, weight):
        cpu += w * scale
        ticks = round(cpu) - before
        before += ticks
        out.append(f"{kind:x} 20 {offset:x} {size:x} {ticks:x} 0 {file:x} 1 {ticks:x}")
    print(*out, sep="\n")


main()
