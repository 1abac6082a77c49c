#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes a random trace in decimal text form, bare, for comparisons of iotrace analyze with analyze_reference.py.

	analyze_random.py SEED >trace

The same seed gives the same trace. Traces are short, so that a difference can be found by reading, and cover all types of records,
kinds of data, layers, threads, shared files, fields that the source does not know, operations with and without times, ties, disorder,
overlapping requests, long pauses and sums beyond 2^64.
"""
import random
import sys

READ, WRITE, PHYSICAL, ASYNCHRONOUS = 128, 64, 0, 8
SIZES = [0, 1, 100, 512, 1000, 4096, 4096, 4096, 8192, 65536, 100000, 1 << 20, 1 << 22, 10485760]
HUGE = [1 << 40, 1 << 62, (1 << 63) + 1, (1 << 64) - 1]
NAMES = ["open", "create", "close", "stat", "lseek", "fsync", "mkdir", "readdir", "unlink", "rename"]
COUNTERS = {
    "POSIX": ["OPENS", "READS", "WRITES", "SEEKS", "STATS", "MMAPS", "FSYNCS", "FDSYNCS", "BYTES_READ", "BYTES_WRITTEN", "MAX_BYTE_READ",
              "MAX_BYTE_WRITTEN", "CONSEC_READS", "CONSEC_WRITES", "SEQ_READS", "SEQ_WRITES", "RW_SWITCHES", "FILE_NOT_ALIGNED",
              "SIZE_READ_0_100", "SIZE_WRITE_1G_PLUS", "ACCESS1_ACCESS", "ACCESS1_COUNT", "ACCESS4_ACCESS", "ACCESS4_COUNT",
              "STRIDE2_STRIDE", "STRIDE2_COUNT"],
    "MPIIO": ["INDEP_OPENS", "COLL_OPENS", "INDEP_READS", "COLL_READS", "SPLIT_READS", "NB_READS", "INDEP_WRITES", "COLL_WRITES",
              "BYTES_READ", "BYTES_WRITTEN", "RW_SWITCHES", "SYNCS", "SIZE_READ_AGG_100K_1M", "ACCESS2_ACCESS", "ACCESS2_COUNT"],
    "STDIO": ["OPENS", "READS", "WRITES", "SEEKS", "FLUSHES", "BYTES_READ", "BYTES_WRITTEN", "MAX_BYTE_READ", "MAX_BYTE_WRITTEN"],
    "HEATMAP": ["READ_BIN_0"]}
COUNTER_TIMES = ["READ_TIME", "WRITE_TIME", "META_TIME", "SLOWEST_RANK_TIME"]
RESULTS = ["", "", "", " result=0", " result=0", " result=ENOENT", " result=EACCES", " result=error"]


class File:
    """A fileId of a process: its offsets follow a pattern, its sizes are taken from a short or a long list."""

    def __init__(self, rng, profile):
        self.rng, self.position, self.step = rng, [0, 0], 0
        self.mode = rng.choice(["sequential", "sequential", "strided", "nested", "loop", "random", "same", "mixed"])
        self.sizes = [rng.choice(SIZES) for _ in range(rng.choice([1, 1, 2, 5]))]
        if rng.random() < profile["many"]:
            self.sizes = [rng.randrange(1 << rng.choice([8, 16, 24])) for _ in range(90)]
        if rng.random() < profile["huge"]:
            self.sizes += HUGE
        self.stride = rng.choice([4096, 10000, 1 << 20, -4096])
        self.write_share = rng.choice([0, 0.1, 0.5, 0.9, 1])

    def request(self):
        rng = self.rng
        write = rng.random() < self.write_share
        length, at = rng.choice(self.sizes), self.position[write]
        self.step += 1
        if self.mode == "strided":
            offset = at + self.stride
        elif self.mode == "nested":
            offset = at + (100000 if self.step % 4 == 0 else 2000)
        elif self.mode == "loop":
            offset = self.step % 5 * 4096
        elif self.mode == "random" or self.mode == "mixed" and rng.random() < 0.1:
            offset = rng.randrange(1 << rng.choice([10, 20, 40])) * rng.choice([1, 512, 4096])
        else:
            offset = at
        offset = max(0, min(offset, (1 << 64) - 1))
        follows = self.mode in ("sequential", "mixed")
        self.position[write] = min(offset + length, (1 << 64) - 1) if follows else offset
        return write, offset, length


class Generator:
    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.profile = {"unknown": rng.choice([0, 0, 0.2]), "huge": rng.choice([0, 0, 0, 0, 0.3]), "many": rng.choice([0, 0, 0.4]),
                        "disorder": rng.choice([0, 0, 0, 0.1]), "layers": rng.random() < 0.3, "threads": rng.random() < 0.3,
                        "physical": rng.choice([0, 0, 0.2]), "asynchronous": rng.choice([0, 0, 0.3, 1]),
                        "kinds": rng.choice([0, 0, 0.2]), "operations": rng.choice([0, 0.1, 0.4]),
                        "pause": rng.choice([0, 0.01, 0.1]), "hosts": rng.random() < 0.5, "shared": rng.choice([0, 0.5, 1]),
                        "cpu": rng.choice([0, 1, 1]), "close": rng.choice([0, 0.02, 0.1])}
        self.processes = rng.choice([1, 1, 2, 3, 6, 20])
        self.fileids, self.files, self.now, self.out = rng.choice([1, 2, 5]), {}, 0, []
        self.pace = rng.choice([1, 50, 5000, 50000])
        self.pause = rng.choice([10**5, 10**6, 10**7, 10**7, 10**9])

    def put(self, text):
        self.out.append("255 " + text)

    def head(self):
        rng, keys = self.rng, ["source=random"]
        if rng.random() < 0.3:
            keys.append(f"ranks={self.processes + rng.choice([0, 0, 3])}")
        if rng.random() < 0.4:
            keys.append(f"epoch={rng.choice([10**9, 1700000000123456789])}")
        if rng.random() < 0.2:
            keys.append("job-start=1699999990.25 job-end=1700000009.5")
        if rng.random() < 0.2:
            keys.append("lengths=requested")
        if rng.random() < 0.15:
            fields = rng.sample(["start", "completion", "cpu", "offset"], rng.choice([1, 1, 2]))
            with_them = {"start": "results", "completion": "asynchronous", "cpu": "operations", "offset": "creates"}
            keys.append("lacks=" + ",".join(fields + [with_them[field] for field in fields]))
        self.put("%trace " + " ".join(keys))

    def define_process(self, p):
        rng, keys = self.rng, f"%process id={p}"
        if self.profile["hosts"]:
            keys += f" rank={p - 1} host=node{p % 3}"
        if self.profile["threads"] and p % 2 == 0 and rng.random() < 0.7:
            keys += f" thread-of={rng.randrange(1, p, 2)}"
        if rng.random() < 0.9:
            self.put(keys + " name=app")

    def define_file(self, p, f):
        rng, profile, keys = self.rng, self.profile, f"%file process={p} id={f}"
        if rng.random() < 0.7:
            shared = rng.random() < profile["shared"]
            number = f if shared else 100 * p + f
            keys += f" object={number} path=/data/{number}"
        if profile["layers"] and rng.random() < 0.8:
            keys += " layer=" + rng.choice(["posix", "mpiio"])
        for key in ("offset", "completion", "cpu", "start"):
            if rng.random() < profile["unknown"]:
                keys += f" {key}=unknown"
        if rng.random() < profile["physical"]:
            self.put(keys + " kind=disk")
        if rng.random() < 0.9:
            self.put(keys)

    def operation(self):
        rng, keys = self.rng, "%op name=" + self.rng.choice(NAMES)
        if rng.random() < 0.8:
            back = rng.randrange(self.pace + 1) if rng.random() < self.profile["disorder"] else 0
            keys += f" time={max(0, self.now - back)}"
            keys += f" took={rng.randrange(self.pace + 1)}" if rng.random() < 0.8 else ""
        if rng.random() < 0.9:
            keys += f" process={rng.randrange(self.processes) + 1}"
            keys += f" file={rng.randrange(self.fileids) + 1}" if rng.random() < 0.7 else ""
        self.put(keys + rng.choice(RESULTS))

    def close(self):
        """Closes a fileId, often to open it again, perhaps as another object."""
        rng = self.rng
        p, f = rng.randrange(self.processes) + 1, rng.randrange(self.fileids) + 1
        if rng.random() < 0.9:
            self.put(f"%op name=close time={self.now} took=0 process={p} file={f}" + rng.choice(RESULTS))
        if rng.random() < 0.8:
            self.define_file(p, f)

    def comment(self):
        kind = self.rng.random()
        if kind < 0.4:
            self.put(f"%lost records={self.rng.randrange(9)} why=test")
        elif kind < 0.6:
            self.counter()
        elif kind < 0.8:
            self.define_process(self.rng.randrange(self.processes) + 1)
        else:
            self.put("a comment")

    def counter(self):
        """Counters of Darshan; some were not measured, or are those of all ranks."""
        rng, source = self.rng, self.rng.choice(["POSIX", "POSIX", "MPI-IO", "STDIO", "HEATMAP"])
        prefix, keys = source.replace("-", ""), f"%counter source={source}"
        rank = rng.randrange(-1, self.processes)
        keys += f" process={rank + 1} rank={rank}" if rng.random() < 0.8 else " process=1 file=1"
        keys += f" object={rng.randrange(1, 4)}" if rng.random() < 0.8 else ""
        keys += " times=3" if rng.random() < 0.1 else ""
        for name in COUNTERS[prefix]:
            if rng.random() < 0.5:
                value = rng.choice([-1, 0, 1, 7, 4096, 10**6])
                keys += f" {prefix}_{name}={abs(value) if name.startswith('ACCESS') else value}"
        for name in COUNTER_TIMES:
            if rng.random() < 0.7:
                keys += f" {prefix}_F_{name}={rng.choice(['0', '1', '0.25', '1e-05', '3.5762786865234375e-06', '12.000000001', '-2'])}"
        self.put(keys)

    def delta(self):
        rng = self.rng
        if rng.random() < 0.3:
            return 0
        if rng.random() < self.profile["disorder"]:
            return -rng.randrange(min(self.pace, self.now) + 1)
        if rng.random() < self.profile["pause"]:
            return rng.randrange(self.pause)
        return rng.randrange(self.pace + 1)

    def duration(self):
        kind = self.rng.random()
        if kind < 0.1:
            return 0
        if kind < 0.2:
            return self.rng.randrange(self.pace * 20 + 1)
        return self.rng.randrange(self.pace + 1)

    def record(self):
        rng = self.rng
        p, f = rng.randrange(self.processes) + 1, rng.randrange(self.fileids) + 1
        file = self.files.get((p, f))
        if file is None:
            file = self.files[p, f] = File(rng, self.profile)
            if rng.random() < 0.9:
                self.define_file(p, f)
        write, offset, length = file.request()
        kind = READ | WRITE * write | ASYNCHRONOUS * (rng.random() < self.profile["asynchronous"])
        if rng.random() < self.profile["physical"]:
            kind, offset, length = kind & ~READ, offset // 512, length // 512
        if rng.random() < self.profile["kinds"]:
            kind |= rng.randrange(4)
        delta = self.delta()
        self.now += delta
        cpu = rng.randrange(self.pace + 1) * self.profile["cpu"] * (rng.random() < 0.9)
        self.out.append(f"{kind} 0 {offset} {length} {delta} {self.duration()} 0 {f} {p} {cpu}")

    def lines(self):
        rng = self.rng
        self.head()
        for p in range(1, self.processes + 1):
            self.define_process(p)
        records = rng.random() < 0.95
        for _ in range(rng.choice([3, 20, 100, 300])):
            kind = rng.random()
            if not records:
                self.counter() if kind < 0.9 else self.define_process(1)
                continue
            if kind < self.profile["close"]:
                self.close()
            elif rng.random() < self.profile["operations"]:
                self.operation()
            elif rng.random() < 0.03:
                self.comment()
            else:
                self.record()
        return self.out


def random_trace(seed):
    """Returns the lines of a trace."""
    return Generator(seed).lines()


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    print(*random_trace(int(sys.argv[1])), sep="\n")
