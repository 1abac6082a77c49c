# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program with libiotrace-record.so and prints the records of its rings, without a collector.

    record_dump.py [-r BYTES] [-s VIEW] [-t] [-k] LIBRARY PROGRAM [ARG]...

-r: size of a ring. -s: view of streams: 0 transfers, 1 calls, 2 off. -t: times. -k: keeps the directory. The rings are large enough for small programs; records that
do not fit are dropped and counted. Rings are printed one after the other, in order of their creation.
"""
import getopt
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HEADER = os.path.join(os.path.dirname(__file__), "../../record/ring.h")
PAGE = 4096
SLOTS = 1 << 16
KINDS = ["", "transfer", "open", "operation", "thread", "start", "child", "exit"]
CHILDREN = ["fork", "vfork", "spawn"]


def table(name):
    """Returns the second column of a table of ring.h."""
    with open(HEADER) as file:
        text = file.read()
    body = re.search(r"#define %s\(X\)(.*?)[^\\]\n" % name, text, re.S).group(1) + ")"
    return re.findall(r'X\((\w+),\s*"([^"]*)"\)', body)


OPS = [name.lower() for name, _ in table("RECORD_OPS")]
COUNTERS = [text for _, text in table("RECORD_COUNTERS")]


def control(directory, ring_size, view):
    data = struct.pack("<QII8B", 0x314C52544E4F4352, 1, ring_size, 0, 0, view, 1, 0, 0, 0, 0)
    with open(os.path.join(directory, "recording"), "wb") as file:
        file.write(data)
        file.truncate(PAGE + SLOTS * 64)


def text(data, start, size):
    return data[start:start + max(size - 1, 0)].decode(errors="replace").replace("\0", " ")


def result(value):
    return os.strerror(-value) if value < 0 else str(value)


def transfer(code, head, d):
    offset, length, start, end, cpu = struct.unpack_from("<qQQQQ", d, 8)
    bits = "".join(f" {name}" for bit, name in ((2, "async"), (4, "stream"), (8, "ambiguous")) if code & bit)
    where = "?" if offset == -1 << 63 else offset
    return f"{'write' if code & 1 else 'read'} {head} {where} {length}{bits}", (start, end, cpu)


def opened(code, head, d):
    start, end, cpu, value, device, inode, birth, size, position, mode, flags, length, _ = struct.unpack_from(
        "<QQQqQQqqqIIII", d, 8)
    return (f"{OPS[code]} {head} {text(d, 96, length)} = {result(value)} mode {mode:o} flags {flags:o} "
            f"position {position}"), (start, end, cpu)


def operation(code, head, d):
    start, end, cpu, value, offset, size, flags, path, to, _ = struct.unpack_from("<QQQqqqIIII", d, 8)
    names = " ".join(filter(None, (text(d, 72, path), text(d, 72 + path, to))))
    return f"{OPS[code]} {head} {names} = {result(value)} offset {offset} length {size} flags {flags}", (start, end, cpu)


def start(code, head, d):
    time, cpu, pid, parent, rank, rchar, wchar, command, directory = struct.unpack_from("<QQIIqQQII", d, 8)
    return (f"start{' forked' if code else ''} rank {rank} {text(d, 64, command)} in "
            f"{text(d, 64 + command, directory)}"), (time, time, cpu)


def record(kind, code, head, d):
    if kind == 1:
        return transfer(code, head, d)
    if kind == 2:
        return opened(code, head, d)
    if kind == 3:
        return operation(code, head, d)
    if kind == 4:
        return "thread", struct.unpack_from("<Q", d, 8)
    if kind == 5:
        return start(code, head, d)
    if kind == 6:
        return f"{CHILDREN[code]} {text(d, 24, struct.unpack_from('<I', d, 20)[0])}", struct.unpack_from("<Q", d, 8)
    values = struct.unpack_from("<8Q", d, 8)
    return "exit rchar {} wchar {}".format(*values[2:4]), values[:1]


def ring(path, times):
    with open(path, "rb") as file:
        data = file.read()
    magic, version, size, pid, tid = struct.unpack_from("<QIIII", data)
    head, in_flight, dropped, dropped_bytes = struct.unpack_from("<QQQQ", data, 64)
    print(f"ring of {'process' if pid == tid else 'thread'}" + (f" dropped {dropped}" if dropped else "") +
          (" in flight" if in_flight else ""))
    at = PAGE
    while at < PAGE + head:
        length, kind, code, number = struct.unpack_from("<HBBI", data, at)
        line, when = record(kind, code, number, data[at:at + length])
        print("  " + line + (f" {when}" if times else ""))
        at += length


def process(path):
    with open(path, "rb") as file:
        data = file.read()
    state, programs = struct.unpack_from("<II", data, 32)
    counters = struct.unpack_from(f"<{len(COUNTERS)}Q", data, 64)
    print(f"process state {state} programs {programs}" +
          "".join(f" {name}={n}" for name, n in zip(COUNTERS, counters) if n and name != "hidden.loader"))


def main():
    options, arguments = getopt.getopt(sys.argv[1:], "r:s:tk")
    options = dict(options)
    directory = tempfile.mkdtemp()
    control(directory, int(options.get("-r", 1 << 22)), int(options.get("-s", 0)))
    environment = dict(os.environ, IOTRACE_RECORDING=directory, LD_PRELOAD=os.path.abspath(arguments[0]))
    status = subprocess.run(arguments[1:], env=environment, check=False).returncode
    sys.stdout.flush()
    for path in sorted(glob.glob(directory + "/ring.*"), key=lambda name: int(name.rsplit(".", 1)[1])):
        ring(path, "-t" in options)
    for path in sorted(glob.glob(directory + "/process.*")):
        process(path)
    for path in glob.glob(directory + "/new.*"):
        print("left", os.path.basename(path))
    if "-k" in options:
        print(directory)
    else:
        shutil.rmtree(directory)
    return status


sys.exit(main())
