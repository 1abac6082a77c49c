#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the table of exit statuses in iotrace(1): every command with every kind of failure.

	exit_statuses.py IOTRACE TESTDATA inputs|outputs|rows

0: done; 1: done, but the input is damaged or incomplete; 2: nothing was made. An output file exists after 0 and 1, and neither it
nor a temporary file exists after 2 or a signal; after 2, standard output is empty. Prints each fault.
Writes into the current directory.
"""
import ctypes
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
DAMAGED, FAILED = 1, 2
MEMORY = 12 << 20

# Arguments with IN, an input, and OUT, an output file if the command makes one.
COMMANDS = {
    "analyze": "analyze IN",
    "analyze tsv": "analyze --tsv IN",
    "analyze by": "analyze --by=file IN",
    "analyze every": "analyze --every=1s IN",
    "analyze state": "analyze --no-fsync -s OUT IN",
    "analyze html": "analyze --no-fsync --html=OUT IN",
    "analyze plots": "analyze --no-fsync --section=sizes --plots=OUT IN",
    "analyze against": "analyze --against=IN t.iot",
    "stat": "stat IN",
    "stat several": "stat IN t.iot",
    "simulate": "simulate -c 64K IN",
    "simulate file": "simulate -c 64K -o OUT IN",
    "simulate svg": "simulate -c 64K,1M --svg=OUT IN",
    "simulate dump": "simulate --dump-references IN",
    "simulate time": "simulate --time -c 64K -o OUT IN",
    "simulate percent": "simulate -c 10% IN",
    "mrc": "mrc IN",
    "mrc file": "mrc -o OUT IN",
    "mrc shards": "mrc --method=shards IN",
    "cat": "cat --no-fsync -o OUT IN",
    "cat csv": "cat --no-fsync -f csv -o OUT IN",
    "merge": "merge --no-fsync -o OUT IN",
    "merge several": "merge --no-fsync -o OUT IN t.iot",
    "reorder": "reorder --no-fsync -o OUT IN",
    "slice": "slice --no-fsync --records=1-600 -o OUT IN",
    "anonymize": "anonymize --no-fsync --key=key -o OUT IN",
    "anonymize dir": "anonymize --no-fsync --key=key -O OUT IN",
    "check": "check IN",
    "check several": "check IN t.iot",
    "check repair": "check --no-fsync --repair -o OUT IN",
    "info": "info IN",
    "info several": "info IN t.iot",
    "top": "top --once IN",
    "convert": "convert --no-fsync -o OUT IN",
    "convert dir": "convert --no-fsync -O OUT IN",
    "convert report": "convert --no-fsync --report=OUT -o /dev/null IN",
    "procstat": "procstat -o OUT IN",
}
LOGS = ("convert", "convert dir", "convert report")
CHECKS = ("check", "check several")  # a damaged input is the result
STREAMS = ("check several", "info several")  # the result of each input is printed at once


def writes(command):
    return "OUT" in COMMANDS[command]


def reads_trace(command):
    return command not in (*LOGS, "procstat")


# Inputs: the name of the file, or of the log for convert; commands with another status than the first one.
def inputs(command):
    """Yields the name of each kind of input, its file, and the status that the table demands."""
    log = command in LOGS
    yield "fine", "t.strace" if log else "t.iot.zst", 0
    yield "missing", "missing", FAILED
    yield "directory", "directory", DAMAGED if command in CHECKS else FAILED
    yield "no permission", "secret.strace" if log else "secret.iot", FAILED
    if log:
        yield "truncated gzip", "cut.strace.gz", DAMAGED
        yield "truncated header", "head.gz", FAILED
        yield "text", "text", FAILED
        yield "binary", "binary", FAILED
        yield "trace", "t.iot", FAILED
        return
    yield "truncated", "cut.iot", DAMAGED
    yield "truncated zstd", "cut.iot.zst", DAMAGED
    yield "truncated gzip", "cut.iot.gz", DAMAGED
    yield "flipped byte", "flipped.iot", DAMAGED
    yield "flipped byte in zstd", "flipped.iot.zst", DAMAGED
    yield "truncated header", "head.iot.zst", DAMAGED if command in CHECKS else FAILED
    yield "empty", "empty", DAMAGED if command in CHECKS else FAILED
    yield "text", "text", DAMAGED if command in CHECKS else FAILED
    yield "binary", "binary", DAMAGED if command in CHECKS else FAILED


def make_inputs(iotrace, testdata):
    def run(*words):
        subprocess.run([iotrace, *words], check=True, stderr=subprocess.DEVNULL)

    def copy(old, new, change):
        with open(old, "rb") as file:
            data = bytearray(file.read())
        with open(new, "wb") as file:
            file.write(change(data))

    def half(data):
        return data[:len(data) // 2]

    def flip(data):
        data[len(data) * 3 // 4] ^= 4
        return data

    log = f"{testdata}/strace/sqlite.strace.gz"
    for name in ("t.iot", "t.iot.gz", "t.iot.zst"):
        run("convert", "-q", "--sync=50", "-o", name, log)
        suffix = name[2:]
        copy(name, f"cut.{suffix}", half)
        copy(name, f"flipped.{suffix}", flip)
    with open("t.strace", "wb") as file:
        file.write(subprocess.run(["gzip", "-dc", log], check=True, stdout=subprocess.PIPE).stdout)
    copy("t.strace", "garbled.strace", lambda data: data.replace(b"read(", b"re(((") + b"?\n")
    subprocess.run([iotrace, "analyze", "-s", "t.state", "t.iot"], check=True)
    subprocess.run([iotrace, "analyze", "-s", "t1.state", "--part=1/2", "t.iot"], check=True)
    copy("t.state", "cut.state", half)
    copy("t.state", "flipped.state", flip)
    with open("unordered.iot", "w", encoding="ascii") as file:
        file.write("24 0 0 1000 9000 5 1 1 0\n24 0 0 1000 2000 5 1 1 0\n")
    copy(log, "cut.strace.gz", half)
    copy(log, "head.gz", lambda data: data[:10])
    copy("t.iot.zst", "head.iot.zst", lambda data: data[:10])
    copy("t.strace", "secret.strace", bytes)
    copy("t.iot", "secret.iot", bytes)
    os.chmod("secret.strace", 0)
    os.chmod("secret.iot", 0)
    os.mkdir("directory")
    os.mkdir("unwritable", 0o555)
    for name, data in (("empty", b""), ("text", b"Some words.\nAnd more.\n"), ("binary", bytes(range(256)) * 8), ("key", b"a key of enough bytes\n")):
        with open(name, "wb") as file:
            file.write(data)
    shutil.copy("text", "directory/text")
    os.chmod("key", 0o600)


class Rows:
    def __init__(self, iotrace):
        self.iotrace = iotrace
        self.permissions = permissions_are_obeyed()
        self.count = 0
        self.faults = []

    def fault(self, what):
        self.faults.append(what)

    def run(self, command, path, out="out/x", before=None, **streams):
        """Runs a command; before: called in the process that becomes the command."""
        shutil.rmtree("out", ignore_errors=True)
        os.mkdir("out")
        os.chmod("out", 0o777)
        words = [out if word == "OUT" else path if word == "IN" else word.replace("=OUT", f"={out}").replace("=IN", f"={path}") for word in COMMANDS[command].split()]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        return subprocess.run([self.iotrace, *words], preexec_fn=before, timeout=60, check=False, **streams)

    def check(self, row, done, expected, files=None):
        """files: whether there has to be an output file, or None."""
        self.count += 1
        found = [name for _, _, names in os.walk("out") for name in names]
        if done.returncode != expected:
            self.fault(f"{row}: status {done.returncode} instead of {expected}: {(done.stderr or b'').decode()}")
        elif files is not None and files != bool(found):
            self.fault(f"{row}: status {expected}, but {found or 'no file'} remains")
        elif expected == FAILED and done.stdout and not row.startswith(STREAMS):
            self.fault(f"{row}: status 2, but standard output has {done.stdout[:80]}")
        elif expected == DAMAGED and not done.stdout and not found:
            self.fault(f"{row}: status 1, but there is no output")
        elif expected not in (0, -signal.SIGTERM, -signal.SIGKILL) and not done.stderr and not row.startswith(CHECKS) and "silent" not in row:
            self.fault(f"{row}: no message")


def obey_permissions():
    """Root may open every file, unless it has given up these capabilities."""
    libc = ctypes.CDLL(None)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def permissions_are_obeyed():
    return subprocess.run(["cat", "secret.iot"], preexec_fn=obey_permissions, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0


def limited(which, value):
    return lambda: resource.setrlimit(which, (value, value))


def check_inputs(rows):
    for command in COMMANDS:
        for name, path, expected in inputs(command) if command != "procstat" else ():
            if name == "no permission" and not rows.permissions:
                continue
            done = rows.run(command, path, before=obey_permissions if name == "no permission" else None)
            made = None if not writes(command) or command == "convert report" else expected != FAILED
            rows.check(f"{command}, input: {name}", done, expected, made)


def fine_input(command):
    return "t.strace" if command in LOGS else "empty" if command == "procstat" else "t.iot.zst"


def check_outputs(rows):
    for command in COMMANDS:
        path = fine_input(command)
        if not writes(command):
            with open("/dev/full", "wb") as full:
                rows.check(f"{command}, full disk", rows.run(command, path, stdout=full), FAILED)
            rows.check(f"{command}, closed output", rows.run(command, path, stdout=None, before=lambda: os.close(1)), FAILED)
            reading, writing = os.pipe()
            os.close(reading)
            rows.check(f"{command}, silent closed pipe", rows.run(command, path, stdout=writing), FAILED)
            os.close(writing)
            continue
        rows.check(f"{command}, output in no directory", rows.run(command, path, out="out/missing/x"), FAILED, False)
        rows.check(f"{command}, output in a file", rows.run(command, path, out="text/x"), FAILED, False)
        if rows.permissions:
            rows.check(f"{command}, no permission for output", rows.run(command, path, out="unwritable/x", before=obey_permissions), FAILED, False)
        if command == "procstat":
            continue
        if "plots" not in command and "dir" not in command:
            rows.check(f"{command}, output is a directory", rows.run(command, path, out="unwritable"), FAILED, False)
            rows.check(f"{command}, full disk", rows.run(command, path, out="/dev/full"), FAILED, False)
        rows.check(f"{command}, output too large", rows.run(command, path, before=limited(resource.RLIMIT_FSIZE, 64)), FAILED, False)


def check_limits(rows):
    for command in COMMANDS:
        done = rows.run(command, fine_input(command), before=limited(resource.RLIMIT_AS, MEMORY))
        if b"iotrace: " in done.stderr and done.returncode != 0:
            made = None if not writes(command) or command == "convert report" else False
            rows.check(f"{command}, no memory", done, FAILED, made)


def check_usage(rows):
    for command in COMMANDS:
        for name, words in (("unknown option", ["--no-such-option"]), ("option without a value", ["-o" if writes(command) else "--in-base"])):
            done = subprocess.run([rows.iotrace, command.split()[0], *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            rows.check(f"{command}, {name}", done, FAILED)


# Rows of one command: arguments, standard input, and the status.
ROWS = [
    ("help", None, 0),
    ("version", None, 0),
    ("no-such-command", None, FAILED),
    ("help no-such-command", None, FAILED),
    ("analyze --part=0/8 t.iot", None, FAILED),
    ("analyze --part=9/8 t.iot", None, FAILED),
    ("analyze --part=1/8 -", "t.iot", 0),
    ("analyze --part=1/8 /dev/stdin", None, FAILED),
    ("analyze -s out/8 --part=8/8 t.iot", None, 0),
    ("analyze -s out/1 --part=1/4 cut.iot", None, 0),
    ("analyze -s out/4 --part=4/4 cut.iot", None, DAMAGED),
    ("analyze missing.state t.state", None, FAILED),
    ("analyze cut.state", None, FAILED),
    ("analyze flipped.state t.state", None, FAILED),
    ("analyze t1.state", None, DAMAGED),
    ("analyze t1.state t.state", None, FAILED),
    ("analyze -s out/x t1.state t.state", None, FAILED),
    ("analyze --html=t.iot.zst", "t.iot", FAILED),
    ("analyze -s t.iot.zst t.iot", None, FAILED),
    ("analyze --one-job t.iot missing", None, FAILED),
    ("analyze --one-job t.iot cut.iot", None, DAMAGED),
    ("analyze --against=missing t.iot", None, FAILED),
    ("analyze --against=cut.iot t.iot", None, DAMAGED),
    ("stat t.iot missing", None, FAILED),
    ("stat cut.iot t.iot", None, DAMAGED),
    ("stat -", "cut.iot.zst", DAMAGED),
    ("stat -", "/dev/null", FAILED),
    ("cat --recover cut.iot", None, DAMAGED),
    ("cat --allow-empty empty", None, 0),
    ("cat -o t.iot t.iot", None, FAILED),
    ("cat -o out/x.xz t.iot", None, FAILED),
    ("merge -o out/x t.iot missing", None, FAILED),
    ("merge -o out/x t.iot cut.iot", None, DAMAGED),
    ("merge -o out/x unordered.iot t.iot", None, FAILED),
    ("merge -o out/x --shift=0:x t.iot", None, FAILED),
    ("reorder --memory=1 -o out/x t.iot", None, FAILED),
    ("slice --from=90% -o out/x -", "t.iot", 0),
    ("slice --from=90% -o out/x /dev/stdin", None, FAILED),
    ("slice --from=2s --to=1s -o out/x t.iot", None, FAILED),
    ("anonymize --key=missing -o out/x t.iot", None, FAILED),
    ("anonymize --key=empty -o out/x t.iot", None, FAILED),
    ("anonymize --key=key --new-key -o out/x t.iot", None, FAILED),
    ("check --strict t.iot", None, 0),
    ("check t.iot cut.iot", None, DAMAGED),
    ("check t.iot missing", None, FAILED),
    ("check --repair -o out/x /dev/stdin", None, FAILED),
    ("check --repair -o out/x text", None, FAILED),
    ("info t.iot cut.iot", None, DAMAGED),
    ("info t.iot missing", None, FAILED),
    ("convert --from=darshan -o out/x t.strace", None, FAILED),
    ("convert --strict -o out/x garbled.strace", None, FAILED),
    ("convert -O out/x t.strace missing", None, FAILED),
    ("convert -O out/x t.strace directory/../t.strace", None, FAILED),
    ("simulate --memory=64K -c 1G t.iot", None, FAILED),
    ("simulate -c 10% -", "t.iot", 0),
    ("simulate -c 10% /dev/stdin", None, FAILED),
    ("mrc --memory=64K --policy=lfu t.iot", None, FAILED),
    ("procstat -o out/x missing", None, FAILED),
    ("procstat -o text empty", None, FAILED),
    ("top --once missing", None, FAILED),
    ("record -q -o out/x true", None, 0),
    ("record -q -o out/x false", None, 1),
    ("record -q -o out/x sh -c 'exit 3'", None, 3),
    ("record -q -o out/x sh -c 'kill -9 $$'", None, 137),
    ("record -q -o out/missing/x true", None, 125),
    ("record -q -o out true", None, 125),
    ("record --no-such-option true", None, 125),
    ("record -q -o out/x ./text", None, 126),
    ("record -q -o out/x no-such-program", None, 127),
]


def check_rows(rows):
    for row, path, expected in ROWS:
        shutil.rmtree("out", ignore_errors=True)
        os.mkdir("out")
        with open(path or "/dev/null", "rb") as given:
            # A pipe without data, if no file is given.
            stdin = {"stdin": given} if path else {"input": b""}
            done = subprocess.run([rows.iotrace, *shlex.split(row)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60, **stdin)
        several = row.startswith(("check t", "info t", "convert -O"))
        made = None if "out/" not in row or several else expected in (0, 1, 3, 137)
        silent = " silent" if row.startswith(("record", "cat --recover")) else ""
        rows.check(("check several, " if several else "") + row + silent, done, expected, made)


def check_signals(rows):
    """Commands that wait for more of a FIFO are ended; an output file does not remain."""
    for command in ("analyze state", "stat", "cat csv", "merge"):
        for number in (signal.SIGTERM, signal.SIGKILL):
            shutil.rmtree("out", ignore_errors=True)
            os.mkdir("out")
            words = COMMANDS[command].replace("OUT", "out/x").replace("IN", "-").split()
            with subprocess.Popen([rows.iotrace, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                with open("t.iot", "rb") as file:
                    process.stdin.write(file.read(5000))
                    process.stdin.flush()
                time.sleep(0.1)
                process.send_signal(number)
                time.sleep(0.1)
                out, err = process.communicate(timeout=60)
            made = None if not writes(command) or number == signal.SIGTERM else False
            rows.check(f"{command}, silent {number.name}", subprocess.CompletedProcess([], process.returncode, out, err), -number, made)


def main(iotrace, testdata, part):
    os.umask(0o022)
    make_inputs(iotrace, testdata)
    rows = Rows(os.path.abspath(iotrace))
    for check in {"inputs": [check_inputs], "outputs": [check_outputs], "rows": [check_limits, check_usage, check_rows, check_signals]}[part]:
        check(rows)
    print("enough rows" if rows.count >= 150 else f"only {rows.count} rows")
    for fault in rows.faults:
        print(fault.rstrip())
    return 1 if rows.faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
