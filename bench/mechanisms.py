#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures the gain of each mechanism that exists only for speed, with a build in which it is switched off.

	mechanisms.py [--records N] [--runs N] [--only WORD]

Run it in the top directory after `make all build/release/bench/make_trace`. For each mechanism it compiles a copy of the source tree
in which one line is changed as MECHANISMS says. Both programs run in alternation. The table, in Markdown, shows by how much the
mechanism reduces the time of the command. A mechanism stays if it gains 10 % or more on one of its commands.
"""
import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from compare import commands, cores_of, make_traces, run

# name, file, line, replacement that switches it off, clock (cpu or wall), commands
MECHANISMS = [
    ("AVX2 decoder, hexadecimal", "lib/codec/decode.c", "if (!c->avx2)", "if (true)", "cpu", ["decode (info)"]),
    ("AVX2 decoder, decimal", "lib/codec/decode.c", "if (!c->avx2)", "if (!c->avx2 || c->base == 10)", "cpu", ["decode decimal (info)"]),
    ("AVX2 encoder", "lib/codec/encode.c", "return c->avx2 && c->base == 16 && c->last != 0;", "return false && c->last;",
     "cpu", ["decode, encode (cat)"]),
    ("decompression on a thread", "lib/io/bufreader.c", "cpu_count() == 1)", "true)", "wall", ["decode .zst, encode (cat)", "merge of 2 .zst"]),
    ("prefetching stages", "lib/stream/prefetch_stage.c", "if (upstream == NULL || cpu_count() == 1)",
     "if (upstream == NULL || cpu_count() != 0)", "wall", ["convert strace", "convert Darshan (DXT)", "reorder"]),
    ("parallel decoding and reduction", "cli/ui/trace_in.c", "const unsigned n = cpu_count();", "const unsigned n = 1;", "wall",
     ["decode (info)", "stat"]),
]


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--records", type=int, default=3000000)
    p.add_argument("--runs", type=int, default=9)
    p.add_argument("--only", default="", help="mechanisms whose name contains this word")
    return p.parse_args()


def build_without(mechanism, top):
    """Returns the path of a program without the mechanism, built in a copy of the tree and its objects."""
    name, file, line, off = mechanism[:4]
    shutil.rmtree(top, ignore_errors=True)
    subprocess.run(["cp", "-a", ".", top], check=True)
    text = (top / file).read_text()
    if text.count(line) != 1:
        sys.exit(f"{file}: expected once: {line}")
    (top / file).write_text(text.replace(line, off))
    subprocess.run(["make", "-C", top, "-j2", "build/release/iotrace"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return top / "build/release/iotrace"


def main():
    a = arguments()
    program = pathlib.Path("build/release/iotrace").resolve()
    d = pathlib.Path(tempfile.mkdtemp(prefix="iotrace-bench-"))
    try:
        make_traces(program, pathlib.Path("build/release/bench/make_trace").resolve(), a.records, d)
        print("| mechanism | switched off in | command | clock | gain |\n|---|---|---|---|---:|", flush=True)
        for mechanism in MECHANISMS:
            name, file, _, _, clock, names = mechanism
            if a.only not in name:
                continue
            without = build_without(mechanism, d / "tree")
            for command in names:
                words = commands(d)[command]
                i = 0 if clock == "cpu" else 2
                pairs = [(run(without, words, cores_of())[i], run(program, words, cores_of())[i]) for _ in range(a.runs)]
                gain = 1 - statistics.median(new / old for old, new in pairs)
                print(f"| {name} | {file} | {command} | {clock} | {100 * gain:.0f} % |", flush=True)
    finally:
        shutil.rmtree(d)


if __name__ == "__main__":
    main()
