# SPDX-License-Identifier: BSD-2-Clause
"""Reads the events of a valid trace in text form, in nanoseconds; written from iotrace(5) alone.

An omitted field is restored from a table without a limit of files: in a valid trace this gives the same values, as a writer omits only
what a table of 32 files restores. Hashes are not verified, and an invalid trace is not diagnosed (decode.py does both).
"""
import re
from itertools import chain

from encoded_directives import Directives

WRITE, LOGICAL, ASYNCHRONOUS, KIND = 0x40, 0x80, 0x08, 0x03
OFFSET_IN_BLOCKS, LENGTH_IN_BLOCKS = 0x01, 0x02
NO_LENGTH, NO_PROCESS, NO_OPERATION, NO_OFFSET, NO_FILE, UNDEFINED = 0x04, 0x08, 0x20, 0x40, 0x80, 0x10


class Record:
    """One I/O. `start`, `duration`, `offset` and `cpu` are None if the source does not know them."""

    __slots__ = ("type", "process", "file", "offset", "length", "start", "duration", "cpu", "definition", "generation")


class Directive:
    """A directive. `time` and `took` are nanoseconds or None; `keys` contains the other keys as text."""

    __slots__ = ("name", "keys", "time", "took")


def percent_decode(value):
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), value.encode("utf-8", "surrogateescape"))
    return raw.decode("utf-8", "surrogateescape")


def field_count(compression):
    return 10 - sum(bool(compression & bit) for bit in (NO_LENGTH, NO_PROCESS, NO_OPERATION, NO_OFFSET, NO_FILE))


def fits(fields, base):
    """Returns true if a record line can be one in this base."""
    try:
        numbers = [int(field, base) for field in fields]
    except ValueError:
        return False
    return (len(numbers) > 1 and max(numbers[:2]) <= 255 and not numbers[1] & UNDEFINED and len(numbers) == field_count(numbers[1])
            and all(n >= 0 for n in numbers[:len(numbers) - 5]))


class Reader:
    """State of the decoder. `processes` and `files` contain the current definitions, by id and by (process, id, logical)."""

    def __init__(self, tick=1000):
        self.tick, self.start, self.last, self.base = tick, 0, None, None
        self.cpu, self.last_file, self.table = {}, {}, {}
        self.processes, self.files, self.lacks, self.generations = {}, {}, set(), {}
        self.encoded = None  # in version 1

    def events(self, lines):
        lines = iter(lines)
        head = self.find_base(lines)
        for line in chain(head, lines):
            line = line.strip(" \t\r\n")
            marker = line[:3].split(" ")[0].split("\t")[0].lower()
            if marker == "ff" or re.match(r"255(?![^ \t])", line):
                text = line[len(marker):].lstrip(" \t")
                if text.startswith("%"):
                    yield from self.directive(self.full(text).split())
            elif line:
                yield self.record(line.split())

    def find_base(self, lines):
        """Sets the base from the first comment, or else from the first 64 records; returns the lines it has read."""
        head, votes = [], {16: 0, 10: 0}
        for line in lines:
            head.append(line)
            fields = line.split()
            if fields and fields[0].lower() in ("ff", "255"):
                self.base = 16 if fields[0] != "255" else 10
                return head
            for base in votes:
                votes[base] += fits(fields, base)
            if sum(bool(line.strip()) for line in head) == 64:
                break
        self.base = 10 if votes[10] > votes[16] else 16
        return head

    def full(self, text):
        """Returns the directive that the text of a line stands for."""
        if self.encoded is None or re.match(r"%(sync|end|iotrace)( |$)", text):
            return text
        return self.encoded.decode(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")

    def directive(self, words):
        result = Directive()
        result.name = words[0][1:]
        result.keys = keys = {k: percent_decode(v) for k, _, v in (w.partition("=") for w in words[1:])}
        if result.name == "iotrace":
            self.tick = int(keys["tick"])
            self.encoded = Directives() if keys["version"] == "2" else None
        elif result.name == "sync" and self.encoded:
            self.encoded.forget()
        result.time = int(keys["time"]) * self.tick if "time" in keys else None
        result.took = int(keys["took"]) * self.tick if "took" in keys else None
        if result.name == "trace" and "lacks" in keys:
            self.lacks = set(keys["lacks"].split(","))
        elif result.name == "process":
            self.processes[int(keys["id"])] = keys
        elif result.name == "file":
            self.files[int(keys["process"]), int(keys["id"]), keys.get("kind") != "disk"] = keys
        if result.name not in ("iotrace", "sync", "end"):
            yield result
        if result.name == "op" and keys["name"] == "close" and keys.get("result", "0") == "0" and "file" in keys:
            stream = int(keys["process"]), int(keys["file"])
            self.generations[stream] = self.generations.get(stream, 0) + 1
            self.files.pop((*stream, True), None)

    def record(self, fields):
        numbers = iter([int(field, self.base) for field in fields])
        r = Record()
        r.type, compression = next(numbers), next(numbers)
        offset = None if compression & NO_OFFSET else next(numbers)
        length = None if compression & NO_LENGTH else next(numbers)
        self.start += next(numbers) * self.tick
        r.start, r.duration = self.start, next(numbers) * self.tick
        if not compression & NO_OPERATION:
            next(numbers)
        fileid = None if compression & NO_FILE else next(numbers)
        r.process = self.last if compression & NO_PROCESS else next(numbers)
        r.file = self.last_file[r.process] if fileid is None else fileid
        self.last, self.last_file[r.process] = r.process, r.file
        r.cpu = self.cpu[r.process] = self.cpu.get(r.process, 0) + next(numbers) * self.tick

        entry = (r.process, r.file, bool(r.type & LOGICAL))
        if offset is None:
            offset = sum(self.table[entry])
        elif compression & OFFSET_IN_BLOCKS:
            offset *= 512
        if length is None:
            length = self.table[entry][1]
        elif compression & LENGTH_IN_BLOCKS:
            length *= 512
        self.table[entry] = (offset, length)
        r.offset, r.length = offset, length
        r.generation = self.generations.get((r.process, r.file), 0)
        r.definition = self.files.get(entry, {})
        self.clear_unknown(r)
        return r

    def clear_unknown(self, r):
        for key, field in (("offset", "offset"), ("start", "start"), ("completion", "duration"), ("cpu", "cpu")):
            if key in self.lacks or r.definition.get(key) == "unknown":
                setattr(r, field, None)
