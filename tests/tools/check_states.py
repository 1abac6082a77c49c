#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that states of parts, joined in random trees, are those of whole traces, byte for byte.

	check_states.py parts IOTRACE TRACE N [SEED]	N parts, each by a process of its own, joined by further ones
	check_states.py disorder IOTRACE TRACES		random traces out of order, each in 2 to 8 parts of a few records
	check_states.py names IOTRACE TRACES		random traces whose operations have more names and results than are counted
	check_states.py inputs DIRECTORY TRACES CUTS	writes inputs of fuzz_state: random traces, each with several cuts and trees
"""
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from analyze_random import Generator, random_trace

PROCESSES = 2


class Disorder(Generator):
    """Requests and operations that begin before the preceding ones, of which some outlast many others.

    Operations name no file: those of a file that are out of order are a limit of states."""

    def __init__(self, seed):
        super().__init__(seed)
        self.profile.update(disorder=.4, threads=False, unknown=0, asynchronous=0, operations=self.rng.choice([0, .2, .5]), close=0)

    def operation(self):
        super().operation()
        self.out[-1] = re.sub(" file=[0-9]+", "", self.out[-1])

    def duration(self):
        return self.rng.randrange(self.pace * 100 + 1) if self.rng.random() < .1 else super().duration()


class Names(Generator):
    """Operations of up to 150 names and results; each part of the trace has others."""

    def __init__(self, seed):
        super().__init__(seed)
        self.profile.update(operations=.7, disorder=0)
        self.names = self.rng.randrange(40, 150)

    def operation(self):
        super().operation()
        at = len(self.out) // 4
        self.out[-1] = re.sub("name=[a-z]+", f"name=call{self.number(at)}", re.sub("result=E[A-Z]+", f"result=E{self.number(at)}", self.out[-1]))

    def number(self, at):
        return (at + self.rng.randrange(40)) * 37 % self.names


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def random_parts(tool, generator, traces):
    with tempfile.TemporaryDirectory() as directory:
        trace = os.path.join(directory, "trace.iot")
        for seed in range(1, traces + 1):
            text = ("\n".join(generator(seed).lines()) + "\n").encode("utf-8", "surrogateescape")
            subprocess.run((tool, "cat", "-q", "--framed", "--sync=4", "--no-fsync", "-o", trace, "-"), input=text, check=True)
            join_parts(tool, trace, 2 + seed % 7, seed)
    print(f"{traces} traces ({generator.__name__.lower()}), in 2 to 8 parts: the states, --json and --tsv of the wholes")


def parts(tool, trace, count, seed=1):
    size, text = join_parts(tool, trace, count, seed)
    print(f"{os.path.basename(trace)}: {count} parts ({size >> 10} KiB), joined in a random tree: the state ({len(text) >> 10} KiB), "
          "--json and --tsv of the whole")


def join_parts(tool, trace, count, seed):
    """Returns the size of the states of all parts, and the joined state, which has been compared with that of the whole."""
    generator = random.Random(seed)
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(PROCESSES) as pool:
        def analyze(name, *arguments):
            path = os.path.join(directory, name)
            run(tool, "analyze", "-q", "--no-fsync", "-s", path, *arguments)
            return path

        whole = analyze("whole", trace)
        states = list(pool.map(lambda k: analyze(f"{k}.state", f"--part={k}/{count}", trace), range(1, count + 1)))
        size = sum(os.path.getsize(state) for state in states)
        while len(states) > 1:
            # Neighbours join in random pairs: what is left over waits for the next round.
            pairs, rest = [], []
            while states:
                if len(states) > 1 and generator.random() < .7:
                    pairs.append((len(rest), states.pop(0), states.pop(0)))
                    rest.append(None)
                else:
                    rest.append(states.pop(0))
            for at, joined in pool.map(lambda pair: (pair[0], join(analyze, generator, pair)), pairs):
                rest[at] = joined
            states = rest
        for form in ("--json", "--tsv"):
            same(run(tool, "analyze", "-q", form, states[0]), run(tool, "analyze", "-q", form, trace), form)
        with open(states[0], "rb") as joined, open(whole, "rb") as expected:
            text = joined.read()
            same(text, expected.read(), "state")
        return size, text


def join(analyze, generator, pair):
    _, first, second = pair
    operands = [first, second] if generator.random() < .5 else [second, first]
    joined = analyze(os.path.basename(first) + "+", *operands)
    os.remove(first)
    os.remove(second)
    return joined


def same(found, expected, what):
    if found != expected:
        sys.exit(f"check_states.py: {what} of the joined parts differs from that of the whole")


def inputs(directory, traces, cuts):
    generator = random.Random(1)
    for seed in range(1, traces + 1):
        text = ("\n".join(random_trace(seed)) + "\n").encode("utf-8", "surrogateescape")
        for cut in range(cuts):
            head = bytes((generator.randrange(16) | 16 * (cut % 2) | 32 * (cut % 4 == 0) | 64 * (cut % 3 == 0), generator.randrange(256), generator.randrange(256)))
            with open(os.path.join(directory, f"{seed}-{cut}"), "wb") as file:
                file.write(head + text)


def main(arguments):
    if arguments[0] == "parts":
        parts(*arguments[1:3], *map(int, arguments[3:]))
    elif arguments[0] in ("disorder", "names"):
        random_parts(arguments[1], {"disorder": Disorder, "names": Names}[arguments[0]], int(arguments[2]))
    else:
        inputs(arguments[1], *map(int, arguments[2:]))


if __name__ == "__main__":
    main(sys.argv[1:])
