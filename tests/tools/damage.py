#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Damages traces at random and verifies the results of check and check --repair.

    damage.py IOTRACE TRIALS SEED TRACE...
    damage.py make SEED >BARE              a trace to begin with, without framing

Knows the intervals of a trace from its bytes alone: plain text between %sync lines, gzip members, zstd
frames. An interval is hit if damage touches its bytes (in plain text, also those of the %sync behind
it, which holds its hash, and the line end before it). Demanded: every record of a repaired trace is the one that the whole trace
has at that place; no damage costs more intervals than it hits, or one; check notices, unless nothing
is lost; what repair writes is valid and canonical. Exit status 1 if that does not hold.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import zlib


SEEK_TABLE = b"\x5e\x2a\x4d\x18"


def zstd_frame_end(data, at):
    descriptor = data[at + 4]
    single = descriptor >> 5 & 1
    size_bytes = (single, 2, 4, 8)[descriptor >> 6]
    at += 5 + (0 if single else 1) + (0, 1, 2, 4)[descriptor & 3] + size_bytes
    while True:
        header = int.from_bytes(data[at : at + 3], "little")
        at += 3 + (1 if header >> 1 & 3 == 1 else header >> 3)
        if header & 1:
            return at + (4 if descriptor & 4 else 0)


def gzip_member_end(data, at):
    unpacker = zlib.decompressobj(31)
    unpacker.decompress(data[at:])
    return len(data) - len(unpacker.unused_data)


def ends_of(data):
    """Returns the offsets at which the intervals end."""
    if data[:4] == b"\x28\xb5\x2f\xfd":
        step = zstd_frame_end
    elif data[:2] == b"\x1f\x8b":
        step = gzip_member_end
    else:
        ends = [m.end() for m in re.finditer(rb"(?m)^(?:ff|255) %sync .*\n", data)]
        return ends + [len(data)]
    ends, at = [], 0
    while at < len(data) and data[at : at + 4] != SEEK_TABLE:
        at = step(data, at)
        ends.append(at)
    return ends


