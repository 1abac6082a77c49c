#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program of many threads at full speed under `iotrace record`, and kills either side.

	record_stress.py [--seconds=N] [--threads=N] [--kills=N] [--wait=N] [--seed=N] [--linked] [--transport=pipe] [--convert=after] IOTRACE STRESS TEST...

block		the program waits for the collector: each call is in the trace
reader		the reader of the trace waits N seconds (--wait), and so does the program: each call is in the trace
short		100 processes for each kill, one after the other: each is in the trace, and nothing of them is left
drop		the collector is stopped again and again: each call is in the trace, or counted as lost
program		SIGKILL to the program at random moments: each completed call is in the trace, which is complete; with --transport=pipe, or
		counted as lost
collector	SIGKILL to the collector at random moments: the program continues and ends as without it; the trace is readable, and repaired it
		has a %lost
resume		SIGKILL to the collector, which gathers, and at random to the program, too, or to the next collector; `record --resume` then makes the
		trace: each completed call is in it, or counted as lost after the collector was killed

STRESS is tests/tools/record_stress.c, which counts its own calls; with --linked, it contains the library itself. Prints a row for each test. Exit status 1: a difference.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time


RING_CALLS = 2 * (1 << 20) // 48  # a thread that makes so many has filled its ring


class Run:
    """A recording of the stress program in a directory of its own."""

    def __init__(self, a, threads, seconds, options=(), wrapped=False, wait=None, program=None):
        self.iotrace, self.threads = a.iotrace, threads
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="iotrace-stress-", dir=os.environ.get("TMPDIR", "/dev/shm")))
        for name in ("files", "run"):
            (self.top / name).mkdir(mode=0o700)
        self.trace = self.top / "t.iot.zst"
        words = program or [str(a.stress), str(threads), str(seconds), str(self.top / "counts"), str(self.top / "files")]
        if a.linked:  # another library takes its place
            words, options = ["env", "LD_PRELOAD=libm.so.6", "ASAN_OPTIONS=verify_asan_link_order=0", *words], ["--no-follow", *options]
        if wrapped:
            words = ["sh", "-c", '"$@"; echo $? >"$0"', str(self.top / "status"), *words]
        out = self.trace if wait is None else f"|sleep {wait}; exec cat >{self.trace}"
        self.process = subprocess.Popen([a.iotrace, "record", "-o", out, f"--transport={a.transport}", f"--seen={a.seen}", f"--convert={a.convert}", *options, "--", *words], stderr=subprocess.PIPE,
                                        env={**os.environ, "XDG_RUNTIME_DIR": str(self.top / "run")})
        self.peak = {}

    def program(self):
        """Returns the process id of the program, once it counts."""
        while self.counts() is None or sum(self.counts()) == 0:
            check(self.process.poll() is None, "the program ended early")
            time.sleep(0.002)
        return child_of(self.process.pid)

    def counts(self):
        try:
            data = (self.top / "counts").read_bytes()
        except OSError:
            return None
        return list(struct.unpack(f"{len(data) // 8}Q", data))[::8] if len(data) == self.threads * 64 else None

    def measure(self):
        """Notes the peak memory of the collector, in KiB: in all, and without the rings that it shares; and its descriptors."""
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            descriptors = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except OSError:
            return
        self.peak["fd"] = max(self.peak.get("fd", 0), descriptors)
        for key in ("VmRSS", "RssAnon", "RssShmem"):
            found = re.search(rf"^{key}:\s+(\d+)", status, re.M)
            if found:
                self.peak[key] = max(self.peak.get(key, 0), int(found.group(1)))

    def wait(self):
        while self.process.poll() is None:
            self.measure()
            time.sleep(0.05)
        self.messages = self.process.stderr.read().decode()
        return self.process.returncode

    def recorded(self, trace=None, statuses=(0,)):
        """Returns the numbers of I/Os by thread."""
        out = self.output("stat", "-q", "--json", trace or self.trace, statuses=statuses)
        found = [0] * self.threads
        for row in json.loads(out)["rows"]:
            path = pathlib.Path(row.get("name", ""))
            if path.parent == self.top / "files":
                found[int(path.name)] += row["reads"] + row["writes"]
        return found

    def lost(self):
        """Returns the records that %lost counts, by reason."""
        found = {}
        for line in self.output("cat", "-q", "--format-version=1", self.trace, grep=b" %lost ").decode().splitlines():
            keys = dict(word.split("=", 1) for word in line.split() if "=" in word)
            found[keys["why"]] = found.get(keys["why"], 0) + int(keys.get("records", 0))
        return found

    def output(self, *words, grep=None, statuses=(0,)):
        with subprocess.Popen([self.iotrace, *words], stdout=subprocess.PIPE) as child:
            lines = child.stdout.read() if grep is None else b"".join(line for line in child.stdout if grep in line)
        if child.returncode not in statuses:
            raise ValueError(f"iotrace {words[0]}: status {child.returncode}")
        return lines

    def remove(self):
        left = list((self.top / "run").iterdir())
        shutil.rmtree(self.top)
        return left


