#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the .pfw files that DFTracer would have written of the run in a strace log (-f -ttt -T).

	dftracer_make.py [--generation 2023|1.0|1.1] [--late] [--regions N] [--repeat N] LOG DIRECTORY

One file for each process. 2023: numbers in quotes, names in each event; 1.0: hashes that are numbers; 1.1: hashes
that are text. --late: hashes are defined after all events, those of all processes in the file of the first one.
--regions: an event of the application after each N calls. --repeat: the calls again and again, later each time.
As DFTracer does, it records a call on a descriptor only if its open has a name, and no result of dup.
"""
import argparse
import gzip
import hashlib
import os
import re
import zlib

LINE = re.compile(r"(\d+) +(\d+)\.(\d{6}) (\w+)\((.*)\) += (-?\d+)(?:<[^>]*>)?(?: (E\w+) \([^)]*\))?(?: <(\d+)\.(\d{6})>)?$")
FLAGS = {"O_WRONLY": 1, "O_RDWR": 2, "O_CREAT": 0o100, "O_EXCL": 0o200, "O_TRUNC": 0o1000, "O_APPEND": 0o2000,
         "O_DIRECTORY": 0o200000, "O_NOFOLLOW": 0o400000, "O_CLOEXEC": 0o2000000, "O_NONBLOCK": 0o4000}
WHENCE = {"SEEK_SET": 0, "SEEK_CUR": 1, "SEEK_END": 2, "SEEK_DATA": 3, "SEEK_HOLE": 4}
COMMANDS = {"F_DUPFD": 0, "F_GETFD": 1, "F_SETFD": 2, "F_GETFL": 3, "F_SETFL": 4, "F_DUPFD_CLOEXEC": 1030}
HOST = "node1"


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--generation", choices=("2023", "1.0", "1.1"), default="1.0")
    p.add_argument("--late", action="store_true")
    p.add_argument("--regions", type=int, default=0)
    p.add_argument("--repeat", type=int, default=1)
    p.add_argument("log")
    p.add_argument("directory")
    return p.parse_args()


def split(text):
    """The arguments of a call."""
    parts, depth, quoted, begin, i = [], 0, False, 0, 0
    while i < len(text):
        c = text[i]
        if c == "\\" and quoted:
            i += 1
        elif c == '"':
            quoted = not quoted
        elif not quoted and c in "([{":
            depth += 1
        elif not quoted and c in ")]}":
            depth -= 1
        elif not quoted and depth == 0 and c == ",":
            parts.append(text[begin:i].strip())
            begin = i + 1
        i += 1
    return parts + [text[begin:].strip()]


def bare(text):
    return text.strip('"')


def flags(text):
    return sum(FLAGS.get(word, 0) for word in text.split("|"))


class Process:
    def __init__(self, maker, pid):
        self.maker, self.pid, self.names, self.lines, self.events = maker, pid, {}, [], 0
        self.hashes = set()

    def hash_of(self, kind, name):
        a = self.maker.arguments
        value = zlib.crc32(name.encode()) & 0x7FFFFFFF
        if a.generation == "1.1":
            value = '"' + hashlib.md5(name.encode()).hexdigest()[:16] + '"'
        if name not in self.hashes:
            self.hashes.add(name)
            (self.maker.late if a.late else self.lines).append(
                f'{{"id":{self.events},"name":"{kind}","cat":"dftracer","pid":{self.pid},"tid":{self.pid},"ph":"M",'
                f'"args":{{"name":"{name}","value":{value}}}}}')
        return value

    def event(self, category, name, at, took, values, path=None):
        """Values are (key, number); path: of the file."""
        number = (lambda v: f'"{v}"') if self.maker.arguments.generation == "2023" else str
        if self.maker.arguments.generation == "2023":
            pairs = [f'"hostname":"{HOST}"'] + ([f'"fname":"{path}"'] if path else [])
            pairs += [f'"{k}":{number(v) if k in ("ret", "count", "offset") else v}' for k, v in values]
        else:
            pairs = [f'"hhash":{self.hash_of("HH", HOST)}']
            pairs += [f'"fhash":{self.hash_of("FH", path)}'] if path else []
            pairs += [f'"{k}":{v}' for k, v in values]
        self.lines.append(
            f'{{"id":{number(self.events)},"name":"{name}","cat":"{category}","pid":{number(self.pid)},"tid":{number(self.pid)},'
            f'"ts":{number(at)},"dur":{number(took)},"ph":"X","args":{{{",".join(pairs)}}}}}')
        self.events += 1

    def opened(self, name, at, took, path, result, values):
        self.event("POSIX", name, at, took, values + [("ret", result)], path)
        if result >= 0:
            self.names[result] = path

    def run(self, name, args, result, at, took):
        if name == "openat" and args[0] == "AT_FDCWD":
            self.opened("open64", at, took, bare(args[1]), result, [("flags", flags(args[2]))])
        elif name == "creat":
            self.opened(name, at, took, bare(args[0]), result, [("mode", 420)])
        elif name in ("unlink", "mkdir", "rmdir", "rename", "access", "readlink"):
            self.event("POSIX", name, at, took, [], bare(args[0]))
        elif name in ("dup", "dup2", "dup3") and int(args[0]) in self.names:
            self.event("POSIX", "dup2" if name == "dup3" else name, at, took, [], self.names[int(args[0])])
        elif args and args[0].isdigit() and int(args[0]) in self.names:
            self.on_descriptor(name, args, int(args[0]), result, at, took)

    def on_descriptor(self, name, args, fd, result, at, took):
        path, values = self.names[fd], [("fd", fd)]
        if name in ("read", "write", "pread64", "pwrite64"):
            values += [("count", args[2])] + ([("offset", args[3])] if name[0] == "p" else []) + [("ret", result)]
        elif name == "lseek":
            values += [("offset", args[1]), ("whence", WHENCE[args[2]]), ("ret", result)]
        elif name == "ftruncate":
            values += [("length", args[1])]
        elif name == "close":
            values += [("ret", result)]
            del self.names[fd]
        elif name == "fcntl":
            values += [("cmd", COMMANDS.get(args[1], 99))]
        elif name not in ("fsync", "fdatasync"):
            return
        self.event("POSIX", name, at, took, values, path)


class Maker:
    def __init__(self, a):
        self.arguments, self.processes, self.late = a, {}, []

    def process(self, pid, at):
        if pid not in self.processes:
            p = self.processes[pid] = Process(self, pid)
            version = "100005" if self.arguments.generation == "1.0" else '"%s"' % self.arguments.generation
            p.event("dftracer", "start", at, 0, [("version", version), ("ppid", 1)])
        return self.processes[pid]

    def run(self, lines):
        matches = [m for m in map(LINE.match, lines) if m]
        times = [int(m[2]) * 1000000 + int(m[3]) for m in matches]
        span = times[-1] - times[0] + 1000
        for turn in range(self.arguments.repeat):
            for i, (m, at) in enumerate(zip(matches, times)):
                pid, name, result = int(m[1]), m[4], int(m[6])
                took = int(m[8] or 0) * 1000000 + int(m[9] or 0)
                p = self.process(pid, at)
                p.run(name, split(m[5]), result, at + turn * span, took)
                if self.arguments.regions and i % self.arguments.regions == 0:
                    p.event("COMPUTE", "train", at + turn * span, 1, [("epoch", 1)])

    def write(self, directory):
        os.makedirs(directory, exist_ok=True)
        for i, p in enumerate(self.processes.values()):
            with open(f"{directory}/trace-app-{p.pid}.pfw", "w") as f:
                f.write("\n".join(["["] + p.lines + (self.late if i == 0 else [])) + "\n]")


def main():
    a = arguments()
    maker = Maker(a)
    with (gzip.open if a.log.endswith(".gz") else open)(a.log, "rt") as log:
        maker.run(log.read().splitlines())
    maker.write(a.directory)


if __name__ == "__main__":
    main()
