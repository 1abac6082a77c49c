#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints a random trace of version 2 that consists of directives, most of them encoded, with odd bytes, blanks and numbers.

    random_directives.py SEED

Every line but the last is valid according to decode.py; the last one often is not. The trace has no %end, and its %sync have no hash.
"""
import copy
import random
import sys

from decode import Bad, Decoder

LINES = 400
NAMES = ("%op", "%file", "%process", "%counter", "%trace", "%lost", "%x", "%y", "%", "%%", "%%0", "%%%1", "%%7x", "%a=5", "%sync2", "%-1")
KEYS = ("time", "took", "process", "file", "parent", "id", "object", "path", "to", "name", "result", "a", "b", "", "kind", "lacks", "n-1")
NUMBERS = ("0", "1", "2", "7", "9", "10", "007", "00", "-1", "-", "-0", "4294967295", "4294967296", str(2**63 - 1), str(2**63),
           str(2**64 - 2), str(2**64 - 1), str(2**64), "5x", "1e", "9" * 20, "-5z", "3,4", "1" * 32, "1" * 33, "0x10", "text", "a=b", "")
PATHS = ("", "/", "/a", "/etc/passwd", "relative", "=", "+", ":", "::", "/a%20b", ":x", "5", "1e", "/\x01b", "/b/c=d", "=/x", "/\xfe")
WORDS = ("=", "+", ":", "::", "/", "/new", ":q", "0", "1", "a", "0A", "f" * 16, "f" * 15 + "e", "1" + "0" * 16, "0" * 20 + "1", "7" + "f" * 15,
         "-8000000000000000", "-", "--1", "x", "==", "=+", "+1", "-0", "-5", "0x1", "g", ":7", ":007", ":-4", ":5x", ":" + "5" * 33)
NEEDED = {"%op": ["name"], "%file": ["process", "id"], "%process": ["id"]}


def often(some, usual, odd, share=0.03):
    return some.choice(odd) if some.random() < share else usual


def value(some, key):
    if key in ("path", "to"):
        return some.choice(PATHS)
    if key in ("time", "took"):
        return often(some, str(some.randrange(10 ** some.randrange(1, 12))), NUMBERS)
    if key in ("process", "file", "id", "parent", "object"):
        return often(some, str(some.randrange(12)), NUMBERS)
    return some.choice(("open", "close", "5")) if key == "name" else some.choice(("0", "EIO")) if key == "result" else some.choice(NUMBERS)


def full(some):
    name = some.choice(NAMES)
    keys = NEEDED.get(name, []) + [some.choice(KEYS) for _ in range(some.randrange(6))]
    if some.random() < 0.9:
        keys = list(dict.fromkeys(keys))
    return [name] + [often(some, "%s=%s" % (key, value(some, key)), ("word", "time", "path", "5")) for key in keys]


def encoded(some, templates):
    number = some.randrange(len(templates))
    usual = {b"time": ("0", "1", "5", "-1", "ff", "00A"), b"path": ("=", "0", "1", "/n", ":", ":=", "::"), b"to": ("=", "0", "2", "/m", ":t")}
    words = [often(some, some.choice(usual.get(key, ("=", "=", "+", "7", "1f", ":3"))), WORDS) for key in templates[number].keys]
    while words and words[-1] == "=" and some.random() < 0.9:
        words.pop()
    return ["%" + often(some, str(number), ("00", "0x", "0=", "-0", "999", "9" * 30), 0.01)] + words + often(some, [], [["="], ["0"]], 0.01)


def line(some, templates):
    kind = some.random()
    if kind < 0.01:
        return "ff %sync time=0 record=0 xxh3=0123456789abcdef\n"
    if kind < 0.03:
        return "ff " + some.choice(("plain", "", "%", "%%", " %0 =", "% 5", "%\t5=6")) + "\n"
    words = full(some) if kind < 0.3 or not templates else encoded(some, templates)
    blank = often(some, " ", ("  ", "\t", " \t "))
    return "ff " + blank.join(words) + often(some, "", (" ", "\t"), 0.01) + "\n"


def main():
    some = random.Random(int(sys.argv[1]))
    lines = ["ff %iotrace version=2 tick=1\n", "ff the first comment\n"]
    decoder = Decoder(16, 1000, False, False)
    for text in lines:
        decoder.line(text.encode("latin-1"))
    while len(lines) < LINES:
        before = copy.deepcopy(decoder)
        text = line(some, decoder.directives.templates)
        try:
            decoder.line(text.encode("latin-1"))
        except Bad:
            decoder = before
            if len(lines) < LINES - 1:
                continue
        lines.append(text)
    sys.stdout.buffer.write("".join(lines).encode("latin-1"))


main()