def check(condition, sentence):
    if not condition:
        raise ValueError(sentence)


def check_end(run, status, expected=0):
    check(status == expected, f"status {status}: {run.messages}")
    run.output("check", "-q", run.trace)


def test_block(a):
    run = Run(a, a.threads, a.seconds)
    check_end(run, run.wait())
    counts, recorded = run.counts(), run.recorded()
    check(counts == recorded, f"calls {counts}, records {recorded}")
    check(not run.remove(), "files of the recording are left")
    return f"{sum(counts)} calls, all recorded; {describe(run)}"


def describe(run):
    mib = {k: v / 1024 for k, v in run.peak.items() if k != "fd"}
    return (f"peak memory of the collector {mib['VmRSS']:.0f} MiB, of which {mib['RssShmem']:.0f} MiB are rings and "
            f"{mib['RssAnon']:.0f} MiB its own")


def test_reader(a):
    run = Run(a, a.threads, a.seconds, wait=a.wait)
    check_end(run, run.wait())
    counts, recorded = run.counts(), run.recorded()
    check(counts == recorded, f"calls {counts}, recorded {recorded}")
    run.remove()
    return f"{sum(counts)} calls, all recorded, after {a.wait} s without a reader"


def test_short(a):
    count = 100 * a.kills
    run = Run(a, 1, 0, program=["sh", "-c", f"i=0; while [ $i -lt {count} ]; do /bin/true; i=$((i+1)); done"])
    check_end(run, run.wait())
    found = len(run.output("cat", "-q", "--format-version=1", run.trace, grep=b" name=/bin/true").splitlines())
    check(found == count, f"{found} processes of {count}")
    check(not run.remove(), "files of the recording are left")
    return f"{count} processes; at most {run.peak['fd']} descriptors in the collector; {describe(run)}"


def test_drop(a):
    run = Run(a, a.threads, a.seconds, ["--full=drop"])
    run.program()
    end = time.monotonic() + a.seconds
    while time.monotonic() < end and run.process.poll() is None:
        for number, pause in ((signal.SIGSTOP, 1), (signal.SIGCONT, 0.5)):
            run.process.send_signal(number)
            time.sleep(pause)
            run.measure()
    check_end(run, run.wait())
    calls, recorded, lost = sum(run.counts()), sum(run.recorded()), run.lost()
    dropped = lost.pop("dropped", 0)
    check(not lost, f"lost: {lost}")
    check(calls == recorded + dropped, f"{calls} calls, {recorded} recorded, {dropped} dropped: {calls - recorded - dropped}")
    check(dropped > 0 or a.seconds < 2, "nothing was dropped")
    run.remove()
    return f"{calls} calls = {recorded} recorded + {dropped} dropped; {describe(run)}"


def test_program(a):
    calls = in_progress = never_sent = 0
    for _ in range(a.kills):
        run = Run(a, 4, 0)
        program = run.program()
        time.sleep(random.uniform(0, 0.15))
        os.kill(program, signal.SIGKILL)
        check_end(run, run.wait(), 128 + signal.SIGKILL)
        counts, recorded, lost = run.counts(), run.recorded(), run.lost()
        killed, unsent = lost.pop("killed", 0), lost.pop("unsent", 0)
        check(not lost and killed <= 4 and (unsent == 0 or a.transport == "pipe"), f"lost: {lost}, killed: {killed}, unsent: {unsent}")
        if unsent == 0:
            check(all(c <= r <= c + 1 for c, r in zip(counts, recorded)), f"completed calls {counts}, recorded {recorded}")
        check(sum(counts) <= sum(recorded) + unsent <= sum(counts) + 4, f"completed {counts}, recorded {recorded}, unsent {unsent}")
        calls += sum(counts)
        in_progress += killed
        never_sent += unsent
        check(not run.remove(), "files of the recording are left")
    found = "all recorded" if never_sent == 0 else f"recorded or among {never_sent} that are reported as lost"
    return f"{a.kills} times, {calls} completed calls, {found}; {in_progress} were in progress"


def test_collector(a):
    calls = kept = 0
    slowest = 0
    for _ in range(a.kills):
        run = Run(a, 4, 0, wrapped=True)
        program = child_of(run.program())
        while repair(run).returncode > 1 or not (run.top / "repaired.iot").exists():  # until it has a %sync
            check(run.process.poll() is None, "the collector ended early")
            time.sleep(0.02)
        time.sleep(random.uniform(0, 0.2))
        run.process.kill()
        killed, before = time.monotonic(), run.counts()
        run.process.wait()
        while any(now < then + RING_CALLS for now, then in zip(run.counts(), before)):  # each ring is full, and its thread continues
            check(os.path.exists(f"/proc/{program}"), "the program ended")
            time.sleep(0.002)
        slowest = max(slowest, time.monotonic() - killed)
        os.kill(program, signal.SIGTERM)
        while not (run.top / "status").exists() or (run.top / "status").read_text() == "":
            time.sleep(0.002)
        check((run.top / "status").read_text() == "0\n", "the program failed")
        check_cut(run, run.counts())
        calls += sum(run.counts())
        kept += sum(run.recorded(run.top / "repaired.iot"))
        run.remove()
    return (f"{a.kills} times, the program made {calls} calls and ended with status 0; each thread made {RING_CALLS} more within {slowest:.1f} s; "
            f"{kept} calls before the collector was killed are in the repaired traces, each with a %lost")


