# SPDX-License-Identifier: BSD-2-Clause
"""Replacement policies, written slowly from the rules in iotrace-simulate(1) and without code of the library.

    policy = cache_reference.new(name, capacity, references)
    hit = policy.refer(key)
    policy.drop(lambda key: ...)

`references` is needed by opt only: (key, dropped before it) pairs, see Opt.
"""
from collections import OrderedDict
import heapq


class Queue:
    """Keys from the old end to the new end."""

    def __init__(self):
        self.keys = OrderedDict()

    def __contains__(self, key):
        return key in self.keys

    def __len__(self):
        return len(self.keys)

    def push(self, key):
        assert key not in self.keys
        self.keys[key] = True

    def renew(self, key):
        self.keys.move_to_end(key)

    def oldest(self):
        return next(iter(self.keys))

    def pop(self):
        return self.keys.popitem(last=False)[0]

    def remove(self, key):
        del self.keys[key]


class Ghosts(Queue):
    """Keys only; a list of capacity 0 keeps nothing."""

    def __init__(self, capacity):
        super().__init__()
        self.capacity = capacity

    def push(self, key):
        if self.capacity == 0:
            return
        if len(self) == self.capacity:
            self.pop()
        super().push(key)


class Policy:
    def __init__(self, capacity, _references=None):
        self.capacity = capacity
        self.queue = Queue()
        self.evictions = 0
        self.start()

    def start(self):
        pass

    def resident(self):
        return list(self.queue.keys)

    def full(self):
        return len(self.queue) == self.capacity

    def refer(self, key):
        hit = key in self.queue
        if hit:
            self.hit(key)
        else:
            self.miss(key)
        return hit

    def hit(self, key):
        pass

    def miss(self, key):
        if self.full():
            self.evict()
            self.evictions += 1
        self.queue.push(key)

    def evict(self):
        self.queue.pop()

    def drop(self, gone):
        for key in [key for key in self.resident() if gone(key)]:
            self.forget(key)

    def forget(self, key):
        self.queue.remove(key)


class Fifo(Policy):
    pass


class Lru(Policy):
    def hit(self, key):
        self.queue.renew(key)


class Clock(Policy):
    def start(self):
        self.bit = set()

    def hit(self, key):
        self.bit.add(key)

    def evict(self):
        while self.queue.oldest() in self.bit:
            self.bit.remove(self.queue.oldest())
            self.queue.renew(self.queue.oldest())
        self.queue.pop()

    def forget(self, key):
        self.bit.discard(key)
        super().forget(key)


class Lfu(Policy):
    """The heap has (count, time at which the block reached it, key); entries that changed since are skipped."""

    def start(self):
        self.heap = []
        self.count = {}
        self.time = 0

    def reach(self, key, count):
        self.time += 1
        self.count[key] = (count, self.time)
        heapq.heappush(self.heap, (count, self.time, key))

    def hit(self, key):
        self.reach(key, self.count[key][0] + 1)

    def miss(self, key):
        super().miss(key)
        self.reach(key, 1)

    def evict(self):
        while True:
            count, time, key = heapq.heappop(self.heap)
            if self.count.get(key) == (count, time):
                return self.forget(key)

    def forget(self, key):
        del self.count[key]
        super().forget(key)


class Sieve(Policy):
    """A linked list by keys; None is the end in both directions."""

    def start(self):
        self.bit, self.newer, self.older = set(), {}, {}
        self.old = self.new = self.hand = None

    def hit(self, key):
        self.bit.add(key)

    def miss(self, key):
        super().miss(key)
        self.older[key], self.newer[key] = self.new, None
        if self.new is None:
            self.old = key
        else:
            self.newer[self.new] = key
        self.new = key

    def evict(self):
        at = self.old if self.hand is None else self.hand
        while at in self.bit:
            self.bit.remove(at)
            at = self.old if self.newer[at] is None else self.newer[at]
        self.hand = at
        self.forget(at)

    def forget(self, key):
        older, newer = self.older.pop(key), self.newer.pop(key)
        if self.hand == key:
            self.hand = newer
        if older is None:
            self.old = newer
        else:
            self.newer[older] = newer
        if newer is None:
            self.new = older
        else:
            self.older[newer] = older
        self.bit.discard(key)
        super().forget(key)


