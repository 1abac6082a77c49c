# SPDX-License-Identifier: BSD-2-Clause
"""A slow reference for reuse and classes of iotrace analyze: applies each request to the bytes of its file.

A byte is in one of the states N (untouched), r (only read), a (written, never read), b (written since it was last read) and v (read
since it was last written). The bytes of requests are counted by operation and by the state that they had before.
"""
import re
from bisect import bisect_left
from collections import Counter

MAX_SUM = (1 << 64) - 1
AFTER_READ = {"N": "r", "r": "r", "a": "v", "b": "v", "v": "v"}
AFTER_WRITE = {"N": "a", "a": "a", "r": "b", "b": "b", "v": "b"}
READS = {"first_read": "N", "re_read": "rv", "read_after_write": "ab"}
WRITES = {"first_write": "N", "write_after_read": "r", "overwrite_unread": "ab", "overwrite_read": "v"}


class Bytes:
    """The bytes of a file: points[i] is where the state states[i] begins, up to the next point."""

    def __init__(self):
        self.points, self.states, self.counters = [0], ["N"], Counter()

    def cut(self, x):
        """Returns the index of the point x, which becomes one."""
        i = bisect_left(self.points, x)
        if i == len(self.points) or self.points[i] != x:
            self.points.insert(i, x)
            self.states.insert(i, self.states[i - 1])
        return i

    def add(self, begin, end, write):
        if begin >= end:
            return
        first, last = self.cut(begin), self.cut(end)
        new = []
        for i in range(first, last):
            length = self.points[i + 1] - self.points[i]
            self.counters["w" if write else "r", self.states[i]] += length
            state = (AFTER_WRITE if write else AFTER_READ)[self.states[i]]
            if not new or new[-1][1] != state:
                new.append((self.points[i], state))
        self.points[first:last], self.states[first:last] = [p for p, _ in new], [s for _, s in new]

    def kinds(self):
        return {name: sum(self.counters[d, state] for state in states)
                for d, names in (("r", READS), ("w", WRITES)) for name, states in names.items()}

    def in_state(self):
        result = Counter()
        for begin, end, state in zip(self.points, self.points[1:], self.states):
            result[state] += end - begin
        return {state: result[state] for state in "rabv"}


def bytes_by_file(requests):
    """Returns the bytes of each file with a request of known offset."""
    files = {}
    for r in requests:
        if r.offset is not None:
            files.setdefault(r.file, Bytes()).add(r.offset, r.end, r.write)
    return files


class Owned:
    """The bytes of a file, each with the process that wrote it last; if none did, with the one that read it last. As in Bytes, with
    (state, process) as states, of r (only read), w (written, not read since then) and v (read since it was written).

    counters: bytes by operation, state before it, and whether the process of the operation is that of the byte.
    pairs, first: bytes by writer and other reader, of all reads and of first ones since the write.
    """

    def __init__(self):
        self.points, self.states, self.counters = [0], [None], Counter()
        self.pairs, self.first = Counter(), Counter()

    def add(self, begin, end, write, process):
        if begin >= end:
            return
        first, last = Bytes.cut(self, begin), Bytes.cut(self, end)
        for i in range(first, last):
            state, owner = self.states[i] or (None, None)
            if not write and state in ("w", "v") and owner != process:
                self.pairs[owner, process] += self.points[i + 1] - self.points[i]
                self.first[owner, process] += self.points[i + 1] - self.points[i] if state == "w" else 0
            self.counters["w" if write else "r", state, owner == process] += self.points[i + 1] - self.points[i]
            if write:
                self.states[i] = "w", process
            else:
                self.states[i] = ("r", process) if state in (None, "r") else ("v", owner)


BY = {"read_after_write_by": ("r", "w"), "write_after_read_by": ("w", "r"), "overwrite_unread_by": ("w", "w"),
      "overwrite_read_by": ("w", "v")}


