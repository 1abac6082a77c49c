#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests the progress line on a pseudo-terminal: when it appears, its text, and that it is erased.

    progress.py IOTRACE

The current folder has log, log.gz, trace.iot and small.iot. Exit status 77: there are no pseudo-terminals.
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time

FILE = (r" *[0-9]+ %  [0-9.]+ [KM]?i?B of [0-9.]+ [KM]iB  [0-9.]+ [KMG]?i?B/s  ETA [0-9]+:[0-9]{2}"
        r"(:[0-9]{2})?  [0-9]+ records")
PIPE = r"[0-9.]+ [KM]iB  [0-9.]+ [KMG]iB/s  [0-9]+ records"
WRITING = r" *[0-9]+ %  writing  [0-9]+ records"
SLOW = ["--level=19", "-o", "out.iot.zst"]
LINES_A_SECOND = 10


def run(words, width, out=None, stdin=None):
    """Returns the output to a terminal as standard error, the exit status, and the seconds."""
    leader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    begin = time.monotonic()
    child = subprocess.Popen(words, stdin=stdin or subprocess.DEVNULL, stderr=terminal,
                             stdout=terminal if out is None else out)
    os.close(terminal)
    text = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            piece = b""
        if not piece:
            break
        text += piece
    os.close(leader)
    return text.decode(), child.wait(), time.monotonic() - begin


def wrong(got, pattern, width):
    """Returns the defect of lines that must all match the pattern or that of writing; None if there is none."""
    text, status, seconds = got
    lines = [line for line in text.replace("\x1b[K", "").split("\r") if line.strip()]
    if status != 0:
        return "status %d: %s" % (status, text[-200:])
    if not lines:
        return "nothing shown in %.2f s" % seconds
    if not text.endswith("\r\x1b[K"):
        return "ends with %r" % text[-40:]
    if len(lines) > LINES_A_SECOND * seconds + 1:
        return "%d lines in %.2f s" % (len(lines), seconds)
    for line in lines:
        if len(line) >= width:
            return "wider than %d: %r" % (width, line)
        if not re.fullmatch(pattern, line) and not re.fullmatch(WRITING, line):
            return "unexpected: %r" % line
    if not any(re.fullmatch(pattern, line) for line in lines):
        return "no line of reading: %r" % lines
    return None


def slow_writer(path):
    """Opens a pipe that takes at least a second to read."""
    return subprocess.Popen(["sh", "-c", "for i in 1 2 3 4 5 6; do cat %s; sleep 0.2; done" % path],
                            stdout=subprocess.PIPE)


def slow_reader():
    """Opens a pipe into which nothing is written for at least a second."""
    program = "import os, time\nwhile os.read(0, 65536): time.sleep(0.04)"
    return subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE)


def main():
    iotrace = os.path.abspath(sys.argv[1])
    try:
        os.close(pty.openpty()[0])
    except OSError:
        print("no pseudo-terminals")
        return 77
    faults = []

    def expect(name, got):
        if got is not None:
            faults.append("%s: %s" % (name, got))

    def expect_on(name, words, width, pattern):
        with slow_reader() as reader:
            got = run([iotrace, *words], width, out=reader.stdin)
            expect(name, wrong(got, pattern, width or 80))

    convert = [iotrace, "convert", *SLOW]
    unsorted = ["convert", "--unsorted"]
    expect_on("convert", unsorted + ["log"], 100, FILE)
    expect_on("convert gzip", unsorted + ["log.gz"], 100, FILE)
    expect_on("narrow", unsorted + ["log"], 30, r"[0-9A-Za-z.:/% ]+")
    expect_on("no width", unsorted + ["log"], 0, FILE)
    expect_on("cat", ["cat", "trace.iot"], 100, FILE)
    expect_on("merge", ["merge", "trace.iot"], 100, FILE)
    expect_on("sorted", ["convert", "log"], 100, "(%s)|(%s)" % (FILE, WRITING))
    with slow_writer("log") as writer:
        expect("pipe", wrong(run(convert + ["-"], 100, stdin=writer.stdout), PIPE, 100))
    for name, words, out in (
            ("-q", convert + ["-q", "log"], None),
            ("never", convert + ["--progress=never", "log"], None),
            ("data to the terminal", [iotrace, "cat", "-f", "csv", "small.iot"], None)):
        text, status, _ = run(words, 100, out)
        shown = "\x1b[K" in text
        expect(name, "status %d, shown: %s" % (status, shown) if status or shown else None)
    with open("err", "wb") as err:
        subprocess.run(convert + ["log"], stderr=err, check=True)
    expect("no terminal", "shown" if os.path.getsize("err") > 0 else None)
    for fault in faults:
        print(fault)
    print("%d faults on terminals" % len(faults))
    return 0


if __name__ == "__main__":
    sys.exit(main())
