#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Waiting for what a process does, however slow the machine is.

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


def await_read(pipe, process=None):
    """Until the pipe (either end of it) is empty, or the process that should read it has ended."""
    left, until = array.array("i", [1]), time.monotonic() + LONG
    while left[0] > 0 and time.monotonic() < until:
        if process is not None and process.poll() is not None:
            return
        fcntl.ioctl(pipe, termios.FIONREAD, left)
        time.sleep(0.01)
    if left[0] > 0:
        raise TimeoutError("%d bytes stay in the pipe" % left[0])


def await_full(pipe, size):
    """Until so many bytes are in the pipe."""
    have, until = array.array("i", [0]), time.monotonic() + LONG
    while have[0] < size and time.monotonic() < until:
        fcntl.ioctl(pipe, termios.FIONREAD, have)
        time.sleep(0.01)
    if have[0] < size:
        raise TimeoutError("only %d bytes come" % have[0])


def is_writing(pid):
    """An output that is not complete yet is an open file without a name."""
    fds = "/proc/%d/fd" % pid
    try:
        return any("(deleted)" in os.readlink(os.path.join(fds, fd)) for fd in os.listdir(fds))
    except OSError:
        return False


def signalled_while_writing(start, number):
    """The exit status of a process that `start` starts, and that gets a signal while it writes.

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
