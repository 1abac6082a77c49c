# SPDX-License-Identifier: BSD-2-Clause
"""Compares each policy of lib/simulate with cache_reference.py, reference by reference.

    cache_compare.py CACHE_RUN FIRST-LAST [POLICY...]      on random streams of these seeds
    cache_compare.py CACHE_RUN --keys=FILE [POLICY...]     on the keys of a file, one in a line, at three sizes

Prints the first reference with a difference, and the number of references compared.
"""
import array
import random
import subprocess
import sys

import cache_reference

CAPACITIES = [1, 2, 3, 4, 5, 7, 9, 10, 11, 19, 20, 21, 33, 50, 64, 99, 100, 101, 128, 200, 333, 1000]
LENGTH = 3000


def zipf(rand, distinct):
    """Keys by a Zipf-like law, in shuffled order, so that the popular ones are not adjacent."""
    names = list(range(distinct))
    rand.shuffle(names)
    return lambda: names[min(distinct - 1, int(distinct ** rand.random()) - 1)]


def part(rand, capacity):
    """Keys of one phase of a stream."""
    kind = rand.choice(["uniform", "zipf", "larger loop", "smaller loop", "scan", "mixture"])
    n = rand.randrange(50, LENGTH)
    start = rand.choice([0, 0, rand.randrange(5000)])
    if kind == "uniform":
        size = max(2, int(capacity * rand.uniform(0.5, 3)))
        return [start + rand.randrange(size) for _ in range(n)]
    if kind == "zipf":
        draw = zipf(rand, max(2, int(capacity * rand.uniform(1, 10))))
        return [start + draw() for _ in range(n)]
    if kind == "scan":
        return list(range(start + 10000, start + 10000 + n))
    if kind == "mixture":
        draw = zipf(rand, 4 * capacity + 2)
        return [draw() if rand.random() < 0.7 else 20000 + start + i for i in range(n)]
    size = capacity + 1 + capacity // 10 if kind == "larger loop" else max(1, capacity - capacity // 10 - 1)
    return [start + i % size for i in range(n)]


def stream(seed):
    """Returns a capacity and steps: keys, and pairs (first, last) of drops in one of four streams."""
    rand = random.Random(seed)
    capacity = rand.choice(CAPACITIES)
    steps = []
    while len(steps) < LENGTH:
        steps += part(rand, capacity)
    if seed % 4 == 0:
        for _ in range(rand.randrange(1, 30)):
            first = rand.choice([0, rand.randrange(6000)])
            last = first + rand.choice([0, rand.randrange(50), rand.randrange(20000)])
            steps.insert(rand.randrange(len(steps)), (first, last))
    shift = rand.choice([0, 0, 20, 40])
    return capacity, [(step[0] << shift, step[1] << shift) if isinstance(step, tuple) else step << shift
                      for step in steps]


def gone(step):
    return lambda key: step[0] <= key <= step[1]


def expected(name, capacity, steps):
    calls = [gone(step) if isinstance(step, tuple) else step for step in steps]
    policy = cache_reference.new(name, capacity, calls if name == "opt" else None)
    hits = []
    for step in calls:
        if callable(step):
            policy.drop(step)
        else:
            hits.append("1" if policy.refer(step) else "0")
    return f"{''.join(hits)} {policy.evictions} {len(policy.resident())}\n"


def computed(program, name, capacity, steps, batch):
    numbers = array.array("Q")
    for step in steps:
        numbers.extend((1, *step) if isinstance(step, tuple) else (0, step, 0))
    return subprocess.run([program, name, str(capacity), str(batch)], input=numbers.tobytes(), check=True,
                          capture_output=True).stdout.decode()


def compare(program, name, capacity, steps, what, batches):
    want = expected(name, capacity, steps)
    for batch in batches:
        if name == "opt" and batch == 0:
            continue
        found = computed(program, name, capacity, steps, batch)
        if found != want:
            at = next((i for i, (a, b) in enumerate(zip(found, want)) if a != b), min(len(found), len(want)))
            print(f"{name}, {capacity} blocks, {what}, batch {batch}: the first difference is at reference {at} of "
                  f"{want.index(' ')}: {found[at:at + 20]!r}, expected {want[at:at + 20]!r}")
            return False
    return True


def main():
    program, what = sys.argv[1:3]
    names = sys.argv[3:] or list(cache_reference.POLICIES)
    wrong = compared = 0
    if what.startswith("--keys="):
        with open(what[7:]) as file:
            keys = [int(line) for line in file]
        distinct = len(set(keys))
        for name in names:
            for capacity in (max(1, distinct // 1000), max(1, distinct // 100), max(1, distinct // 10)):
                wrong += not compare(program, name, capacity, keys, what, [4096])
                compared += len(keys)
    else:
        first, last = map(int, what.split("-"))
        for seed in range(first, last + 1):
            capacity, steps = stream(seed)
            for name in names:
                wrong += not compare(program, name, capacity, steps, f"stream {seed}", [0, 1, 1000])
                compared += len(steps)
    print(f"{compared} references compared, {len(names)} policies: {wrong} differences")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
