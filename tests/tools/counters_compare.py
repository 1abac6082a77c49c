# SPDX-License-Identifier: BSD-2-Clause
"""Compares the samples that `iotrace convert` makes of counters with increases computed in Python: random logs of mmpmon with resets,
decreases, gaps, duplicates and clocks that are set back.

usage: counters_compare.py IOTRACE [FIRST-LAST]

Readings. The usual interval of a host and file system is the lower median of its last RECENT intervals, once there are three. A reset is
one that the host reports between two values; otherwise a value that decreases is one of unknown time."""

import collections
import random
import subprocess
import sys

KEYS = {"_br_": "read-bytes", "_bw_": "written-bytes", "_oc_": "opens", "_cc_": "closes", "_rdc_": "reads", "_wc_": "writes",
        "_dir_": "readdirs", "_iu_": "inode-updates"}
RECENT, USUAL_MIN, MAX_GAP, US = 15, 3, 10, 10**6


def make(seed):
    """Returns the entries of a log, (time in us, host, file system or None for a reset, values), in the order of its lines."""
    rng = random.Random(seed)
    odd = rng.choice([0, 0.1, 0.3, 0.6])
    entries = []
    for host in range(rng.randrange(1, 4)):
        systems = ["home", "work"][:rng.randrange(1, 3)]
        counters = {fs: [rng.randrange(10**6) for _ in KEYS] for fs in systems}
        now = 10**9 * US + rng.randrange(60 * US)
        for _ in range(rng.randrange(2, 40)):
            now += 60 * US
            for fs in systems:
                counters[fs] = [v + rng.choice([0, rng.randrange(10**9)]) for v in counters[fs]]
                entries.append((now, f"n{host}", fs, list(counters[fs])))
            if rng.random() >= odd:
                continue
            event = rng.randrange(6)
            if event == 0:  # a gap, or one that is too long
                now += rng.choice([20, 45, 60, 300, 539, 540, 541, 3600]) * US
            elif event == 1:  # the clock is set back
                now -= rng.choice([60, 61, 400]) * US
            elif event == 2:  # a line is there twice
                entries.append(entries[-1])
            elif event == 3:  # a reset of known time
                entries.append((now + rng.randrange(1, 60 * US + 1), f"n{host}", None, []))
                counters = {fs: [0] * len(KEYS) for fs in systems}
            elif event == 4:  # a reset of unknown time
                counters = {fs: [0] * len(KEYS) for fs in systems}
            else:  # lines are lost
                del entries[-rng.randrange(1, 3):]
    return entries


def text(entries):
    lines = []
    for time, host, fs, values in entries:
        head = f"_n_ 192.0.2.1 _nn_ {host} _rc_ 0 _t_ {time // US} _tu_ {time % US}"
        if fs is None:
            lines.append(f"_reset_ {head}")
        else:
            lines.append(f"_fs_io_s_ {head} _cl_ c _fs_ {fs} _d_ 2 " + " ".join(f"{k} {v}" for k, v in zip(KEYS, values)))
    return "\n".join(lines) + "\n"


class Key:
    """The counters of one file system on one host."""

    def __init__(self):
        self.time, self.values, self.intervals = None, None, collections.deque(maxlen=RECENT)

    def is_gap(self, took):
        usual = sorted(self.intervals)[(len(self.intervals) - 1) // 2] if len(self.intervals) >= USUAL_MIN else None
        self.intervals.append(took)
        return usual is not None and took > MAX_GAP * usual

    def sample(self, begin, end, values, reset=False):
        return ("sample", begin, end - begin, tuple(values), self.is_gap(end - begin), reset)

    def take(self, time, values, reset):
        """Yields samples and losses."""
        before, old, = self.time, self.values
        if before is not None and time <= before and values == old:
            return
        self.time, self.values = time, values
        if before is None:
            return
        if time <= before:
            yield "lost", time, 0, "clock"
        elif reset is not None and before < reset <= time:
            yield "lost", before, reset - before, "reset"
            if reset < time:
                yield self.sample(reset, time, values)
        elif any(a < b for a, b in zip(values, old)):
            yield self.sample(before, time, values, True)
        else:
            yield self.sample(before, time, [a - b for a, b in zip(values, old)])


def expected(entries):
    keys, resets, result = collections.defaultdict(Key), {}, collections.Counter()
    for time, host, fs, values in entries:
        if fs is None:
            resets[host] = time
            continue
        for made in keys[host, fs].take(time, values, resets.get(host)):
            result[host, "c:" + fs, made] += 1
    return result


def printed(tool, log):
    done = subprocess.run([tool, "convert", "-q", "--from=mmpmon", "--format-version=1", "-"], input=log.encode(), capture_output=True, check=False)
    if done.returncode:
        sys.exit(done.stderr.decode())
    result = collections.Counter()
    for line in done.stdout.decode().splitlines():
        words = line.split()
        if words[1] not in ("%sample", "%lost"):
            continue
        value = dict(word.split("=", 1) for word in words[2:])
        begin, took = int(value["time"]), int(value.get("took", 0))
        made = ("lost", begin, took, value["why"]) if words[1] == "%lost" else \
            ("sample", begin, took, tuple(int(value[name]) for name in KEYS.values()), "gap" in value, "reset" in value)
        result[value["host"], value["target"], made] += 1
    return result


def main():
    first, last = map(int, (sys.argv[2] if len(sys.argv) > 2 else "1-200").split("-"))
    kinds, bad = collections.Counter(), 0
    for seed in range(first, last + 1):
        entries = make(seed)
        ours, theirs = printed(sys.argv[1], text(entries)), expected(entries)
        for row in theirs:
            made = row[2]
            kinds[made[3] if made[0] == "lost" else "gap" if made[4] else "decrease" if made[5] else "sample"] += 1
        if ours != theirs:
            bad += 1
            print(f"seed {seed}: without {dict(theirs - ours)}\n  instead {dict(ours - theirs)}")
    print(f"{last - first + 1 - bad} logs: equal; " + ", ".join(f"{kinds[k]} {k}" for k in sorted(kinds)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