class TwoQ(Policy):
    def start(self):
        self.a1in, self.am = Queue(), Queue()
        self.a1out = Ghosts(self.capacity // 2)

    def resident(self):
        return [*self.a1in.keys, *self.am.keys]

    def refer(self, key):
        if key in self.a1in:
            return True
        if key in self.am:
            self.am.renew(key)
            return True
        ghost = key in self.a1out
        if ghost:
            self.a1out.remove(key)
        while len(self.a1in) + len(self.am) >= self.capacity:
            self.evictions += 1
            if len(self.a1in) > self.capacity // 4 or len(self.am) == 0:
                self.a1out.push(self.a1in.pop())
            else:
                self.am.pop()
        (self.am if ghost else self.a1in).push(key)
        return False

    def forget(self, key):
        (self.a1in if key in self.a1in else self.am).remove(key)


class Arc(Policy):
    def start(self):
        self.t1, self.t2, self.b1, self.b2 = Queue(), Queue(), Queue(), Queue()
        self.p = 0.0

    def resident(self):
        return [*self.t1.keys, *self.t2.keys]

    def replace(self, case_three):
        if len(self.t1) + len(self.t2) < self.capacity:
            return
        self.evictions += 1
        t1 = len(self.t1)
        if (t1 > 0 and (t1 > self.p or (case_three and t1 == self.p))) or len(self.t2) == 0:
            self.b1.push(self.t1.pop())
        else:
            self.b2.push(self.t2.pop())

    def refer(self, key):
        c = self.capacity
        if key in self.t1 or key in self.t2:
            (self.t1 if key in self.t1 else self.t2).remove(key)
            self.t2.push(key)
            return True
        if key in self.b1:
            self.p = min(c, self.p + max(1, len(self.b2) / len(self.b1)))
            self.b1.remove(key)
            self.replace(False)
            self.t2.push(key)
            return False
        if key in self.b2:
            self.p = max(0, self.p - max(1, len(self.b1) / len(self.b2)))
            self.b2.remove(key)
            self.replace(True)
            self.t2.push(key)
            return False
        l1, l2 = len(self.t1) + len(self.b1), len(self.t2) + len(self.b2)
        if l1 == c:
            if len(self.t1) < c:
                self.b1.pop()
                self.replace(False)
            else:
                self.evictions += 1
                self.t1.pop()
        elif l1 + l2 >= c:
            if l1 + l2 == 2 * c:
                self.b2.pop()
            self.replace(False)
        self.t1.push(key)
        return False

    def forget(self, key):
        (self.t1 if key in self.t1 else self.t2).remove(key)


class Lirs(Policy):
    def start(self):
        self.lhir = max(1, self.capacity // 100)
        self.llir = self.capacity - self.lhir
        self.s, self.q = Queue(), Queue()
        self.lir = set()
        self.gone = Queue()  # non-resident, in the order in which they became so

    def resident(self):
        return [*self.lir, *self.q.keys]

    def prune(self):
        while len(self.s) > 0 and self.s.oldest() not in self.lir:
            key = self.s.pop()
            if key in self.gone:
                self.gone.remove(key)

    def top(self, key):
        if key in self.s:
            self.s.renew(key)
            return
        if len(self.s) == 2 * self.capacity:
            self.s.remove(self.gone.pop())
        self.s.push(key)

    def promote(self, key):
        self.top(key)
        self.lir.add(key)
        if len(self.lir) > self.llir:
            bottom = self.s.pop()
            self.lir.remove(bottom)
            self.q.push(bottom)
        self.prune()

    def refer(self, key):
        if self.capacity == 1:
            hit = key in self.q
            if not hit:
                if len(self.q) == 1:
                    self.q.pop()
                    self.evictions += 1
                self.q.push(key)
            return hit
        if key in self.lir:
            self.top(key)
            self.prune()
            return True
        if key in self.q:
            if key in self.s:
                self.q.remove(key)
                self.promote(key)
            else:
                self.top(key)
                self.q.renew(key)
            return True
        if len(self.lir) + len(self.q) == self.capacity:
            self.evictions += 1
            front = self.q.pop()
            if front in self.s:
                self.gone.push(front)
        if key in self.s:
            self.gone.remove(key)
            self.promote(key)
        elif len(self.lir) < self.llir:
            self.top(key)
            self.lir.add(key)
        else:
            self.top(key)
            self.q.push(key)
        return False

    def forget(self, key):
        if key in self.s:
            self.s.remove(key)
        if key in self.q:
            self.q.remove(key)
        self.lir.discard(key)
        self.prune()


class S3Fifo(Policy):
    def start(self):
        self.small_target = max(1, self.capacity // 10)
        self.main_target = self.capacity - self.small_target
        self.small, self.main = Queue(), Queue()
        self.ghosts = Ghosts(9 * self.capacity // 10)
        self.count = {}

    def resident(self):
        return [*self.small.keys, *self.main.keys]

    def evict(self):
        if len(self.main) > self.main_target or len(self.small) == 0:
            return self.evict_main()
        while len(self.small) > 0:
            key = self.small.pop()
            if self.count[key] >= 2:
                self.count[key] = 0
                self.main.push(key)
            else:
                del self.count[key]
                self.ghosts.push(key)
                return None
        return self.evict_main()

    def evict_main(self):
        while True:
            key = self.main.pop()
            if self.count[key] == 0:
                del self.count[key]
                return
            self.count[key] -= 1
            self.main.push(key)

    def refer(self, key):
        if key in self.count:
            self.count[key] = min(3, self.count[key] + 1)
            return True
        ghost = key in self.ghosts
        if ghost:
            self.ghosts.remove(key)
        while len(self.count) >= self.capacity:
            self.evictions += 1
            self.evict()
        self.count[key] = 0
        (self.main if ghost else self.small).push(key)
        return False

    def forget(self, key):
        (self.small if key in self.small else self.main).remove(key)
        del self.count[key]


MASK = (1 << 64) - 1
SECRET = bytes.fromhex("7c01812cf721ad1c" "ded46de9839097db")  # bytes 8 .. 23 of XXH3's default secret


def rotate(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def xxh3_of_number(number, seed):
    """XXH3 with 64 bits, of a number of 8 bytes in little-endian order."""
    swapped = int.from_bytes((seed & 0xffffffff).to_bytes(4, "little"), "big")
    seed ^= swapped << 32
    flip = ((int.from_bytes(SECRET[:8], "little") ^ int.from_bytes(SECRET[8:], "little")) - seed) & MASK
    low, high = number & 0xffffffff, number >> 32
    h = (high + (low << 32)) ^ flip
    h ^= rotate(h, 49) ^ rotate(h, 24)
    h = h * 0x9fb21c651e98df25 & MASK
    h ^= (h >> 35) + 8
    h = h * 0x9fb21c651e98df25 & MASK
    return h ^ h >> 28


class Sketch:
    def __init__(self, capacity):
        self.width = 2
        while self.width < 4 * capacity:
            self.width *= 2
        self.rows = [[0] * self.width for _ in range(4)]
        self.period = 10 * capacity
        self.added = 0
        self.known = {}

    def columns(self, key):
        if key not in self.known:
            self.known[key] = [xxh3_of_number(key, seed) % self.width for seed in range(4)]
        return self.known[key]

    def estimate(self, key):
        return min(row[column] for row, column in zip(self.rows, self.columns(key)))

    def add(self, key):
        lowest = self.estimate(key)
        for row, column in zip(self.rows, self.columns(key)):
            if row[column] == lowest and lowest < 15:
                row[column] += 1
        self.added += 1
        if self.added == self.period:
            self.rows = [[count // 2 for count in row] for row in self.rows]
            self.added = 0


class WTinyLfu(Policy):
    def start(self):
        self.window_max = max(1, self.capacity // 100)
        self.main_max = self.capacity - self.window_max
        self.protected_max = self.main_max * 8 // 10
        self.window, self.probation, self.protected = Queue(), Queue(), Queue()
        self.sketch = Sketch(self.capacity)

    def resident(self):
        return [*self.window.keys, *self.probation.keys, *self.protected.keys]

    def refer(self, key):
        self.sketch.add(key)
        if key in self.window:
            self.window.renew(key)
            return True
        if key in self.protected:
            self.protected.renew(key)
            return True
        if key in self.probation:
            self.probation.remove(key)
            self.protected.push(key)
            if len(self.protected) > self.protected_max:
                self.probation.push(self.protected.pop())
            return True
        self.window.push(key)
        if len(self.window) > self.window_max:
            self.overflow()
        return False

    def overflow(self):
        candidate = self.window.pop()
        if len(self.probation) + len(self.protected) < self.main_max:
            self.probation.push(candidate)
            return
        self.evictions += 1
        if self.main_max == 0:
            return
        if self.sketch.estimate(candidate) > self.sketch.estimate(self.probation.oldest()):
            self.probation.pop()
            self.probation.push(candidate)

    def forget(self, key):
        for queue in (self.window, self.probation, self.protected):
            if key in queue:
                queue.remove(key)


def next_references(steps):
    """Of each reference of steps, which are keys or functions that say what a drop removes: the index of the next
    reference to the same key with no drop of it between, or infinity."""
    known, following = {}, []
    index = sum(not callable(step) for step in steps)
    for step in reversed(steps):
        if callable(step):
            for key in [key for key in known if step(key)]:
                del known[key]
        else:
            index -= 1
            following.append(known.get(step, float("inf")))
            known[step] = index
    following.reverse()
    return following


class Opt(Policy):
    """Of blocks that are never referenced again, the one referenced first goes first."""

    def __init__(self, capacity, references):
        super().__init__(capacity)
        self.following = next_references(references)
        self.index = 0
        self.state = {}
        self.heap = []

    def resident(self):
        return list(self.state)

    def refer(self, key):
        hit = key in self.state
        if not hit and len(self.state) == self.capacity:
            self.evictions += 1
            while True:
                order, victim = heapq.heappop(self.heap)
                if self.state.get(victim) == order:
                    del self.state[victim]
                    break
        order = (-self.following[self.index], self.index)
        self.state[key] = order
        heapq.heappush(self.heap, (order, key))
        self.index += 1
        return hit

    def forget(self, key):
        del self.state[key]


POLICIES = {"lru": Lru, "fifo": Fifo, "clock": Clock, "lfu": Lfu, "2q": TwoQ, "arc": Arc, "lirs": Lirs,
            "s3fifo": S3Fifo, "sieve": Sieve, "wtinylfu": WTinyLfu, "opt": Opt}


def new(name, capacity, references=None):
    return POLICIES[name](capacity, references)


def stack_distances(keys):
    """Of each reference: the distinct keys since and including the last one to the same key; None for the first."""
    last, count, distances = {}, [], []
    size = 1
    while size < len(keys) + 1:
        size *= 2
    count = [0] * (size + 1)

    def add(at, value):
        while at <= size:
            count[at] += value
            at += at & -at

    def before(at):
        total = 0
        while at > 0:
            total += count[at]
            at -= at & -at
        return total

    for time, key in enumerate(keys, 1):
        if key in last:
            distances.append(len(last) - before(last[key] - 1))
            add(last[key], -1)
        else:
            distances.append(None)
        add(time, 1)
        last[key] = time
    return distances