def dependencies(requests, top):
    """Returns the bytes of each kind by the same and by another process, and those of pairs of a writer and another reader."""
    files = {}
    for r in requests:
        if r.offset is not None:
            files.setdefault(r.file, Owned()).add(r.offset, r.end, r.write, r.process)
    pairs, first = Counter(), Counter()
    for f in files.values():
        pairs.update(f.pairs)
        first.update(f.first)
    most = sorted(pairs, key=lambda pair: (-min(pairs[pair], MAX_SUM), pair))[:top]
    rows = {name: {f"{writer}/{reader}": min(of[writer, reader], MAX_SUM) for writer, reader in most}
            for name, of in (("pair_bytes", pairs), ("pair_first_bytes", first))} if most else {}
    return {"pairs": len(pairs), "pair_bytes_other": 0, **rows,
            **{name: {key: min(sum(f.counters[(*kind, same)] for f in files.values()), MAX_SUM)
                      for key, same in (("other", False), ("same", True))} for name, kind in BY.items()}}


class Written:
    """The writes of a file: bytes at known offsets, and the time from the first start to the last end, if any is known.

    Reading: sums remain at 2^64 - 1 here, too.
    """

    def __init__(self, name, used, requests):
        times = [(r.start, r.start + (r.duration or 0)) for r in requests if r.write and r.start is not None]
        self.name, self.kinds = name, {kind: min(n, MAX_SUM) for kind, n in used.kinds().items()}
        self.bytes = min(sum(self.kinds[kind] for kind in WRITES), MAX_SUM)
        self.unique = min(sum(used.in_state()[s] for s in "abv"), MAX_SUM)
        self.first, self.last = (min(t[0] for t in times), max(t[1] for t in times)) if times else (None, None)

    def seldom_read(self):
        return 10 * self.kinds["read_after_write"] <= self.bytes

    def is_rewritten(self):
        """Rule (i): at least three times."""
        return self.unique > 0 and 2 * self.kinds["overwrite_unread"] >= 3 * self.unique and self.seldom_read()


def groups_in_time(files):
    """Reading: times [first, last) do not overlap; files that begin at one time are in one group."""
    groups, begin, end = 0, None, None
    for f in sorted(files, key=lambda f: (f.first, f.last)):
        if begin is None or f.first > begin and f.first >= end:
            groups, begin, end = groups + 1, f.first, f.last
        end = max(end, f.last)
    return groups


def similar_files(files):
    """Rule (ii) for files with equal names. Readings: the median is the lower one, and that of all of them that are written at a known
    time; a file is at most once in `checkpoint_files`, but can be of one series by each rule."""
    if len(files) < 3:
        return []
    median = sorted(f.bytes for f in files)[(len(files) - 1) // 2]
    kept = [f for f in files if f.seldom_read() and median <= 2 * f.bytes and f.bytes <= 2 * median]
    return kept if len(kept) >= 3 and groups_in_time(kept) >= 3 else []


def checkpoint_series(writes, paths):
    """Returns the lists of names of files of each series; writes: by name; paths: by name, or None."""
    by_name = {}
    for name, f in writes.items():
        if paths.get(name) and f.bytes and f.first is not None:
            by_name.setdefault(re.sub("[0-9]+", "#", paths[name]), []).append(f)
    series = [[name] for name, f in writes.items() if f.is_rewritten()]
    return series + [[f.name for f in kept] for kept in map(similar_files, by_name.values()) if kept]


def classes_of(used, unknown, is_checkpoint):
    """Returns the bytes of a file by direction and class."""
    kinds, states = used.kinds(), used.in_state()
    final, superseded = states["a"] + states["b"], kinds["overwrite_unread"]
    assert sum(kinds[name] for name in WRITES) == kinds["read_after_write"] + superseded + final
    assert sum(states.values()) == sum(kinds[name] for name in ("first_read", "first_write"))
    reads = {"required": kinds["first_read"], "swapping": kinds["re_read"] + kinds["read_after_write"], "unknown": unknown[0]}
    writes = {"required": 0 if is_checkpoint else final, "checkpoint": final + superseded if is_checkpoint else 0,
              "swapping": kinds["read_after_write"], "rewritten": 0 if is_checkpoint else superseded, "unknown": unknown[1]}
    return reads, writes
