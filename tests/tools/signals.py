#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests commands that a signal interrupts in the middle of their input, and four runs with one output.

    signals.py IOTRACE LOG LARGE_LOG

LOG is one of strace, of which a trace is made. Commands that write while they read a pipe get their
signals while it stays open after a part of the input, which ends within a line. The first SIGINT waits
for the end of file. The second one, SIGTERM and SIGHUP end the input: the output has the whole lines
that were read, %lost why=interrupted and %end, and the process ends by the signal. Commands that only
read end at once. What reads files gets a signal while it writes, is ended by it, and leaves nothing, and
so does what writes to a pipe that nobody empties. In no case do temporary files stay. Of four runs at
once each one succeeds, and one whole output is left; a file that must be new is made by one of them.
"""
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from waiting import (LONG, await_full, await_input, await_read,  # noqa: E402
                     signalled_while_writing)

# @NAME is a file beside the work folder, "-" the pipe. What the outputs are called does not matter.
TRACE = {
    "cat": ["cat", "-o", "out.iot", "-"],
    "cat packed": ["cat", "-o", "out.iot.zst", "-"],
    "slice": ["slice", "--all-of-it", "-o", "out.iot", "-"],
    "reorder": ["reorder", "--memory=64K", "-o", "out.iot", "-"],
    "reorder window": ["reorder", "--window=1s", "-o", "out.iot", "-"],
    "merge": ["merge", "-o", "out.iot", "-"],
    "merge sort": ["merge", "--reorder", "--memory=64K", "-o", "out.iot", "-"],
    "anonymize": ["anonymize", "--key=@key", "-o", "out.iot", "-"],
    "anonymize map": ["anonymize", "--key=@key", "--map=out.tsv", "-o", "out.iot.zst", "-"],
}
LOG = {
    "convert": ["convert", "-o", "out.iot", "-"],
    "convert packed": ["convert", "--report=out.json", "-o", "out.iot.zst", "-"],
    "convert spill": ["convert", "--memory=64K", "-o", "out.iot", "-"],
    "convert unsorted": ["convert", "--unsorted", "-o", "out.iot.gz", "-"],
    "convert each": ["convert", "-O", "out", "-"],
}
PACKETS = {
    "convert packets": ["convert", "-o", "out.iot", "-"],
    "reorder packets": ["reorder", "-o", "out.iot", "-"],
}
LOOKING = {
    "stat": ["stat", "-"],
    "info": ["info", "-"],
    "check": ["check", "-"],
    "cat csv to pipe": ["cat", "--format=csv", "--columns=raw", "-"],
}
SLOW = ["--level=19", "-o", "out.iot.zst"]
FILES = {  # with an output that takes a while
    "convert": ["convert", *SLOW, "@large.log"],
    "convert spill": ["convert", "--memory=1M", *SLOW, "@large.log"],
    "convert each": ["convert", "--level=19", "-O", "out", "@large.log"],
    "cat": ["cat", *SLOW, "@large"],
    "reorder": ["reorder", "--memory=64K", *SLOW, "@large"],
    "merge": ["merge", "-q", *SLOW, "@large", "@large"],
    "slice": ["slice", "--from=10%", *SLOW, "@large"],
    "anonymize": ["anonymize", "--key=@key", "--map=out.tsv", *SLOW, "@large"],
    "repair": ["check", "--repair", *SLOW, "@large"],
}
PIPED = {  # into a pipe that nobody empties
    "convert": ["convert", "-q", "@large.log"],
    "convert unsorted": ["convert", "-q", "--unsorted", "@large.log"],
    "cat": ["cat", "@large"],
    "cat csv": ["cat", "--format=csv", "--columns=raw", "@large"],
    "reorder": ["reorder", "@large"],
    "merge": ["merge", "-q", "@large", "@large"],
    "slice": ["slice", "@large"],
    "anonymize": ["anonymize", "--key=@key", "@large"],
    "repair": ["check", "--repair", "@large"],
}
ALONE = {  # four at once
    "cat": ["cat", "-o", "out.iot", "@trace"],
    "slice": ["slice", "--records=1-100", "-o", "out.iot", "@trace"],
    "reorder": ["reorder", "-o", "out.iot", "@trace"],
    "merge": ["merge", "-q", "-o", "out.iot", "@trace"],
    "anonymize": ["anonymize", "--key=@key", "-o", "out.iot", "@trace"],
    "repair": ["check", "-q", "--repair", "-o", "out.iot", "@trace"],
    "convert": ["convert", "-q", "-o", "out.iot", "@log"],
}


def outcome(child, signalled):
    """Returns the exit status of a child that `signalled` waits for and signals, and whether it hangs."""
    try:
        signalled()
        return child.wait(timeout=LONG), None
    except (TimeoutError, subprocess.TimeoutExpired) as hang:
        child.kill()
        child.wait()
        return None, "hangs: %s" % hang


class Lab:
    def __init__(self, iotrace, folder):
        self.iotrace, self.folder = iotrace, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def words(self, words):
        return [self.iotrace] + [w.replace("@", self.folder + "/") for w in words]

    def is_whole(self, path):
        if os.path.isdir(path):
            return all(self.is_whole(os.path.join(path, name)) for name in os.listdir(path))
        if ".iot" not in path:
            return True
        return subprocess.run([self.iotrace, "check", "-q", path], stdout=subprocess.DEVNULL,
                              check=False).returncode == 0

    def start(self, words, work):
        return subprocess.Popen(self.words(words), cwd=work, env=dict(os.environ, TMPDIR=work),
                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, restore_signals=True)

    @staticmethod
    def await_said(child):
        """Two pending signals of one kind are delivered once."""
        for line in child.stderr:
            if b"waits for the end of the input" in line:
                return
        raise TimeoutError("nothing is said of the first signal")

    def looking(self, words, data, number):
        """Commands that write no trace end at once, but a command that copies a pipe reads all of it."""
        with tempfile.TemporaryDirectory() as work:
            child = self.start(words, work)
            child.stdin.write(data)
            child.stdin.flush()

            def when_read():
                await_read(child.stdin, child)
                child.send_signal(number)
                if words[0] == "cat" and number == signal.SIGINT:
                    self.await_said(child)
                    child.send_signal(number)
            status, fault = outcome(child, when_read)
            left = os.listdir(work)
        return fault or ("ends" if status == -number and not left
                         else "status %d, leaves %s" % (status, left))

    def output_of(self, work, left):
        """Returns the trace that a command has written, and the other files in its directory."""
        if "out" in left and os.path.isdir(os.path.join(work, "out")):
            inside = os.listdir(os.path.join(work, "out"))
            return os.path.join(work, "out", inside[0]) if inside else None, inside[1:]
        traces = [name for name in left if name.startswith("out.iot")]
        return (os.path.join(work, traces[0]) if traces else None,
                [name for name in left if not name.startswith("out.")])

    def what_is_wrong(self, path, records, state):
        info = json.loads(subprocess.run([self.iotrace, "info", "--json", path], check=False,
                                         stdout=subprocess.PIPE).stdout)
        if (info["state"], info["records"]) != (state, records):
            return "%s, %d records, not %d" % (info["state"], info["records"], records)
        text = subprocess.run([self.iotrace, "cat", path], check=False,
                              stdout=subprocess.PIPE).stdout.splitlines()
        lost = re.fullmatch(rb"ff %lost time=([0-9a-f]+) why=interrupted", text[-2])
        if not text[-1].startswith(b"ff %end") or bool(lost) != state.startswith("incomplete"):
            return "ends with %s" % text[-2:]
        if lost:
            rows = subprocess.run([self.iotrace, "cat", "--format=csv", "--columns=raw", path], check=False,
                                  stdout=subprocess.PIPE).stdout.splitlines()
            last = max(int(row.split(b",")[1]) for row in rows[1:])
            if int(lost[1], 16) < last:
                return "%%lost at %d, last record at %d" % (int(lost[1], 16), last)
        return None if self.is_whole(path) else "does not check"

    def interrupted(self, words, part, rest, numbers):
        """Sends signals after a part of the input; rest is the input that follows them, or None."""
        with tempfile.TemporaryDirectory() as work:
            child = self.start(words, work)
            child.stdin.write(part[0])
            child.stdin.flush()

            def signalled():
                await_read(child.stdin, child)
                for i, number in enumerate(numbers):
                    child.send_signal(number)
                    if number == signal.SIGINT and i == 0:
                        self.await_said(child)
                if rest is not None:
                    child.stdin.write(rest[0])
                    child.stdin.close()
            status, fault = outcome(child, signalled)
            if fault:
                return fault
            path, other = self.output_of(work, os.listdir(work))
            if rest is None and status != -numbers[-1] or rest is not None and status != 0:
                return "status %d" % status
            if path is None or other:
                return "leaves %s" % os.listdir(work)
            records = (part if rest is None else rest)[1]
            return self.what_is_wrong(path, records, "complete" if rest is not None
                                      else "incomplete: interrupted") or "ends"

    def at_any_time(self, words, data, numbers, delay):
        """Sends signals at any time: the output is complete or absent, and no temporary file remains."""
        with tempfile.TemporaryDirectory() as work:
            child = self.start(words, work)

            def signalled():
                if delay < 0:
                    self.feed(child, data)
                time.sleep(abs(delay))
                for number in numbers:
                    child.send_signal(number)
            status, fault = outcome(child, signalled)
            if fault:
                return fault
            path, other = self.output_of(work, os.listdir(work))
            if status not in (0, -numbers[-1], -numbers[0]):
                return "status %d" % status
            if other or path is None and status == 0:
                return "status %d, leaves %s" % (status, os.listdir(work))
            return "ends" if path is None or self.is_whole(path) else "partial"

    @staticmethod
    def feed(child, data):
        try:
            child.stdin.write(data)
            child.stdin.close()
        except BrokenPipeError:
            pass

    def without_writer(self, words, number):
        """Reads a FIFO without a writer: the report states that nothing was written."""
        with tempfile.TemporaryDirectory() as work:
            os.mkfifo(os.path.join(work, "fifo"))
            child = self.start([w if w != "-" else "fifo" for w in words], work)

            def when_waiting():
                await_input(child, number)
                child.send_signal(number)
            status, fault = outcome(child, when_waiting)
            left = set(os.listdir(work)) - {"fifo", "out"}
            wanted = {"out.json"} if "--report=out.json" in words else set()
            if left == wanted == {"out.json"}:
                with open(os.path.join(work, "out.json"), encoding="utf-8") as report:
                    if json.load(report)["kept"]:
                        return "the report says that a trace was kept"
        # a signal that comes before the input is opened ends the command without a report
        return fault or ("ends" if status == -number and left <= wanted
                         else "status %d, leaves %s" % (status, left))

    def while_writing(self, words, number):
        with tempfile.TemporaryDirectory() as work:
            def start():
                for name in os.listdir(work):
                    subprocess.run(["rm", "-r", os.path.join(work, name)], check=True)
                return subprocess.Popen(self.words(words), cwd=work, stderr=subprocess.DEVNULL,
                                        env=dict(os.environ, TMPDIR=work), restore_signals=True)
            status = signalled_while_writing(start, number)
            left = [name for name in os.listdir(work) if name != "out"]
            left += os.listdir(os.path.join(work, "out")) if "-O" in words else []
        return "ends" if status == -number and not left else "status %d, leaves %s" % (status, left)

    def reader_waits(self, words, number, again=False):
        """One signal is enough even if a write never returns; with `again`, the first one only requests a stop."""
        end, start = os.pipe()
        size = fcntl.fcntl(start, fcntl.F_SETPIPE_SZ, 4096)
        child = subprocess.Popen(self.words(words), stdout=start, restore_signals=True)
        os.close(start)

        def when_full():
            await_full(end, size)
            child.send_signal(number)
            until = time.monotonic() + LONG
            while again and child.poll() is None and time.monotonic() < until:
                time.sleep(0.05)
                child.send_signal(number)
        status, fault = outcome(child, when_full)
        os.close(end)
        return fault or ("ends" if status == -number else "status %d" % status)

    def reader_gone(self, words, name):
        """Writes to a pipe without a reader: no message; ends by signal or with status 1."""
        words = [w for w in words[:-1] if w != "-o" and "out" not in w] + ["@" + name]
        words = [w for w in words if w != "-O"]
        end, start = os.pipe()
        os.close(end)
        done = subprocess.run(self.words(words), stdout=start, stderr=subprocess.PIPE, check=False,
                              timeout=LONG)
        os.close(start)
        if done.returncode not in (2, -signal.SIGPIPE) or b"ipe" in done.stderr:
            return "status %d: %s" % (done.returncode, done.stderr[:80])
        return "ends"

    def at_once(self, words):
        """Returns the statuses of four runs and the files that remain."""
        with tempfile.TemporaryDirectory() as work:
            runs = [subprocess.Popen(self.words(words), cwd=work, stderr=subprocess.DEVNULL)
                    for _ in range(4)]
            statuses = sorted(run.wait() for run in runs)
            left = sorted(os.listdir(work))
            whole = all(self.is_whole(os.path.join(work, name)) for name in left)
        return statuses, left, whole

    def four(self, words):
        result = self.at_once(words)
        return "ends" if result == ([0] * 4, ["out.iot"], True) else str(result)

    def one_new_key(self):
        words = ["anonymize", "--key=key", "--new-key", "-o", "out.iot", "@trace"]
        result = self.at_once(words)
        return "ends" if result == ([0, 2, 2, 2], ["key", "out.iot"], True) else str(result)


def make_inputs(lab, log, large):
    subprocess.run(["cp", large, lab.path("large.log")], check=True)
    subprocess.run([lab.iotrace, "convert", "-q", "-o", lab.path("large"), large], check=True)
    trace = lab.path("trace")
    subprocess.run([lab.iotrace, "convert", "-q", "--sync=100", "-o", trace, log], check=True)
    with open(lab.path("packets"), "wb") as packets:
        make = os.path.join(os.path.dirname(lab.iotrace), "packet_make")
        subprocess.run([make, "--records=5000", "--processes=2"], stdout=packets, check=True)
    with subprocess.Popen(["gzip", "-dc", log], stdout=subprocess.PIPE) as unpacked:
        data = unpacked.stdout.read()
    with open(lab.path("log"), "wb") as f:
        f.write(data)
    with open(lab.path("key"), "w", encoding="ascii") as key:
        key.write("a key of enough bytes\n")
    os.chmod(lab.path("key"), 0o600)
    with open(trace, "rb") as f:
        return f.read(), data


def records_of(lab, words, data):
    done = subprocess.run(lab.words(words), input=data, stdout=subprocess.PIPE, check=True)
    info = subprocess.run([lab.iotrace, "info", "--json", "-"], input=done.stdout,
                          stdout=subprocess.PIPE, check=True)
    return json.loads(info.stdout)["records"]


def split_trace(trace):
    """Cuts after a %sync, because records before it are verified, and in the following line."""
    lines = trace.splitlines(keepends=True)
    at = [i for i, line in enumerate(lines) if line.startswith(b"ff %sync")][3]
    head = b"".join(lines[:at + 1])
    is_record = [not line.startswith(b"ff") for line in lines]
    cut = len(head) + 5
    return (trace[:cut], sum(is_record[:at])), (trace[cut:], sum(is_record))


def split_log(lab, log):
    cut = log.index(b"\n", 20000) + 1
    whole = ["convert", "-q", "-"]
    return ((log[:cut + 30], records_of(lab, whole, log[:cut])),
            (log[cut + 30:], records_of(lab, whole, log)))


def split_packets(lab):
    """Records of packets that have arrived are not counted: the packets do not determine them alone."""
    with open(lab.path("packets"), "rb") as f:
        data = f.read()
    whole = ["convert", "-q", "-"]
    return (data, records_of(lab, whole, data)), (b"", records_of(lab, whole, data))


def main():
    results = {}
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:  # nohup and "&" have them ignored
        signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(os.path.abspath(sys.argv[1]), folder)
        trace, log = make_inputs(lab, *map(os.path.abspath, sys.argv[2:4]))
        inputs = ((TRACE, *split_trace(trace), "trace"), (LOG, *split_log(lab, log), "log"),
                  (PACKETS, *split_packets(lab), "packets"))
        for commands, part, rest, whole in inputs:
            for name, words in commands.items():
                for numbers in ((signal.SIGINT, signal.SIGINT), (signal.SIGTERM,), (signal.SIGHUP,),
                                (signal.SIGINT, signal.SIGTERM), (signal.SIGHUP, signal.SIGHUP)):
                    key = "+".join(number.name for number in numbers)
                    results[name, key] = lab.interrupted(words, part, None, numbers)
                results[name, "SIGINT, end"] = lab.interrupted(words, part, rest, (signal.SIGINT,))
                for delay in (0, 0.002, 0.01, -0.0001, -0.002, -0.01):
                    results[name, "any time, %g" % delay] = lab.at_any_time(
                        words, part[0] + rest[0], (signal.SIGTERM, signal.SIGTERM), delay)
                results[name, "no writer"] = lab.without_writer(words, signal.SIGTERM)
                results[name, "SIGPIPE"] = lab.reader_gone(words, whole)
        for name, words in LOOKING.items():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                results[name, number.name] = lab.looking(words, trace[:20000], number)
        for name, words in FILES.items():
            for number in (signal.SIGINT, signal.SIGTERM):
                results[name, "writing, " + number.name] = lab.while_writing(words, number)
        for name, words in PIPED.items():
            results[name, "reader waits"] = lab.reader_waits(words, signal.SIGTERM)
        results["procstat", "reader waits"] = lab.reader_waits(
            ["procstat", "-q", "@packets"], signal.SIGTERM, again=True)
        results["repair", "SIGPIPE"] = lab.reader_gone(["check", "--repair", "-"], "trace")
        for name, words in ALONE.items():
            results[name, "four at once"] = lab.four(words)
        results["anonymize", "one new key"] = lab.one_new_key()
    failed = {key: value for key, value in results.items() if value != "ends"}
    for (name, what), value in failed.items():
        print("not ok: %s, %s: %s" % (name, what, value))
    print("%d passed, %d failed" % (len(results) - len(failed), len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