def left_by(run):
    """Returns the recording whose trace has not been made, if there is one."""
    return next((d for d in (run.top / "run").iterdir() if (d / "spool").exists()), None)


def resume(run):
    done = subprocess.run([run.iotrace, "record", "--resume", left_by(run)], stderr=subprocess.PIPE, check=False)
    check(done.returncode == 0, f"--resume: status {done.returncode}, {done.stderr.decode()}")


def test_resume(a):
    calls = dropped = 0
    ways = ("collector", "both", "program first", "resumed running", "resumed twice")
    for i in range(a.kills):
        run, way = Run(a, 4, 0), ways[i % len(ways)]
        program = run.program()
        time.sleep(random.uniform(0, 0.15))
        if way == "program first":
            os.kill(program, signal.SIGKILL)
            time.sleep(random.choice((0, 0.001, 0.005, 0.02)))
        run.process.kill()
        run.process.wait()
        if way == "both":
            os.kill(program, signal.SIGKILL)
        if way in ("resumed running", "resumed twice"):
            with subprocess.Popen([run.iotrace, "record", "-q", "--resume", left_by(run)]) as second:
                time.sleep(random.uniform(0, 0.1))
                if way == "resumed twice":
                    second.kill()
                else:
                    os.kill(program, signal.SIGTERM)
                    check(second.wait() == 0, "the second collector failed")
        if way in ("collector", "resumed twice"):
            os.kill(program, signal.SIGTERM)
            while os.path.exists(f"/proc/{program}"):
                time.sleep(0.002)
        if left_by(run) is not None:
            resume(run)
        else:
            check(way in ("program first", "resumed running"), "no spool is left")
        run.output("check", "-q", run.trace)
        counts, recorded, lost = run.counts(), run.recorded(), run.lost()
        killed, missed = lost.pop("killed", 0), lost.pop("dropped", 0)
        check(not lost and killed <= 4, f"{way}: lost: {lost}, killed: {killed}")
        check(sum(counts) <= sum(recorded) + missed <= sum(counts) + 4, f"{way}: completed {counts}, recorded {recorded}, dropped {missed}")
        if missed == 0:
            check(all(c <= r <= c + 1 for c, r in zip(counts, recorded)), f"{way}: completed calls {counts}, recorded {recorded}")
        calls += sum(counts)
        dropped += missed
        run.remove()
    return f"{a.kills} times, {calls} completed calls, all recorded but for {dropped} that are reported as lost"


def child_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def repair(run):
    return subprocess.run([run.iotrace, "check", "-q", "--repair", "-o", run.top / "repaired.iot", run.trace], stderr=subprocess.PIPE, check=False)


def check_cut(run, counts):
    """The trace that the collector left: readable as it is, and repaired."""
    repaired = run.top / "repaired.iot"
    repaired.unlink()
    readable = run.recorded(statuses=(1,))
    done = repair(run)
    check(done.returncode == 1 and repaired.exists(), f"check --repair: {done.returncode}, {done.stderr.decode()}")
    run.output("check", "-q", repaired)
    check(run.output("cat", "-q", "--format-version=1", repaired, grep=b" %lost "), "the repaired trace has no %lost")
    recorded = run.recorded(repaired)
    check(all(r <= n <= c for c, n, r in zip(counts, readable, recorded)), f"calls {counts}, readable {readable}, repaired {recorded}")
    check(sum(recorded) > 0, "nothing could be repaired")


TESTS = {"block": test_block, "reader": test_reader, "short": test_short, "drop": test_drop, "program": test_program, "collector": test_collector, "resume": test_resume}


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--seconds", type=int, default=2)
    p.add_argument("--threads", type=int, default=16)
    p.add_argument("--kills", type=int, default=5)
    p.add_argument("--wait", type=int, default=1)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--linked", action="store_true")
    p.add_argument("--transport", default="ring")
    p.add_argument("--seen", default="calls")
    p.add_argument("--convert", default="while")
    p.add_argument("iotrace", type=pathlib.Path)
    p.add_argument("stress", type=pathlib.Path)
    p.add_argument("tests", nargs="*")
    a = p.parse_args()
    a.iotrace, a.stress, failed = a.iotrace.resolve(), a.stress.resolve(), False
    random.seed(a.seed)
    for name in a.tests or [name for name in TESTS if (name == "collector") != (a.convert == "after") or name not in ("collector", "resume")]:
        try:
            print(f"{name}: {TESTS[name](a)}", flush=True)
        except ValueError as e:
            failed = True
            print(f"{name}: not ok: {e}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
