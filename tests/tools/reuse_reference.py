# SPDX-License-Identifier: BSD-2-Clause
"""What each request does to the bytes of its file, slowly: the reference for reuse and classes of iotrace analyze.

A byte is in one of the states N (untouched), r (only read), a (written, never read), b (written since it was last read) and v (read
since it was last written). The bytes of requests are counted by operation and by the state that they had before.
"""
from bisect import bisect_left
from collections import Counter

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
