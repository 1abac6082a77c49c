#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that time is proportional to input: for each command, twice the input takes at most 2.3 times the time.

	growth.py IOTRACE [--quick] [--kind=NAME[,NAME]] [--command=NAME[,NAME]] [--seconds=S]

Each kind is hostile input: many equal, long, deep, nested or different things. A size is found at which a command takes --seconds of
CPU time (default: 0.06), or at which the input reaches its largest size. Times are minima of several runs. --quick runs a few
commands on a few kinds. Prints a row for each command and kind that takes longer, and the row with the largest quotient. A second
limit applies to the time per stored byte of what takes longer than a second, so that a cost that is large for every input is found as well.
"""
import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile

QUOTIENT_MAX = 2.3
NS_PER_BYTE_MAX = 10_000
RUNS, RUNS_AGAIN = 3, 7
FIRST_ITEMS, BYTES_MAX = 250, 4_000_000  # bytes of text
MEMORY_MAX = 4 << 30

# Traces: functions of a number of items that return lines of a bare trace, with times in microseconds.


def record(offset=0, length=4096, later=10, duration=5, file=1, process=1, write=False):
    return f"{'c0' if write else '80'} 20 {offset:x} {length:x} {later:x} {duration:x} {file:x} {process:x} 0"


def directive(directive_, /, **keys):
    return f"ff %{directive_} " + " ".join(f"{key.replace('_', '-')}={value}" for key, value in keys.items())


def file(number, process=1, path=None):
    return directive("file", process=process, id=number, object=number, path=path or f"/data/{number}")


def op(name, time, **keys):
    return directive("op", name=name, time=time, took=1, **{"process": 1, "result": 0, **keys})


def process(number, **keys):
    return directive("process", id=number, name="app", parent=keys.pop("parent", 0), **keys)


def long_directives(n):
    return [directive("note", time=i, text="x" * 1000) for i in range(n)]


def long_paths(n):
    path = "/" + "d" * 4000
    return [op("stat", i, path=path) for i in range(n)]


def deep_paths(n):
    return [op("stat", i, path="/a" * 500 + f"/{i}") for i in range(n)]


def long_durations(n):
    return [file(1)] + [record(i, 1 << 20, 1, 1 << 20) for i in range(n)]


def long_durations_of_processes(n):
    return [record(i, 1 << 20, 1, 1 << 24, process=1 + i) for i in range(n)]


def huge_lengths(n):
    random_ = random.Random(1)
    return [file(1)] + [record(random_.randrange(1 << 40), 1 << 33, 5, 1, write=i % 2 > 0) for i in range(n)]


def nested(n):
    return [file(1)] + [record(i, 1, 1, 2 * (n - i)) for i in range(n)]


def overlapping(n):
    random_ = random.Random(1)
    return [file(1)] + [record(i * 4096, 4096, 3, random_.randrange(10000)) for i in range(n)]


def one_time(n):
    return [file(1)] + [record(i * 4096, 4096, 0, 7) for i in range(n)]


def gaps(n):
    return [file(1)] + [record(i * 4096, 4096, 1 << (i % 24), 1) for i in range(n)]


def new_processes(n):
    return [line for i in range(1, n + 1) for line in (process(i, host=f"h{i}", rank=i), record(i, process=i))]


def two_processes(n):
    return [record(i * 4096, process=1 + i % 2) for i in range(n)]


def interleaved(n):
    random_ = random.Random(1)
    return [record(random_.randrange(1 << 30), 1 + random_.randrange(9999), process=1 + random_.randrange(1000), file=1 + random_.randrange(1000))
            for i in range(n)]


def new_files(n):
    return [line for i in range(1, n + 1) for line in (file(i), record(0, file=i))]


def redefined_processes(n):
    return [line for i in range(n) for line in (process(1, command=f"c{i}"), record(i * 4096))]


def redefined_files(n):
    return [line for i in range(1, n + 1)
            for line in (directive("file", process=1, id=1, object=i, path=f"/f{i}"), record(0), op("close", 10 * i + 5, file=1))]


def threads(n):
    return [line for i in range(1, n + 1) for line in (process(i, parent=i - 1, **({"thread_of": i - 1} if i > 1 else {})), record(i, process=i))]


def children(n):
    return [line for i in range(1, n + 1) for line in (process(i, parent=i - 1), record(i, process=i))]


def renames(n):
    return [line for i in range(n) for line in (op("rename", 10 * i, path=f"/a{i}", to=f"/a{i + 1}"), record(i * 4096))]


def directory_renames(n):
    lines = [file(i, path=f"/d0/{i}") for i in range(1, n + 1)]
    return lines + [line for i in range(n) for line in (op("rename", 10 * i, path=f"/d{i}", to=f"/d{i + 1}"), record(i * 4096, file=1 + i % n))]


def operation_names(n):
    return [directive("op", name=f"o{i}", time=i, took=1, process=1, result=f"E{i}") for i in range(n)]


def sizes(n):
    return [file(1)] + [record(i * i * 37, 1 + i * 37, write=i % 3 == 0) for i in range(n)]


def covering(n):
    """Requests that cover more and more of the requests before."""
    return [file(1)] + [record(i * 1000, 1 + i * 37, write=i % 3 == 0) for i in range(n)]


def distances(n):
    return [file(1)] + [record(i * i * 17, 16) for i in range(n)]


def one_offset(n):
    return [file(1)] + [record(0, 4096, write=i % 2 > 0) for i in range(n)]


def random_writes(n):
    random_ = random.Random(1)
    return [file(1)] + [record(random_.randrange(1 << 40), 1 + random_.randrange(1000), write=True) for i in range(n)]


def sliding_writes(n):
    return [file(1)] + [record(i, 1 << 20, write=True) for i in range(n)]


def backwards(n):
    return [file(1)] + [record((n - i) * 4096, write=i % 2 > 0) for i in range(n)]


def small_pieces(n):
    half = n // 2
    return [file(1)] + [record(2 * i, 1, write=True) for i in range(half)] + [record(0, n, write=i % 2 > 0) for i in range(half)]


def far_truncates(n):
    far = [(record(i << 12, file=2), record(i << 30, file=1, write=True), op("truncate", 20 * i, file=1, size=0)) for i in range(n)]
    return [file(1), file(2)] + [line for lines in far for line in lines]


def comments(n):
    return ["ff " + "free text " * 100 for i in range(n)]


def losses(n):
    return [line for i in range(n) for line in (directive("lost", time=10 * i, records=1, why="dropped"), record(i * 4096))]


def syncs(n):
    return [file(i) for i in range(1, 9)] + [record(i * 4096, file=1 + i % 8) for i in range(n)]


def traces(n):
    return [line for i in range(n) for line in (directive("trace", source="x", host=f"h{i}", job=i), record(i * 4096))]


def counters(n):
    return [line for i in range(1, n + 1)
            for line in (file(i), directive("counter", source="darshan", process=1, file=i, POSIX_READS=i, POSIX_BYTES_READ=i * 100), record(0, file=i))]


def far_objects(n):
    return [line for i in range(n)
            for line in (directive("file", process=1, id=i + 1, object=(i << 16) % (1 << 32) + 1, path=f"/{i}"), record(0, file=i + 1))]


TRACES = [long_directives, long_paths, deep_paths, long_durations, long_durations_of_processes, huge_lengths, nested, overlapping, one_time,
          gaps, new_processes, two_processes, interleaved, new_files, redefined_processes, redefined_files, threads, children, renames,
          directory_renames, operation_names, sizes, covering, distances, one_offset, random_writes, sliding_writes, backwards, small_pieces, far_truncates,
          comments,
          losses, syncs, traces, counters, far_objects]

# Logs of strace -f -ttt -T -y


def call(number, text, pid=1):
    return f"{pid} {1000 + number * 1e-5:.6f} {text} <0.000005>"


def open_files(n):
    return [call(i, f'openat(AT_FDCWD, "/f{i}", O_RDONLY) = {3 + i}') for i in range(n)]


def unfinished(n):
    return [f"{i + 1} {1000 + i * 1e-5:.6f} read(3,  <unfinished ...>" for i in range(n)]


def forks(n):
    return [call(i, f"clone(child_stack=NULL, flags=SIGCHLD) = {i + 2}", i + 1) for i in range(n)]


def forks_with_files(n):
    some = [call(i, f'openat(AT_FDCWD, "/f{i}", O_RDONLY) = {3 + i}') for i in range(100)]
    return some + [call(100 + i, f"clone(child_stack=NULL, flags=SIGCHLD) = {i + 2}") for i in range(n)]


def duplicates(n):
    return [call(0, 'openat(AT_FDCWD, "/f", O_RDWR) = 3')] + [call(i + 1, f"dup(3) = {4 + i}") for i in range(n)]


def seeks(n):
    return [call(0, 'openat(AT_FDCWD, "/f", O_RDWR) = 3')] + [
        call(i + 1, f'pread64(3, ""..., 100, {i * 7919 % 100000}) = 100') for i in range(n)]


def directory_moves(n):
    some = [call(i, f'openat(AT_FDCWD, "/d0/{i}", O_RDONLY) = {3 + i}') for i in range(n)]
    return some + [call(n + i, f'rename("/d{i}", "/d{i + 1}") = 0') for i in range(n)]


def long_names(n):
    return [call(i, f'stat("/{"x" * 3000}{i}", 0x1) = -1 ENOENT (No such file or directory)') for i in range(n)]


def not_understood(n):
    return [f"what is this line {i}" for i in range(n)] + [call(0, 'openat(AT_FDCWD, "/f", O_RDWR) = 3')]


LOGS = [open_files, unfinished, forks, forks_with_files, duplicates, seeks, directory_moves, long_names, not_understood]

COMMANDS = {
    "cat": "cat -o out.iot IN", "csv": "cat -f csv --all-events -o out IN", "tsv": "cat -f tsv -o out IN", "jsonl": "cat -f jsonl -o out IN",
    "text": "cat -f text -o out IN", "chrome": "cat -f chrome -o out IN", "perfetto": "cat -f perfetto -o out IN",
    "fio": "cat -f fio --setup=setup -o out IN", "blkparse": "cat -f blkparse -o out IN",
    "info": "info IN", "stat": "stat IN", "stat-op": "stat --by=op IN", "stat-process": "stat --by=process IN", "stat-dir": "stat --by=dir IN",
    "check": "check IN", "repair": "check --repair -o out.iot IN", "merge": "merge -o out.iot IN IN2", "reorder": "reorder --memory=16M -o out.iot IN",
    "slice": "slice --from=1ms -o out.iot IN", "slice-process": "slice --process=1 -o out.iot IN",
    "slice-file": "slice --file=/data/1* -o out.iot IN", "anonymize": "anonymize --key=key -o out.iot IN",
    "analyze": "analyze --json IN", "analyze-by-file": "analyze --by=file IN", "report": "analyze --html=out.html --plots=plots IN",
    "state": "analyze -s out.state IN", "dependencies": "analyze --dependencies --working-set --json IN",
    "simulate": "simulate -c 1MiB -p lru,arc,s3fifo --max-request=1T IN", "simulate-by": "simulate -c 1000b --by=object --json IN",
    "timing": "simulate --time IN", "mrc": "mrc IN", "mrc-aet": "mrc --method=aet IN", "top": "top --once IN",
}
# The cost of an item grows with their number until a limit of SECURITY.md: pieces of a request over time; ranges that requests change.
FIRST_OF_KIND = {"nested": 32000, "small_pieces": 32000}
# Inputs that commands report with status 1.
INCOMPLETE = {losses, not_understood, unfinished}
# A record with huge lengths refers to as many blocks as it says: time is proportional to these.
BLOCKS = {"simulate", "simulate-by", "timing", "mrc", "mrc-aet", "dependencies"}
PROPORTIONAL_TO_BLOCKS = {"huge_lengths", "sliding_writes", "long_durations", "long_durations_of_processes", "small_pieces", "sizes", "covering"}
QUICK_COMMANDS = ["merge", "check", "analyze", "anonymize"]
QUICK_KINDS = ["long_durations", "long_directives", "directory_renames"]


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))


def cpu_seconds(arguments, directory):
    """Runs a command; returns its CPU time and its status. The kernel divides it into user and system time by samples of a few ms."""
    child = subprocess.Popen(arguments, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit_memory)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, child.returncode


class Inputs:
    """The files of a kind, by number of items. Those of traces are complete, with hashes."""

    def __init__(self, tool, directory, kind):
        self.tool, self.directory, self.kind, self.made = tool, directory, kind, {}

    def get(self, items):
        if items not in self.made:
            name = f"{self.kind.__name__}.{items}"
            lines = "\n".join(self.kind(items)) + "\n"
            path = os.path.join(self.directory, name)
            with open(path, "w") as out:
                out.write(lines)
            if self.kind in TRACES:
                sync = ["--sync=4"] if self.kind is syncs else []
                subprocess.run([self.tool, "slice", "--all-of-it", "-q", *sync, "-o", f"{name}.iot", name], cwd=self.directory, check=True)
                os.replace(path + ".iot", path)
            self.made[items] = name, os.path.getsize(path), len(lines)
        return self.made[items]


def measure(tool, inputs, command, items, runs):
    name, size, _ = inputs.get(items)
    words = [name if w == "IN" else name if w == "IN2" else w for w in command.split()]
    arguments = [tool, words[0], "-q", *words[1:]] if words[0] != "top" else [tool, *words]
    times = [cpu_seconds(arguments, inputs.directory) for _ in range(runs)]
    status = times[0][1]
    if status != 0 and inputs.kind not in INCOMPLETE:
        sys.exit(f"growth.py: {' '.join(arguments)}: status {status}")
    return min(t for t, _ in times), size


def find_items(tool, inputs, command, seconds):
    items = FIRST_OF_KIND.get(inputs.kind.__name__, FIRST_ITEMS) if command.startswith("analyze") else FIRST_ITEMS
    while True:
        time, _ = measure(tool, inputs, command, items, 1)
        if time >= seconds or inputs.get(items)[2] >= BYTES_MAX:
            return items
        items *= 2 if time > seconds / 4 else 4


def try_kind(tool, inputs, name, command, seconds):
    items = find_items(tool, inputs, command, seconds)
    for runs in (RUNS, RUNS_AGAIN):
        once, size = measure(tool, inputs, command, items, runs)
        twice, size_twice = measure(tool, inputs, command, 2 * items, runs)
        quotient = twice / once * 2 * size / size_twice if once > 0 else 0
        ns_per_byte = twice * 1e9 / size_twice
        # Short times say little.
        slow = (quotient > QUOTIENT_MAX and twice > seconds) or (ns_per_byte > NS_PER_BYTE_MAX and twice > 1)
        if not slow:
            break
    row = f"{name:16} {inputs.kind.__name__:28} {items:8} items {size:9} bytes {once:7.3f} s, twice: {twice:7.3f} s, {quotient:5.2f}, {ns_per_byte:8.0f} ns/byte"
    return slow, quotient, row


def wanted(names, all_names):
    unknown = set(names) - set(all_names)
    if unknown:
        sys.exit(f"growth.py: unknown: {', '.join(sorted(unknown))}")
    return names or all_names


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--kind", default="", type=str)
    parser.add_argument("--command", default="", type=str)
    parser.add_argument("--seconds", default=0.06, type=float)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    tool = os.path.abspath(options.tool)
    kinds = {kind.__name__: kind for kind in TRACES + LOGS}
    commands = dict(COMMANDS, convert="convert --from=strace -o out.iot IN")
    names = wanted([k for k in options.kind.split(",") if k] or (QUICK_KINDS if options.quick else []), list(kinds))
    chosen = wanted([c for c in options.command.split(",") if c] or (QUICK_COMMANDS if options.quick else []), list(commands))
    tried, failed, worst = 0, 0, (0, "")
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "key"), "w") as key:
            key.write("8f3a61c07be2d94f15a8c3e6720bd91f")
        os.chmod(os.path.join(directory, "key"), 0o600)
        for name in names:
            inputs = Inputs(tool, directory, kinds[name])
            for command in chosen:
                if (command == "convert") != (kinds[name] in LOGS) or (command in BLOCKS and name in PROPORTIONAL_TO_BLOCKS):
                    continue
                slow, quotient, row = try_kind(tool, inputs, command, commands[command], options.seconds)
                tried, failed, worst = tried + 1, failed + slow, max(worst, (quotient, row))
                if slow or options.verbose:
                    print(row, "TOO SLOW" if slow else "", flush=True)
            for made, _, _ in inputs.made.values():
                os.remove(os.path.join(directory, made))
    print(f"growth: {tried} pairs of a command and a kind of input, {failed} too slow; largest quotient:\n{worst[1]}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
