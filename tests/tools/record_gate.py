#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks `iotrace record --seen=syscalls` against the conditions of the wrappers of libc, on this machine and its libc.

	record_gate.py [--runs=N] [--cancel=N] BUILD

BUILD: the directory of iotrace, its libraries and the programs record_libc, record_traps, record_truth, record_lives and bench/record. Prints a line for
each condition. Exit status 1: one does not hold. The cost of a call is the median of differences between neighbouring blocks, the cost of
the start the median of differences between neighbouring runs of true(1); both are printed for the wrappers, too."""
import argparse
import csv
import io
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

CALL_NS = 35
START_US = 250


class Gate:
    def __init__(self, build, directory):
        self.build, self.directory, self.failed = build, directory, 0
        self.iotrace = build / "iotrace"

    def say(self, name, holds, text):
        self.failed += not holds
        print(f"{'ok' if holds else 'NOT'}\t{name}: {text}", flush=True)

    def record(self, *command, seen="syscalls", **more):
        return subprocess.run([self.iotrace, "record", "-q", f"--seen={seen}", "-o", "gate.iot", "--", *command], cwd=self.directory,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)

    def rows(self, columns):
        done = subprocess.run([self.iotrace, "cat", "-q", "-f", "csv", f"--columns={columns}", "gate.iot"], cwd=self.directory,
                              stdout=subprocess.PIPE, text=True, check=True)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def writes_of(self, name):
        return [r for r in self.rows("op,offset,length,path") if r["op"] == "write" and r["path"].endswith(f"/{name}")]


def libc_version():
    return os.confstr("CS_GNU_LIBC_VERSION") or "another libc"


def cancellation(gate, n):
    done = gate.record(gate.build / "record_libc", "cancel", str(n))
    gate.say("cancellation", done.returncode == 0, f"{n} threads that block in read, status {done.returncode} {done.stderr.strip()}")


def tiles(writes, size):
    """Whether the writes with an offset are disjoint, and all together as long as the file."""
    known = sorted((int(w["offset"]), int(w["length"])) for w in writes if w["offset"] != "")
    disjoint = all(a + n <= b for (a, n), (b, _) in zip(known, known[1:]))
    return disjoint and sum(int(w["length"]) for w in writes) == size


def one_stdout(gate, runs):
    wrong = 0
    for _ in range(runs):
        gate.record(gate.build / "record_libc", "prints")
        wrong += not tiles(gate.writes_of("out"), (gate.directory / "out").stat().st_size)
    gate.say("four processes, one stream", wrong == 0, f"{runs} runs, {wrong} with other bytes or offsets")


def libc_alone(gate):
    wrong = []
    for what in ("daemon", "wide", "perror", "limit", "namespace"):
        (gate.directory / "out").unlink(missing_ok=True)
        gate.record(gate.build / "record_libc", what)
        time.sleep(0.1 if what == "daemon" else 0)
        if sum(int(w["length"]) for w in gate.writes_of("out")) != (gate.directory / "out").stat().st_size:
            wrong.append(what)
    gate.say("calls by libc, and a second libc", not wrong, "wrong: " + ", ".join(wrong) if wrong else "all bytes")


def tools(gate):
    here = pathlib.Path(__file__).parent
    for name, words in (("equal to strace", ["record_truth.py", "--both", "--seen=syscalls"]), ("programs and children", ["record_lives.py", "--seen=syscalls"])):
        program = gate.build / words[0].replace(".py", "")
        done = subprocess.run([sys.executable, here / words[0], *words[1:], gate.iotrace, program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        last = (done.stdout.strip().splitlines() or ["no output"])[-1]
        gate.say(name, done.returncode == 0, last if done.returncode != 77 else "no strace")


def generated_code(gate):
    wrong = []
    for way in ("none", "is-code", "becomes-code", "file", "child"):
        gate.record(gate.build / "record_traps", "code", way)
        info = subprocess.run([gate.iotrace, "info", "gate.iot"], cwd=gate.directory, stdout=subprocess.PIPE, text=True).stdout
        if ("5 bytes that generated code moved" in info) != (way != "none"):
            wrong.append(way)
    gate.say("code that a program generates", not wrong, "wrong: " + ", ".join(wrong) if wrong else "stated if it makes calls")


def refusals(gate):
    code = "import ctypes, os, sys; r = ctypes.CDLL(None).prctl(65, 1, 0, 0, 0); os.execvp(sys.argv[1], sys.argv[1:]) if r == 0 else sys.exit(77)"
    done = gate.record(sys.executable, "-c", code, "cp", "/etc/passwd", "copy")
    if done.returncode == 77:
        gate.say("memory that must not become code", True, "not known by this kernel")
        return
    n = sum(int(w["length"]) for w in gate.writes_of("copy"))
    gate.say("memory that must not become code", done.returncode == 0 and n == (gate.directory / "copy").stat().st_size, f"status {done.returncode}, {n} bytes")


def call_cost(gate):
    costs = {(way, call): [] for way in ("calls", "syscalls") for call in ("pread", "write")}
    for way in ("calls", "syscalls") * 5:
        words = [gate.build / "bench/record", "-T", "-b", "200", *(["-S"] if way == "syscalls" else []), gate.build, gate.directory / "bench.dat"]
        out = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
        for m in re.finditer(r"^(pread|write) .* (-?\d+) ns added$", out, re.M):
            costs[way, m[1]].append(int(m[2]))
    for call in ("pread", "write"):
        stub, wrapper = statistics.median(costs["syscalls", call]), statistics.median(costs["calls", call])
        gate.say(f"cost of {call}", stub <= CALL_NS and stub <= wrapper, f"+{stub} ns, wrappers +{wrapper} ns; at most {CALL_NS}")


def time_start(environment):
    begin = time.perf_counter_ns()
    os.waitpid(os.posix_spawn("/bin/true", ["true"], environment), 0)
    return (time.perf_counter_ns() - begin) / 1000


def added_by_start(gate, way):
    """Starts true(1) without and with the environment of a recording, in turns. This process is not recorded: its children join."""
    words = [gate.iotrace, "record", "-q", f"--seen={way}", "-o", "start.iot", "--", "sh", "-c", "echo $IOTRACE_RECORDING; echo $LD_PRELOAD; read end"]
    program = subprocess.Popen(words, cwd=gate.directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    plain = {"PATH": "/usr/bin:/bin"}
    recorded = {**plain, "IOTRACE_RECORDING": program.stdout.readline().strip(), "LD_PRELOAD": program.stdout.readline().strip()}
    added = []
    for i in range(400):
        first, second = time_start(plain if i % 2 else recorded), time_start(recorded if i % 2 else plain)
        added.append(second - first if i % 2 else first - second)
    program.communicate("end\n")
    return statistics.median(added)


def start_cost(gate):
    stub, wrapper = added_by_start(gate, "syscalls"), added_by_start(gate, "calls")
    gate.say("start", stub <= START_US, f"+{stub:.0f} us, wrappers +{wrapper:.0f} us; at most {START_US}")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("--runs", type=int, default=100)
    p.add_argument("--cancel", type=int, default=10000)
    p.add_argument("build", type=lambda s: pathlib.Path(s).resolve())
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        gate = Gate(a.build, pathlib.Path(directory))
        print(libc_version())
        cancellation(gate, a.cancel)
        one_stdout(gate, a.runs)
        libc_alone(gate)
        generated_code(gate)
        refusals(gate)
        tools(gate)
        call_cost(gate)
        start_cost(gate)
        sys.exit(1 if gate.failed else 0)


if __name__ == "__main__":
    main()
