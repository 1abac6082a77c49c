# SPDX-License-Identifier: BSD-2-Clause
"""Figures from the counters of Darshan, slowly: the reference for the section `counters` of iotrace analyze, and for the values that
come from counters where a trace has no requests.

Readings. A file is an object, or a fileId of a process. A counter of -1 makes its sum unknown; a time below 0 counts as 0. A record
without a rank, or of rank -1, is one of all ranks. The sums of MPI-IO are those of independent, collective, split and non-blocking
calls. Files without requests count in the section, but not where they replace requests.
"""
from collections import Counter, defaultdict
from fractions import Fraction

MODULES = {"POSIX": "POSIX_", "MPI-IO": "MPIIO_", "STDIO": "STDIO_"}
SIZES = {"0_100": "0-100", "100_1K": "100-1K", "1K_10K": "1K-10K", "10K_100K": "10K-100K", "100K_1M": "100K-1M", "1M_4M": "1M-4M",
         "4M_10M": "4M-10M", "10M_100M": "10M-100M", "100M_1G": "100M-1G", "1G_PLUS": "1G+"}
LIMITS = {"0_100": 100, "100_1K": 2**10, "1K_10K": 10 * 2**10, "10K_100K": 100 * 2**10, "100K_1M": 2**20, "1M_4M": 2**22,
          "4M_10M": 10 * 2**20, "10M_100M": 100 * 2**20, "100M_1G": 2**30}
REQUESTS = {"r": ("READS", "INDEP_READS", "COLL_READS", "SPLIT_READS", "NB_READS"),
            "w": ("WRITES", "INDEP_WRITES", "COLL_WRITES", "SPLIT_WRITES", "NB_WRITES")}
BYTES = {"r": "BYTES_READ", "w": "BYTES_WRITTEN"}
SUMS = {"N_r": REQUESTS["r"], "N_w": REQUESTS["w"], "S_r": ("BYTES_READ",), "S_w": ("BYTES_WRITTEN",),
        "opens": ("OPENS", "INDEP_OPENS", "COLL_OPENS"), "seeks": ("SEEKS",), "stats": ("STATS",), "mmaps": ("MMAPS",),
        "syncs": ("FSYNCS", "FDSYNCS", "SYNCS", "FLUSHES"), "consecutive_r": ("CONSEC_READS",), "consecutive_w": ("CONSEC_WRITES",),
        "sequential_r": ("SEQ_READS",), "sequential_w": ("SEQ_WRITES",), "switches": ("RW_SWITCHES",),
        "not_aligned": ("FILE_NOT_ALIGNED",), "collective_r": ("COLL_READS",), "collective_w": ("COLL_WRITES",)}
ONLY = {"POSIX": {"consecutive_r", "consecutive_w", "sequential_r", "sequential_w", "stats", "mmaps", "not_aligned"},
        "MPI-IO": {"collective_r", "collective_w"}}
NOT = {"MPI-IO": {"seeks"}, "STDIO": {"switches"}, "POSIX": set()}
TIMES = {"t_r": "F_READ_TIME", "t_w": "F_WRITE_TIME", "md_time": "F_META_TIME"}
CLASSES = ("all", "read-only", "write-only", "read/write", "unique", "shared", "part-shared")


class Record:
    def __init__(self, keys):
        self.keys, prefix = {}, MODULES[keys["source"]]
        for key, value in keys.items():
            if key.startswith(prefix):
                self.keys[key[len(prefix):]] = value
        number = int(keys["object"]) if keys.get("object", "").isdigit() else 0
        self.file = ("object", number) if number else ("stream", int(keys.get("process", 0)), int(keys.get("file", 0)))
        self.rank = int(keys["rank"]) if keys.get("rank", "").isdigit() else None
        self.times = int(keys.get("times", 1))

    def number(self, name):
        return max(0, int(self.keys.get(name, 0)))

    def sum(self, names):
        """Returns the sum of counters; None if one of them was not measured."""
        values = [int(self.keys.get(name, 0)) for name in names]
        return None if min(values) < 0 else sum(values)

    def time(self, name):
        return max(Fraction(0), Fraction(self.keys.get(name, "0")))

    def total_time(self):
        return sum(self.time(name) for name in TIMES.values())


class File:
    def __init__(self):
        self.bytes, self.requests, self.classes = Counter(), Counter(), {"r": Counter(), "w": Counter()}
        self.last = self.last_read = self.ranks = 0
        self.shared, self.slowest, self.fastest, self.time = False, Fraction(0), Fraction(0), Fraction(0)

    def add(self, record):
        for d, prefix in (("r", "SIZE_READ_"), ("w", "SIZE_WRITE_")):
            self.bytes[d] += record.times * record.number(BYTES[d])
            self.requests[d] += record.times * sum(map(record.number, REQUESTS[d]))
            for key in SIZES:
                self.classes[d][key] += record.times * record.number(prefix + key)
        self.last = max(self.last, record.number("MAX_BYTE_READ"), record.number("MAX_BYTE_WRITTEN"))
        self.last_read = max(self.last_read, record.number("MAX_BYTE_READ"))
        if record.rank is None:
            self.slowest += record.time("F_SLOWEST_RANK_TIME") * record.times
            self.fastest += record.time("F_FASTEST_RANK_TIME") * record.times
            self.time += record.total_time() * record.times
        self.ranks += record.times * (record.rank is not None)
        self.shared = self.shared or record.rank is None

    def small(self, d, limit):
        """Returns the requests of the classes up to a size."""
        return sum(n for key, n in self.classes[d].items() if LIMITS.get(key, limit + 1) <= limit)

    def read_again(self):
        """Returns the bytes read beyond the end of all that is read."""
        return max(0, self.bytes["r"] - self.last_read - 1)

    def use(self):
        used = [d for d in "rw" if self.bytes[d]]
        return {"r": "read-only", "w": "write-only", "rw": "read/write"}.get("".join(used))


