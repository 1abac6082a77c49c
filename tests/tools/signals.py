#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Commands that a signal ends in the middle of their input, and four runs with one output.

    signals.py IOTRACE LOG LARGE_LOG

LOG is one of strace, of which a trace is made. Each command reads a pipe that stays open behind what
it was given, and gets its signal when it has read all of that. A command is ended by the signal, or
finishes what has come so far (commands that read pipes may); nothing partial has the name of an output,
and no temporary files stay. What reads files gets it while it writes, and is ended by it, and so is what writes to a pipe that nobody empties. Of four runs at
once each one succeeds, and one whole output is left; a file that must be new is made by one of them.
"""
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from waiting import LONG, await_full, await_read, signalled_while_writing  # noqa: E402

# @NAME is a file beside the work folder, "-" the pipe. What the outputs are called does not matter.
TRACE = {
    "cat": ["cat", "-o", "out.iot", "-"],
    "cat csv": ["cat", "--format=csv", "-o", "out.csv", "-"],
    "slice": ["slice", "--all-of-it", "-o", "out.iot", "-"],
    "reorder": ["reorder", "--memory=64K", "-o", "out.iot", "-"],
    "merge": ["merge", "-q", "-o", "out.iot", "-"],
    "merge sort": ["merge", "-q", "--reorder", "--memory=64K", "-o", "out.iot", "-"],
    "anonymize": ["anonymize", "--key=@key", "-o", "out.iot", "-"],
    "anonymize map": ["anonymize", "--key=@key", "--map=out.tsv", "-o", "out.iot.zst", "-"],
    "stat": ["stat", "-"],
    "info": ["info", "-"],
    "check": ["check", "-"],
}
LOG = {
    "convert": ["convert", "-o", "out.iot", "-"],
    "convert packed": ["convert", "--report=out.json", "-o", "out.iot.zst", "-"],
    "convert spill": ["convert", "--memory=64K", "-o", "out.iot", "-"],
    "convert unsorted": ["convert", "--unsorted", "-o", "out.iot.gz", "-"],
    "convert each": ["convert", "-O", "out", "-"],
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
    "cat csv": ["cat", "--format=csv", "@large"],
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
    """The exit status of a child that `signalled` waits for and signals, and what hangs."""
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

    def interrupted(self, words, data, number):
        with tempfile.TemporaryDirectory() as work:
            child = subprocess.Popen(self.words(words), cwd=work, env=dict(os.environ, TMPDIR=work),
                                     stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, restore_signals=True)
            child.stdin.write(data)
            child.stdin.flush()

            def when_read():
                await_read(child.stdin, child)
                child.send_signal(number)
            status, fault = outcome(child, when_read)
            if fault:
                return fault
            left = os.listdir(work)
            wanted = {os.path.basename(w.split("=")[-1]) for w in words if "out" in w}
            if status == -number:
                return "leaves %s" % left if left and left != ["out"] else "ends"
            if status not in (0, 1):
                return "status %d" % status
            if not set(left) <= wanted:
                return "leaves %s" % left
            partial = [name for name in left if not self.is_whole(os.path.join(work, name))]
            return "partial %s" % partial if partial else "ends"

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
        """One signal is enough, though a write never returns; again: the first only asks to stop."""
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
        """Standard output is a pipe that nobody reads: quiet, and by signal or status 1."""
        words = [w for w in words[:-1] if w != "-o" and "out" not in w] + ["@" + name]
        words = [w for w in words if w != "-O"]
        end, start = os.pipe()
        os.close(end)
        done = subprocess.run(self.words(words), stdout=start, stderr=subprocess.PIPE, check=False,
                              timeout=LONG)
        os.close(start)
        if done.returncode not in (1, -signal.SIGPIPE) or b"ipe" in done.stderr:
            return "status %d: %s" % (done.returncode, done.stderr[:80])
        return "ends"

    def at_once(self, words):
        """The statuses of four runs, and what they leave."""
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
        return "ends" if result == ([0, 1, 1, 1], ["key", "out.iot"], True) else str(result)


def make_inputs(lab, log, large):
    subprocess.run(["cp", large, lab.path("large.log")], check=True)
    subprocess.run([lab.iotrace, "convert", "-q", "-o", lab.path("large"), large], check=True)
    trace = lab.path("trace")
    subprocess.run([lab.iotrace, "convert", "-q", "-o", trace, log], check=True)
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
        return f.read()[:20000], data[:20000]


def main():
    results = {}
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:  # nohup and "&" have them ignored
        signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(os.path.abspath(sys.argv[1]), folder)
        trace, log = make_inputs(lab, *map(os.path.abspath, sys.argv[2:4]))
        for commands, data, whole in ((TRACE, trace, "trace"), (LOG, log, "log")):
            for name, words in commands.items():
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    results[name, number.name] = lab.interrupted(words, data, number)
                results[name, "SIGPIPE"] = lab.reader_gone(words, whole)
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
