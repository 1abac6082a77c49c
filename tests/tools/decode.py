#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A second decoder, written from iotrace(5) alone; it shares no code with the library.

    decode.py [--ignore-sync] [--base 10|16] [--tick NS] [--comments] [--no-verify] [FILE]

Prints the records of a trace (plain, gzip, zstd) as `iotrace cat --format csv` does: times in
ticks, start absolute, cpu as on the line, offset and length explicit; empty is what %trace lacks=
or a %file declares as unknown. --comments: prints the comments instead, without framing and
repeats, and with encoded directives in full. Errors: "line N: ...", exit 1.
"""
import argparse
import gzip
import re
import subprocess
import sys

from encoded_directives import Bad, Directives, need

try:
    import xxhash
except ImportError:
    xxhash = None

OFFSET_IN_BLOCKS, LENGTH_IN_BLOCKS, NO_LENGTH, NO_PROCESS = 0x01, 0x02, 0x04, 0x08
UNDEFINED, NO_OPERATION, NO_OFFSET, NO_FILE = 0x10, 0x20, 0x40, 0x80
DROPS = (NO_LENGTH, NO_PROCESS, NO_OPERATION, NO_OFFSET, NO_FILE)
DIGITS = {10: re.compile(rb"[0-9]+"), 16: re.compile(rb"[0-9a-fA-F]+")}
BLANKS = re.compile(rb"[ \t]+")
IDS = {b"process", b"file", b"parent", b"object", b"id"}
NEEDED = {b"%trace": (), b"%process": (b"id",), b"%file": (b"process", b"id"), b"%op": (b"name",),
          b"%counter": (), b"%lost": ()}
MAX_NS = 2**63 - 1


def number(field, base, bits=64, signed=False):
    minus = signed and field.startswith(b"-")
    digits = field[1:] if minus else field
    need(DIGITS[base].fullmatch(digits), "not a number: %r" % field)
    value = int(digits, base)
    need(value < 2 ** (bits - signed), "%r does not fit %d bits" % (field, bits))
    return -value if minus else value


def field_count(compression):
    return 10 - sum(1 for drop in DROPS if compression & drop)


def fits(fields, base):
    try:
        compression = number(fields[1], base, 8)
        number(fields[0], base, 8)
        start = 4 - bool(compression & NO_OFFSET) - bool(compression & NO_LENGTH)
        for i, field in enumerate(fields):
            signed = i in (start, len(fields) - 1)
            need(DIGITS[base].fullmatch(field.removeprefix(b"-") if signed else field), "digits")
    except (Bad, IndexError):
        return False
    return not compression & UNDEFINED and len(fields) == field_count(compression)


def find_base(lines):
    votes = {10: 0, 16: 0}
    records = 0
    for line in lines:
        fields = BLANKS.split(line.rstrip(b"\n").rstrip(b"\r").strip(b" \t"))
        if fields == [b""]:
            continue
        if fields[0].lower() in (b"ff", b"255"):
            return 10 if fields[0] == b"255" else 16
        for base in votes:
            votes[base] += fits(fields, base)
        records += 1
        if records == 64:
            break
    return 10 if votes[10] > votes[16] else 16


class Process:
    def __init__(self):
        self.cpu, self.file, self.table = 0, None, {}  # the table: least recently used first


class Decoder:
    def __init__(self, base, tick, ignore_sync, verify):
        self.base, self.tick, self.ignore_sync, self.verify = base, tick, ignore_sync, verify
        self.start, self.last, self.processes = 0, None, {}
        self.records = self.comments = 0
        self.begun = self.framed = self.ended = False
        self.data, self.hash_from, self.hash_to = b"", 0, 0
        self.in_force, self.lacks, self.unknown = {}, set(), {}
        self.directives = None  # in version 1

    def row(self, record):
        """Returns the columns of the last decoded record; unknown ones are empty."""
        names = (None, b"start", b"completion", b"cpu", b"offset", None, None, None, None)
        lacks = self.lacks | self.unknown.get((record[8], record[7], record[0] >= 128), set())
        return ["" if name in lacks else str(value) for name, value in zip(names, record)]

    def record(self, fields):
        need(len(fields) > 1, "too few fields")
        rectype, compression = (number(field, self.base, 8) for field in fields[:2])
        need(rectype != 255, "the recordType of a comment")
        need(not compression & UNDEFINED, "compression has 0x10")
        need(len(fields) == field_count(compression), "wrong number of fields")
        rest = iter(fields[2:])

        def take(drop, bits=64, blocks=0):
            if compression & drop:
                return None
            value = number(next(rest), self.base, bits) * (512 if compression & blocks else 1)
            need(value < 2**bits, "does not fit after scaling")
            return value

        offset = take(NO_OFFSET, 64, OFFSET_IN_BLOCKS)
        length = take(NO_LENGTH, 64, LENGTH_IN_BLOCKS)
        start = self.start + number(next(rest), self.base, 64, signed=True)
        duration = take(0)
        operation = take(NO_OPERATION, 32)
        fileid = take(NO_FILE, 32)
        pid = take(NO_PROCESS, 32)
        delta = number(next(rest), self.base, 64, signed=True)

        pid = self.last if pid is None else pid
        need(pid is not None, "processId left out in the first record")
        process = self.processes.get(pid) or Process()
        fileid = process.file if fileid is None else fileid
        need(fileid is not None, "fileId left out, but process %d has no record" % pid)
        key = (rectype >> 7, fileid)
        before = process.table.get(key)
        need(before or (offset is not None and length is not None), "offset or length left out")
        offset = before[0] + before[1] if offset is None else offset
        length = before[1] if length is None else length
        operation = (before[2] if before else 0) if operation is None else operation
        cpu = process.cpu + delta
        need(offset < 2**64, "offset leaves 64 bits")
        need(0 <= start and (start + duration) * self.tick <= MAX_NS, "time out of range")
        need(-MAX_NS <= cpu * self.tick <= MAX_NS, "CPU time out of range")

        process.table.pop(key, None)
        process.table[key] = (offset, length, operation)
        if len(process.table) > 32:
            del process.table[next(iter(process.table))]
        process.cpu, process.file = cpu, fileid
        self.processes[pid] = process
        self.start, self.last = start, pid
        self.records += 1
        return (rectype, start, duration, delta, offset, length, operation, fileid, pid)

    def forget(self):
        self.last = None
        for process in self.processes.values():
            process.file, process.table = None, {}

    def comment(self, text):
        if self.directives and not re.match(rb"%(sync|end|iotrace)([ \t]|$)", text):
            text = self.directives.decode(text)
        words = BLANKS.split(text) if text.startswith(b"%") else [b""]
        name = words[0]
        pairs = [word.split(b"=", 1) for word in words[1:] if b"=" in word]
        keys = dict(pairs)
        if name == b"%iotrace":
            need(not self.begun, "a second %iotrace: see merge")
            need(keys.get(b"version") in (b"1", b"2"), "unknown version")
            self.directives = Directives() if keys[b"version"] == b"2" else None
            self.tick = number(keys.get(b"tick", b""), 10)
            need(0 < self.tick <= MAX_NS, "tick out of range")
            number(keys.get(b"sync", b"0"), 10)
            self.framed = True
        elif name == b"%sync":
            if not self.ignore_sync:
                self.check(keys, {b"record": self.records, b"time": self.start})
                self.forget()
            if self.directives:
                self.directives.forget()
            self.hash_from = None  # behind this line
        elif name == b"%end":
            self.check(keys, {b"records": self.records, b"comments": self.comments})
            self.ended = True
        else:
            self.check_times(pairs)
            self.check_keys(name, keys)
            if self.news(name, keys, text):
                self.comments += 1
                self.new = text
            self.note_unknown(name, keys)

    def note_unknown(self, name, keys):
        if name == b"%trace" and b"lacks" in keys:
            self.lacks = set(keys[b"lacks"].split(b","))
        if name == b"%file":
            key = (int(keys[b"process"]), int(keys[b"id"]), keys.get(b"kind") != b"disk")
            self.unknown[key] = {name for name, value in keys.items() if value == b"unknown"}

    def check_times(self, pairs):
        for key, value in pairs:
            if key in (b"time", b"took") and DIGITS[10].fullmatch(value) and int(value) < 2**64:
                need(int(value) * self.tick <= MAX_NS, "a time out of range")

    def check_keys(self, name, keys):
        if name not in NEEDED:
            return
        for key in NEEDED[name]:
            need(key in keys, "%s needs %s=" % (name.decode(), key.decode()))
        for key in keys.keys() & IDS:
            if key != b"id" or name in (b"%process", b"%file"):
                number(keys[key], 10, 32)
        times = [number(keys.get(key, b"0"), 10) for key in (b"time", b"took")]
        need(sum(times) * self.tick <= MAX_NS, "a time out of range")

    def check(self, keys, expected):
        need(self.framed, "framing without %iotrace")
        for key, value in expected.items():
            need(number(keys.get(key, b""), 10) == value, "%s= should be %d" % (key.decode(), value))
        if xxhash and self.verify:
            hashed = self.data[self.hash_from:self.hash_to]
            digest = xxhash.xxh3_64(hashed).hexdigest().encode()
            need(keys.get(b"xxh3", b"").lower() == digest, "xxh3= should be %s" % digest.decode())

    def news(self, name, keys, text):
        """Ignores an identical repetition of a current %process or %file."""
        ids = {key: int(keys[key]) for key in keys.keys() & {b"process", b"file", b"id"} if name in NEEDED and keys[key].isdigit()}
        if keys.get(b"name") == b"close" and name == b"%op" and keys.get(b"result", b"0") == b"0":
            self.in_force.pop((ids.get(b"process"), ids.get(b"file"), False), None)
        if name == b"%process":
            key = ids[b"id"]
        elif name == b"%file":
            key = ids[b"process"], ids[b"id"], keys.get(b"kind") == b"disk"
        else:
            return True
        known = self.in_force.get(key) == text
        self.in_force[key] = text
        return not known

    def line(self, raw):
        self.new = None  # the text of a comment that is an event, with times in ticks
        line = raw.removesuffix(b"\n").rstrip(b"\r")
        fields = BLANKS.split(line.strip(b" \t"))
        if fields == [b""]:
            return None
        need(not self.ended, "something after %end: see merge")
        if fields[0].lower() in (b"ff", b"255"):
            need(len(line) <= 65536, "comment too long")
            need(int(fields[0], 16) == (0xff if self.base == 16 else 0x255), "the other base")
            self.comment(line.lstrip(b" \t")[len(fields[0]) + 1:])
            self.begun = True
            return None
        need(len(line) <= 4096, "line too long")
        need(all(32 <= byte <= 126 or byte == 9 for byte in line), "not printable ASCII")
        self.begun = True
        return self.record(fields)


def unpack(data):
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


def run(options, data, out):
    lines = data.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    decoder = Decoder(options.base or find_base(lines), options.tick, options.ignore_sync, not options.no_verify)
    decoder.data = data
    if not options.comments:
        out.write(b"type,start,duration,cpu,offset,length,operation,file,process\n")
    for count, line in enumerate(lines, 1):
        try:
            got = decoder.line(line)
        except Bad as why:
            raise Bad("line %d: %s" % (count, why)) from None
        if options.comments and decoder.new is not None:
            out.write(decoder.new + b"\n")
        elif got and not options.comments:
            out.write(",".join(decoder.row(got)).encode() + b"\n")
        decoder.hash_to += len(line)
        if decoder.hash_from is None:
            decoder.hash_from = decoder.hash_to
    need(decoder.ended or not decoder.framed, "line %d: no %%end: cut short" % len(lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ignore-sync", action="store_true")
    parser.add_argument("--base", type=int, choices=(10, 16))
    parser.add_argument("--tick", type=int, default=1000)
    parser.add_argument("--comments", action="store_true")
    parser.add_argument("--no-verify", action="store_true")
    parser.add_argument("file", nargs="?", default="-")
    options = parser.parse_args()
    try:
        with sys.stdin.buffer if options.file == "-" else open(options.file, "rb") as f:
            run(options, unpack(f.read()), sys.stdout.buffer)
    except (Bad, OSError, EOFError, subprocess.CalledProcessError) as why:
        sys.stdout.flush()
        sys.exit("decode.py: %s" % why)


if __name__ == "__main__":
    main()
