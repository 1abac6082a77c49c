#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes traces as blktrace writes them: NAME.blktrace.CPU for each CPU.

	blktrace_make.py [--version 7|8] [--big-endian] [--cpus N] [--requests N] [--start-ns NS] NAME

Without --requests: one of each kind of request, with merges, a split, failures and stacked devices.
With it: random requests of a disk, queued, issued and completed on different CPUs.
"""
import argparse
import random
import struct

MAGIC = 0x65617400
READ, WRITE, FLUSH, SYNC, QUEUE, FS = 1, 2, 4, 8, 0x10, 0x100
PC, NOTIFY, AHEAD, META, DISCARD, FUA = 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x8000
Q, M, F, G, R, D, C, P, U, INSERT, X, A = 1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 15
DISK, PARTITION, UPPER, BIG = (8, 0), (8, 1), (253, 0), (259, 10)


def device(number):
    return number[0] << 20 | number[1]


class Trace:
    def __init__(self, a):
        self.order = ">" if a.big_endian else "<"
        self.version, self.now = a.version, a.start_ns
        self.cpus = [[] for _ in range(a.cpus)]
        self.sequence = {}

    def add(self, what, categories, sector=0, blocks=0, number=DISK, pid=100, cpu=0, error=0, pdu=b"", size=None, gap=500):
        """One record; the next one is `gap` nanoseconds later. size: bytes, if not of `blocks`."""
        cpu %= len(self.cpus)
        sequence = 0
        if not categories & NOTIFY:
            sequence = self.sequence[number, cpu] = self.sequence.get((number, cpu), 0) + 1
        action = categories << 16 | what
        head = (MAGIC | self.version, sequence, self.now, sector, blocks * 512 if size is None else size)
        if self.version == 7:
            tail = struct.pack(self.order + "IIIIHH", action, pid, device(number), cpu, error & 0xffff, len(pdu))
        else:
            tail = struct.pack(self.order + "IQIIHH12x", pid, action, device(number), cpu, error & 0xffff, len(pdu))
        self.cpus[cpu].append(struct.pack(self.order + "IIQQI", *head) + tail + pdu)
        self.now += gap

    def name(self, pid, name, cpu=0):
        self.add(0, NOTIFY, number=(0, 0), pid=pid, cpu=cpu, pdu=name.encode().ljust(16, b"\0"), gap=0)

    def clock(self, seconds, cpu=0):
        self.add(1, NOTIFY, number=(0, 0), cpu=cpu, pdu=struct.pack(self.order + "II", seconds, 250), gap=0)

    def message(self, text, cpu=0):
        self.add(2, NOTIFY, pid=0, cpu=cpu, pdu=text.encode(), gap=100)

    def remap(self, kind, sector, blocks, number, origin, origin_sector, cpu=0):
        self.add(A, kind, sector, blocks, number, cpu=cpu, pdu=struct.pack(">IIQ", device(origin), device(number), origin_sector))

    def request(self, kind, sector, blocks, cpu=0, error=0, number=DISK, pid=100, took=80000):
        for what in (Q, G, INSERT):
            self.add(what, kind, sector, blocks, number, pid, cpu)
        self.add(D, kind, sector, blocks, number, 77, cpu, gap=took)
        self.add(C, kind, sector, blocks, number, 0, cpu + 1, error)

    def write(self, name):
        for cpu, records in enumerate(self.cpus):
            with open(f"{name}.blktrace.{cpu}", "wb") as f:
                f.write(b"".join(records))


def one_of_each(t):
    t.clock(1700000000)
    for pid, name in ((100, "fio"), (101, "tar"), (77, "kworker/0:1H")):
        t.name(pid, name, cpu=pid)
    write = WRITE | FS
    # of a partition, synchronous
    t.remap(READ | SYNC | FS, 2148, 8, DISK, PARTITION, 100)
    t.add(P, QUEUE)
    t.request(READ | SYNC | FS, 2148, 8)
    t.add(U, QUEUE, pdu=struct.pack(">Q", 1))
    # merged at its back, then at its front, and completed in two parts
    t.add(Q, write, 8192, 64)
    t.add(Q, write, 8256, 64, pid=101)
    t.add(M, write, 8256, 64, pid=101)
    t.add(Q, write, 8128, 64)
    t.add(F, write, 8128, 64)
    t.add(D, write, 8128, 192, pid=77, gap=90000)
    t.add(C, write, 8128, 128, pid=0, cpu=1, gap=1000)
    t.add(C, write, 8256, 64, pid=0, cpu=1)
    # split, the second part completed first
    t.add(Q, READ, 100000, 512, cpu=1)
    t.add(X, READ, 100000, 512, cpu=1, pdu=struct.pack(">Q", 100256))
    t.add(D, READ, 100000, 256, pid=77, cpu=1)
    t.add(D, READ, 100256, 256, pid=77, cpu=1, gap=50000)
    t.add(C, READ, 100256, 256, pid=0, gap=50000)
    t.add(C, READ, 100000, 256, pid=0)
    # flush, discard, metadata read ahead, write with FUA
    t.add(Q, FLUSH | SYNC | WRITE)
    t.add(D, FLUSH | SYNC | WRITE, pid=77, gap=2000000)
    t.add(C, FLUSH | SYNC | WRITE, pid=0)
    t.request(DISCARD | SYNC, 4096, 2048)
    t.request(READ | META | AHEAD, 5000, 1, number=BIG, pid=101)
    t.request(WRITE | SYNC | FUA | META, 16384, 8)
    # two reads of one sector at the same time
    for _ in range(2):
        t.add(Q, READ, 777, 8, pid=101)
    for _ in range(2):
        t.add(D, READ, 777, 8, pid=77, gap=10000)
    for _ in range(2):
        t.add(C, READ, 777, 8, pid=0, cpu=1, gap=10000)
    # returned to the queue, then failed
    t.add(Q, write, 20000, 8)
    t.add(D, write, 20000, 8, gap=3000)
    t.add(R, write, 20000, 8)
    t.add(D, write, 20000, 8, gap=3000)
    t.add(C, write, 20000, 8, pid=0, error=-5)
    # of a device on top of the disk
    t.add(Q, write, 30000, 16, UPPER, 101)
    t.remap(write, 40000, 16, DISK, UPPER, 30000)
    t.request(write, 40000, 16, pid=101)
    t.add(C, write, 30000, 16, UPPER, 0)
    # passed through, completed without being issued, not completed, completed without a start
    t.add(D, PC | READ, 0, size=36)
    t.add(C, PC | READ, 0, size=36)
    t.add(Q, READ | AHEAD, 512, 1)
    t.add(C, READ | AHEAD, 512, 1, pid=0, cpu=1)
    t.request(READ, 600, 8, cpu=1)
    t.add(Q, READ, 700, 8, pid=101)
    t.add(D, READ, 700, 8, pid=77)
    t.add(C, READ, 99999, 8, pid=0)
    t.message("fio is done")


def many(t, requests):
    """In flight: up to 64 requests. The kinds of records are those of a file system on a partition."""
    some, waiting = random.Random(1), []
    t.clock(1700000000)
    for pid in range(100, 116):
        t.name(pid, f"job{pid}")
    for i in range(requests):
        kind = (READ if some.random() < 0.7 else WRITE) | (SYNC if some.random() < 0.5 else 0)
        sector, blocks = 8 * some.randrange(1 << 28), some.choice((8, 8, 8, 64, 256))
        pid, cpu = 100 + some.randrange(16), some.randrange(len(t.cpus))
        t.remap(kind, sector, blocks, DISK, PARTITION, sector - 2048 & (1 << 48) - 1, cpu)
        for what in (Q, G, INSERT, D):
            t.add(what, kind, sector, blocks, pid=pid, cpu=cpu, gap=200 + some.randrange(300))
        waiting.append((kind, sector, blocks))
        while len(waiting) > 63 or (waiting and i == requests - 1) or (waiting and some.random() < 0.4):
            kind, sector, blocks = waiting.pop(some.randrange(len(waiting)))
            t.add(C, kind, sector, blocks, pid=0, cpu=some.randrange(len(t.cpus)), gap=100)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--version", type=int, choices=(7, 8), default=7)
    p.add_argument("--big-endian", action="store_true")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--requests", type=int, default=0)
    p.add_argument("--start-ns", type=int, default=836667472000)
    p.add_argument("name")
    a = p.parse_args()
    t = Trace(a)
    if a.requests > 0:
        many(t, a.requests)
    else:
        one_of_each(t)
    t.write(a.name)


if __name__ == "__main__":
    main()