class Trace:
    def __init__(self, iotrace, path):
        self.name = os.path.basename(path)
        with open(path, "rb") as f:
            self.data = f.read()
        self.ends = ends_of(self.data)
        self.data = self.data[: self.ends[-1]]  # without the seek table, in which damage loses nothing
        self.starts = [0] + self.ends[:-1]
        rows = subprocess.run([iotrace, "cat", "--format=csv", "--columns=raw", path], capture_output=True, check=True)
        self.rows = rows.stdout.split(b"\n")[1:-1]
        header = subprocess.run([iotrace, "cat", path], capture_output=True, check=True).stdout
        header = header.split(b"\n", 1)[0].decode()
        self.sync = int(re.search(r"sync=(\d+)", header).group(1))
        self.tick = int(re.search(r"tick=(\d+)", header).group(1))
        assert len(self.ends) == -(-len(self.rows) // self.sync), path

    def hit(self, a, b):
        """Returns the intervals that contain any of the bytes a .. b."""
        before = 1 if self.format() == "plain" else 0  # the LF of the %sync that opens it
        return {i for i in range(len(self.ends)) if self.starts[i] - before < b and self.ends[i] > a}

    def inside(self, at):
        return {i for i in range(len(self.ends)) if self.starts[i] < at < self.ends[i]}

    def format(self):
        return self.name.rsplit(".", 1)[1].replace("iot", "plain")


def block(rng, trace):
    size = len(trace.data)
    how = rng.randrange(4)
    if how == 0:  # whole intervals, as they lie in the file
        i = rng.randrange(len(trace.ends))
        j = min(i + rng.randrange(2), len(trace.ends) - 1)
        return trace.starts[i], trace.ends[j]
    if how == 1:  # a block of a disk
        a = rng.randrange(size) & ~511
        return a, min(a + 512 * rng.randint(1, 8), size)
    a = rng.randrange(size)
    return a, min(a + (rng.randint(1, 64) if how == 2 else rng.randint(1, size // 10)), size)


def flip(rng, trace, data):
    a = rng.randrange(len(trace.data))
    if rng.randrange(4) == 0:  # near a boundary, where the framing is
        a = min(max(rng.choice(trace.ends) - rng.randint(-50, 70), 0), len(trace.data) - 1)
    b = min(a + rng.choice((1, 1, 2, 8, 64)), len(trace.data))
    for i in range(a, b):
        data[i] ^= rng.randint(1, 255) if rng.randrange(2) else 1 << rng.randrange(8)
    return a, b, trace.hit(a, b)


def truncate(rng, trace, data):
    a = rng.randrange(1, len(trace.data))
    del data[a:]
    return a, len(trace.data), trace.hit(a, len(trace.data))


def remove(rng, trace, data):
    a, b = block(rng, trace)
    del data[a:b]
    return a, b, trace.hit(a, b)


def double(rng, trace, data):
    a, b = block(rng, trace)
    data[b:b] = trace.data[a:b]
    return b, b + 1, trace.inside(b)


KINDS = {"flipped": flip, "truncated": truncate, "removed": remove, "doubled": double}


def damage(rng, trace):
    """Returns the damaged bytes, and for each damage the intervals that it affects."""
    kinds = [rng.choice(list(KINDS))]
    while len(kinds) < 3 and rng.randrange(5) == 0:
        kinds.append(rng.choice(list(KINDS)))
    attempts = []
    for _ in range(50):
        # each on a copy, to learn where; then all, from the back, so that places stay what they are
        state = rng.getstate()
        places = [KINDS[k](rng, trace, bytearray(trace.data))[:2] for k in kinds]
        order = sorted(range(len(kinds)), key=lambda i: places[i], reverse=True)
        if all(places[i][0] >= places[j][1] for i, j in zip(order, order[1:])):
            rng.setstate(state)
            attempts = [(places[i], kinds[i]) for i in order]
            break
    data, hits = bytearray(trace.data), []
    if not attempts:
        attempts, kinds = [(None, kinds[0])], kinds[:1]
        hits.append(KINDS[kinds[0]](rng, trace, data)[2])
        return data, hits, kinds[0]
    made = {}
    for i, k in enumerate(kinds):
        one = bytearray(trace.data)
        a, b, hit = KINDS[k](rng, trace, one)
        made[(a, b, k)] = (one, hit)
    for (a, b, k), (one, hit) in sorted(made.items(), key=lambda item: item[0][:2], reverse=True):
        tail_kept = 0 if k == "truncated" else len(trace.data) - (a if k == "doubled" else b)
        # what this damage made of the bytes from a on, up to where the original goes on
        middle = one[a : len(one) - tail_kept]
        data[a : len(trace.data) if k == "truncated" else (a if k == "doubled" else b)] = middle
        if k == "truncated":
            del data[a:]
        hits.append(hit)
    return data, hits, kinds[0] if len(kinds) == 1 else "several"


class Judge:
    def __init__(self, iotrace, folder):
        self.iotrace = iotrace
        self.damaged = os.path.join(folder, "damaged.iot")
        self.repaired = os.path.join(folder, "repaired.iot")
        self.faults = []

    def run(self, *args):
        return subprocess.run([self.iotrace, *args], capture_output=True, timeout=300, check=False)

    def repair(self, trace, what, *more):
        if os.path.exists(self.repaired):
            os.unlink(self.repaired)
        done = self.run("check", "--repair", *more, "-o", self.repaired, self.damaged)
        if b"--in-tick" in done.stderr:
            return self.repair(trace, what, f"--in-tick={trace.tick}")[0], True
        written = os.path.exists(self.repaired)
        nothing = not written and b"nothing in it can be verified" in done.stderr
        if not (done.returncode in (0, 1) and written or done.returncode == 2 and nothing):
            self.faults.append(f"repair of {what}: {done.returncode} {done.stderr}")
        return done.returncode, False

    def found(self, trace, what):
        """Returns the indices of the records of the repaired trace; -1 for a wrong record."""
        if not os.path.exists(self.repaired):
            return set(), 0
        rows = self.run("cat", "--format=csv", "--columns=raw", self.repaired).stdout.split(b"\n")[1:-1]
        found, wrong, at, row = set(), 0, 0, 0
        with open(self.repaired, "rb") as f:
            for line in f:
                if not line.startswith((b"ff", b"255 ")):
                    if at >= len(trace.rows) or trace.rows[at] != rows[row]:
                        wrong += 1
                    found.add(at)
                    at, row = at + 1, row + 1
                elif b"%lost " in line and b" records=" in line:
                    at += int(re.search(rb" records=(\d+)", line).group(1))
        if row != len(rows):
            self.faults.append(f"{what}: {row} lines of records, but cat shows {len(rows)}")
        return found, wrong

    def valid(self, what):
        if not os.path.exists(self.repaired):
            return
        told = json.loads(self.run("check", "--json", self.repaired).stdout)
        bad = {k: n for k, n in told["counts"].items() if n and k not in ("time-backwards", "overlap",
                                                                          "unknown-bits")}
        if bad or told["error_list"]:
            self.faults.append(f"{what}: what repair wrote is not valid: {bad} {told['error_list']}")

    def trial(self, rng, trace, what):
        data, hits, kind = damage(rng, trace)
        with open(self.damaged, "wb") as f:
            f.write(data)
        check = self.run("check", self.damaged)
        status, tick_lost = self.repair(trace, what)
        found, wrong = self.found(trace, what)
        self.valid(what)
        lost = {i // trace.sync for i in range(len(trace.rows)) if i not in found}
        noticed = check.returncode == 1 or b" 0 warnings" not in check.stdout
        noticed = noticed and b": valid" not in check.stdout
        most = sum(max(1, len(h)) for h in hits)
        if wrong:
            self.faults.append(f"{what}: {wrong} wrong records")
        if len(lost) > most:
            self.faults.append(f"{what}: lost {sorted(lost)}, hit {[sorted(h) for h in hits]}")
        if lost and (not noticed or status == 0):
            self.faults.append(f"{what}: lost {sorted(lost)}, but nobody said so")
        hit = set().union(*hits)
        return kind, {"damages": len(hits), "hit": len(hit), "lost": len(lost),
                      "more": len(lost - hit), "wrong": wrong, "noticed": noticed,
                      "whole": not lost, "tick": tick_lost}


def print_table(table):
    print(f"{'format':7}{'damage':11}{'traces':>7}{'noticed':>9}{'nothing':>9}{'intervals':>11}"
          f"{'intervals':>11}{'of them':>9}{'wrong':>9}{'tick':>7}")
    print(f"{'':27}{'lost':>16}{'hit':>9}{'lost':>11}{'not hit':>11}{'records':>9}{'asked':>7}")
    for (form, kind), results in sorted(table.items()):
        total = {k: sum(r[k] for r in results) for k in results[0]}
        print(f"{form:7}{kind:11}{len(results):7}{total['noticed']:9}{total['whole']:9}"
              f"{total['hit']:11}{total['lost']:11}{total['more']:9}{total['wrong']:9}{total['tick']:7}")


def make(seed):
    """Makes three processes, files that are opened and closed, and records as another tool would write them."""
    rng = random.Random(seed)
    start, opened, ends = 0, {}, {}
    lines = ["ff %trace source=test command=none", "ff %process id=1 name=one"]
    for i in range(5000):
        process = rng.randint(1, 3)
        if process not in opened or rng.randrange(40) == 0:
            if process in opened and rng.randrange(2):
                lines.append(f"ff %op name=close time={start} process={process} file={opened[process]} result=0")
            opened[process] = i + 1
            ends[process] = 0
            lines.append(f"ff %file process={process} id={i + 1} object={i % 50 + 1} path=/data/{i % 50}")
        if rng.randrange(100) == 0:
            lines.append("ff a comment, about record=5 or so")
        delta = rng.randint(0, 900)
        start += delta
        offset = ends[process] if rng.randrange(3) else rng.randrange(1 << 40)
        length = 4096 if rng.randrange(3) else rng.randint(1, 100000)
        ends[process] = offset + length
        kind = rng.choice((0xC0, 0x80, 0x88))
        lines.append(f"{kind:x} 0 {offset:x} {length:x} {delta:x} {rng.randrange(500):x} 0 "
                     f"{opened[process]:x} {process:x} {rng.randrange(50):x}")
    print("\n".join(lines))


def main():
    if sys.argv[1] == "make":
        make(int(sys.argv[2]))
        return 0
    iotrace, trials, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    traces = [Trace(iotrace, path) for path in sys.argv[4:]]
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(iotrace, folder)
        for i in range(trials):
            rng = random.Random(seed + i)
            trace = traces[i % len(traces)]
            what = f"{trace.name}, seed {seed + i}"
            kind, result = judge.trial(rng, trace, what)
            table.setdefault((trace.format(), kind), []).append(result)
    print_table(table)
    for fault in judge.faults[:20]:
        print("FAULT", fault)
    print(f"{trials} damaged traces, {len(judge.faults)} faults")
    return 1 if judge.faults else 0


if __name__ == "__main__":
    sys.exit(main())
