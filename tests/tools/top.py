#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests iotrace top: its totals, tables of a trace that grows, and its terminal.

    top.py IOTRACE totals TRACE...      the results of a trace that has ended are those of stat
    top.py IOTRACE intervals TRACE      reads lines of JSON: the growth of all intervals is that of the trace
    top.py IOTRACE operations TRACE     the same of lines of --by=op
    top.py IOTRACE terminal TRACE       on a pseudo-terminal, TRACE being a short trace; exit status 77: there are none
"""
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios

BEGIN, END, HOME = "\x1b[?25l\x1b[H\x1b[2J", "\x1b[?25h", "\x1b[H"
OPERATION_GROWTH = ("calls", "failed", "timed", "operation_ns")
GROWTH = ("opens", "reads", "writes", "read_bytes", "written_bytes", "io_ns")


def output(words):
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)


def check_totals(iotrace, traces):
    for trace in traces:
        for by in ("file", "process", "object", "rank", "host", "dir"):
            for more in ([], ["--sort=time"], ["--physical"]):
                stat = output([iotrace, "stat", "--json", "--by", by, *more, trace])
                top = output([iotrace, "top", "--once", "--json", "--by", by, *more, trace])
                for row in top["rows"]:
                    grown = row.pop("interval")
                    assert all(row[k] is None or grown[k] == row[k] for k in GROWTH), (trace, by, row)
                assert top["ended"], trace
                assert top["total"] == stat["total"], (trace, by, top["total"], stat["total"])
                assert top["rows"] == stat["rows"], (trace, by, top["rows"], stat["rows"])
                assert top["span_ns"] == stat["span_ns"], (trace, by)
        stat = output([iotrace, "stat", "--json", "--by=op", trace])
        top = output([iotrace, "top", "--once", "--json", "--by=op", trace])
        for row in top["operation_list"]:
            assert all(row[k] == v for k, v in row.pop("interval").items()), (trace, row)
        assert top["operation_list"] == stat["operation_list"] and top["by"] == "op", (trace, top["operation_list"])


def check_intervals(iotrace, trace):
    lines = [json.loads(line) for line in sys.stdin]
    stat = output([iotrace, "stat", "--json", trace])
    last = lines[-1]
    assert last["ended"] and not any(line["ended"] for line in lines[:-1])
    assert last["total"] == stat["total"], (last["total"], stat["total"])
    names = lambda rows: sorted((row.get("name", ""), row["reads"], row["writes"], row["written_bytes"]) for row in rows)
    assert names(last["rows"]) == names(stat["rows"])
    for key in GROWTH:
        if key != "opens":  # of a trace in which no open is reported yet, they are the files
            assert sum(line["interval"][key] for line in lines) == stat["total"][key], key
    for before, after in zip(lines, lines[1:]):
        assert before["total"]["writes"] <= after["total"]["writes"]


def check_operations(iotrace, trace):
    lines = [json.loads(line) for line in sys.stdin]
    stat = output([iotrace, "stat", "--json", "--by=op", trace])
    by_name = lambda rows: {row["name"]: row for row in rows}
    grown = {}
    for line in lines:
        for row in line["operation_list"]:
            of_name = grown.setdefault(row["name"], dict.fromkeys(OPERATION_GROWTH, 0))
            for key in OPERATION_GROWTH:
                of_name[key] += row["interval"][key] or 0
        keys = [(row["interval"]["operation_ns"] or 0, row["interval"]["calls"]) for row in line["operation_list"]]
        assert keys == sorted(keys, reverse=True), keys
    expected = {name: {k: row[k] or 0 for k in OPERATION_GROWTH} for name, row in by_name(stat["operation_list"]).items()}
    assert lines[-1]["ended"] and "open" in expected and "write" in expected
    assert grown == expected, (grown, expected)


class Terminal:
    """A command on a pseudo-terminal, and the trace that it watches, which this program writes."""

    def __init__(self, iotrace, text, lines, columns, options=(), term="xterm"):
        self.leader, follower = pty.openpty()
        self.resize(lines, columns)
        self.before = termios.tcgetattr(self.leader)
        self.trace = open("grows.iot", "wb", buffering=0)
        self.trace.write(text)
        self.text = ""

        def control():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.child = subprocess.Popen([iotrace, "top", "--interval=100ms", *options, "grows.iot"], stdin=follower, stdout=follower,
                                      stderr=follower, preexec_fn=control, env={**os.environ, "TERM": term})
        os.close(follower)

    def resize(self, lines, columns):
        fcntl.ioctl(self.leader, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self):
        """Reads until the next table is complete. Returns False at the end."""
        if not select.select([self.leader], [], [], 60)[0]:
            raise TimeoutError(self.text[-300:])
        with contextlib.suppress(OSError):
            piece = os.read(self.leader, 65536)
            self.text += piece.decode()
            return bool(piece)
        return False

    def wait_for(self, text, count=1):
        while self.text.count(text) < count:
            assert self.read(), (text, self.text[-300:])

    def tables(self):
        return [t.removesuffix(END) for t in self.text.split(BEGIN, 1)[-1].split(HOME)[1:] if t.endswith("\x1b[J") or END in t]

    def end(self):
        with contextlib.suppress(AssertionError):
            while self.read():
                pass
        status = self.child.wait()
        restored = termios.tcgetattr(self.leader) == self.before
        os.close(self.leader)
        self.trace.close()
        return status, restored


def check_terminal(iotrace, trace):
    try:
        os.close(pty.openpty()[0])
    except OSError:
        return 77
    text = open(trace, "rb").read()
    half = text.index(b"\n", len(text) // 2) + 1

    t = Terminal(iotrace, text[:half], 10, 60)
    t.wait_for("\x1b[J", 2)
    t.trace.write(text[half:])
    t.trace.close()
    status, restored = t.end()
    assert status == 0 and restored, (status, restored, t.text[-300:])
    assert t.text.startswith(BEGIN) and t.text.endswith(END), t.text[-100:]
    assert "ended" in t.tables()[-1] and "ended" not in t.tables()[0]
    for table in t.tables():
        lines = table.replace("\x1b[J", "").replace("\x1b[K", "").split("\r\n")
        assert lines.pop() == "" and len(lines) < 10, table
        assert not re.search("[\x00-\x1f]", "".join(lines)), table
        assert all(len(line) < 60 for line in lines[2:]), table

    t = Terminal(iotrace, text[:half], 24, 80)
    t.wait_for("\x1b[J")
    os.write(t.leader, b">")
    t.resize(6, 80)
    t.wait_for("\x1b[J", 4)
    os.write(t.leader, b"q")
    assert t.end() == (0, True), t.text[-300:]
    assert t.text.endswith(END) and len(t.tables()[-1].split("\r\n")) <= 6

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        t = Terminal(iotrace, text[:half], 24, 80)
        t.wait_for("\x1b[J")
        t.child.send_signal(number)
        assert t.end() == (-number, True), (number, t.text[-300:])
        assert t.text.endswith(END), t.text[-50:]

    t = Terminal(iotrace, text, 24, 80, term="dumb")
    t.trace.close()
    assert t.end() == (0, True) and "\x1b" not in t.text, t.text[-300:]
    return 0


def main():
    iotrace, what, *traces = sys.argv[1:]
    if what == "terminal":
        sys.exit(check_terminal(iotrace, traces[0]))
    if what == "totals":
        check_totals(iotrace, traces)
    else:
        {"intervals": check_intervals, "operations": check_operations}[what](iotrace, traces[0])


if __name__ == "__main__":
    main()
