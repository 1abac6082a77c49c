#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes a random trace of bursts at even or uneven intervals, in decimal text form, for comparisons of the cycles of iotrace analyze.

	periodic_trace.py SEED >trace

The same seed gives the same trace. Bursts are reads, writes or both, with or without operations, short or nearly as long as the period,
equal or of different sizes, and may be missing.
"""
import random
import sys

READ, WRITE = 0x80, 0xC0


def burst(rng, kinds, start, width):
    """Yields (start, type, length, duration) in microseconds."""
    n = rng.randint(1, 30)
    for i in range(n):
        kind = kinds[0] if i < n // 2 else kinds[-1]
        yield start + width * i // n, kind, rng.choice((4096, 65536, 1 << 20)), rng.choice((0, width // (2 * n), width // n))


def events(rng):
    period = rng.choice((100, 5000, 10**6, 20 * 10**6))
    width = int(period * rng.choice((0.001, 0.1, 0.4, 0.95)))
    jitter, missing, second = rng.choice((0, 0, 0.02, 0.1, 0.2)), rng.choice((0, 0, 0.1)), rng.choice((0, 0, 0, 1 / 3))
    kinds, operations = rng.choice(((READ,), (WRITE,), (READ, WRITE), (READ, WRITE))), rng.choice((0, 1, 2))
    for cycle in range(rng.choice((2, 4, 5, 9, 24, 150))):
        start = 10**6 + round((cycle + jitter * rng.gauss(0, 1)) * period + period)
        if rng.random() >= missing:
            yield from burst(rng, kinds, start, width)
        if second:
            yield from burst(rng, kinds, start + round(second * period), width)
        for _ in range(operations):
            yield start, None, 0, 0


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    last = 0
    print("255 %trace source=test\n255 %file process=1 id=1 object=1 path=/file")
    for start, kind, length, duration in sorted(events(random.Random(int(sys.argv[1]))), key=lambda event: event[0]):
        if kind is None:
            print(f"255 %op name=stat time={start} took=1 process=1")
            continue
        print(kind, 32, 0, length, start - last, duration, 1, 1, 0)
        last = start


main()
