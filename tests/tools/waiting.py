#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Waits for actions of processes, independently of the speed of the machine.

    waiting.py FIFO     until all that was written to FIFO has been read
"""
import array
import fcntl
import os
import sys
import termios
import time

LONG = 300  # seconds, which only what hangs needs
TRIES = 50
STILL = 15  # looks at a process that does nothing


def await_read(pipe, process=None):
    """Waits until the pipe (either end of it) is empty, or the process that should read it has ended."""
    left, until = array.array("i", [1]), time.monotonic() + LONG
    while left[0] > 0 and time.monotonic() < until:
        if process is not None and process.poll() is not None:
            return
        fcntl.ioctl(pipe, termios.FIONREAD, left)
        time.sleep(0.01)
    if left[0] > 0:
        raise TimeoutError("%d bytes stay in the pipe" % left[0])


def await_full(pipe, size):
    """Waits until this number of bytes is in the pipe."""
    have, until = array.array("i", [0]), time.monotonic() + LONG
    while have[0] < size and time.monotonic() < until:
        fcntl.ioctl(pipe, termios.FIONREAD, have)
        time.sleep(0.01)
    if have[0] < size:
        raise TimeoutError("only %d bytes come" % have[0])


def catches(pid, number):
    """Returns whether the process has a handler for the signal."""
    try:
        with open("/proc/%d/status" % pid, encoding="ascii") as status:
            fields = dict(line.split(":", 1) for line in status)
    except OSError:
        return False
    return "SigCgt" in fields and int(fields["SigCgt"], 16) >> (number - 1) & 1 == 1


def sleeping(pid):
    """Returns the progress of a sleeping process, or None if it does not sleep."""
    try:
        with open("/proc/%d/status" % pid, encoding="ascii") as status:
            fields = dict(line.split(":", 1) for line in status)
        with open("/proc/%d/stat" % pid, encoding="ascii") as stat:
            cpu = stat.read().rsplit(")", 1)[1].split()[11:13]
    except OSError:
        return None
    return (cpu, fields["voluntary_ctxt_switches"]) if fields["State"].split()[0] == "S" else None


def await_input(process, number):
    """Waits until the process has a handler for the signal, or waits for input without one."""
    until, before, looks = time.monotonic() + LONG, None, 0
    while time.monotonic() < until and process.poll() is None:
        if catches(process.pid, number):
            return
        now = sleeping(process.pid)
        looks = looks + 1 if now is not None and now == before else 0
        if looks == STILL:
            return
        before = now
        time.sleep(0.02)
    if process.poll() is None:
        raise TimeoutError("the process neither catches signals nor waits")


def is_writing(pid):
    """Returns whether the process has an incomplete output: an open file without a name."""
    fds = "/proc/%d/fd" % pid
    try:
        return any("(deleted)" in os.readlink(os.path.join(fds, fd)) for fd in os.listdir(fds))
    except OSError:
        return False


def signalled_while_writing(start, number):
    """Returns the exit status of a process that `start` starts and that gets a signal while it writes.

    One that has finished between the look at it and the signal is started again.
    """
    for _ in range(TRIES):
        process = start()
        while not is_writing(process.pid) and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(number)
        status = process.wait(LONG)
        if status != 0:
            break
    return status


if __name__ == "__main__":
    with open(sys.argv[1], "r+b", buffering=0) as fifo:
        await_read(fifo)