def files_of(records):
    files = defaultdict(File)
    for record in records:
        files[record.file].add(record)
    return files


def of_module(module, records):
    """Returns the values of a module by name, those of a class as (name, class)."""
    out = {}
    for name, counters in SUMS.items():
        if name in NOT[module] or any(name in names and module != m for m, names in ONLY.items()):
            continue
        values = [record.sum(counters) for record in records]
        out[name] = None if None in values else sum(v * r.times for v, r in zip(values, records))
    for name, counter in TIMES.items():
        out[name] = round(sum(r.time(counter) * r.times for r in records) * 10**9)
    if module != "STDIO":
        for name, prefix in (("size_r", "SIZE_READ_"), ("size_w", "SIZE_WRITE_")):
            for key, label in SIZES.items():
                out[name, label] = sum((r.number(prefix + key) + r.number(f"{prefix}AGG_{key}")) * r.times for r in records)
        for name, kind in (("common_size", "ACCESS"), ("common_stride", "STRIDE")):
            counts = Counter()
            for record in records:
                for i in "1234":
                    counts[int(record.keys.get(f"{kind}{i}_{kind}", 0))] += record.number(f"{kind}{i}_COUNT") * record.times
            for value, n in sorted(((v, n) for v, n in counts.items() if n), key=lambda pair: (-pair[1], pair[0]))[:4]:
                out[name, str(value)] = n
    files = files_of(records)
    for name in CLASSES:
        chosen = [f for f in files.values() if name in ("all", f.use()) or
                  name == ("shared" if f.shared else "unique" if f.ranks == 1 else "part-shared")]
        out["files", name] = len(chosen)
        out["files_bytes", name] = sum(sum(f.bytes.values()) for f in chosen)
        if module != "MPI-IO":
            out["files_max_byte", name] = max((f.last for f in chosen), default=0)
    return out | slowest(records)


def slowest(records):
    """The time that I/O took: that of the slowest rank in files of its own, and of the slowest rank of each shared file."""
    ranks, metadata = defaultdict(Fraction), defaultdict(Fraction)
    for record in records:
        if record.rank is not None:
            ranks[record.rank] += record.total_time() * record.times
            metadata[record.rank] += record.time("F_META_TIME") * record.times
    most = max(ranks.values(), default=0)
    rank = min((r for r, time in ranks.items() if time == most), default=None) if most else None
    shared = sum(r.time("F_SLOWEST_RANK_TIME") * r.times for r in records if r.rank is None)
    moved = sum(r.number(name) * r.times for r in records for name in BYTES.values())
    return {"slowest_rank": rank, "slowest_unique": round(most * 10**9),
            "slowest_unique_md": round(metadata[rank] * 10**9) if rank is not None else 0, "slowest_shared": round(shared * 10**9),
            "slowest_time": round((most + shared) * 10**9), "MiB_s": float(moved / (most + shared)) if most + shared else None}


def counters(directives):
    """Returns the section `counters`, {} without counters; directives: the keys of each %counter."""
    records = {module: [Record(keys) for keys in directives if keys.get("source") == module] for module in MODULES}
    result = {"records": {module: sum(r.times for r in of) for module, of in records.items()}} if any(records.values()) else {}
    for module, of in records.items():
        for name, value in of_module(module, of).items() if of else ():
            key = module
            if isinstance(name, tuple):
                name, key = name[0], f"{module} {name[1]}"
            result.setdefault(name, {})[key] = value
    return result


def posix(directives):
    """Returns the files with requests, by key."""
    records = [Record(keys) for keys in directives if keys.get("source") == "POSIX"]
    return {key: f for key, f in files_of(records).items() if sum(f.requests.values())}


def posix_ranks(directives):
    """Returns the bytes of each rank in files of its own."""
    result = Counter()
    for record in (Record(keys) for keys in directives if keys.get("source") == "POSIX"):
        if record.rank is not None:
            result[record.rank] += record.times * sum(record.number(name) for name in BYTES.values())
    return result


def times(directives, modules):
    """Returns the sums of the times of calls of these modules, in ns."""
    records = [Record(keys) for keys in directives if keys.get("source") in modules]
    return {name: sum((r.time(counter) * r.times for r in records), Fraction(0)) * 10**9 for name, counter in TIMES.items()}


def longest(directives, module, names, ranks):
    """Returns the longest time of a rank in seconds: in files of its own, and an equal share of that in files of all ranks."""
    own, shared = defaultdict(Fraction), Fraction(0)
    for record in (Record(keys) for keys in directives if keys.get("source") == module):
        time = sum(record.time(TIMES[name]) for name in names) * record.times
        if record.rank is None:
            shared += time
        else:
            own[record.rank] += time
    return float(max(own.values(), default=0) + (shared / ranks if ranks else 0))
