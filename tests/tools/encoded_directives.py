# SPDX-License-Identifier: BSD-2-Clause
"""Decodes encoded directives; written from iotrace(5), ENCODED DIRECTIVES, alone."""
import re

DIRECTIVE_MAX, SLOTS_MAX, WEIGHT_MAX = 32768, 2047, 8 << 20
EXPANSION_MAX = 64
BLANKS = re.compile(rb"[ \t]+")
PAIR = re.compile(rb"(?<=[ \t])([^ \t=]*)=([^ \t]*)")
VALUE = re.compile(rb"[0-9-][^ \t]{0,31}")
PATHS, TIMES = (b"path", b"to"), (b"time", b"took")


class Bad(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Bad(why)


def is_decimal(text, maximum=2**64 - 1):
    return re.fullmatch(rb"0|[1-9][0-9]*", text) and int(text) <= maximum


def hexadecimal(text):
    need(re.fullmatch(rb"0*[0-9a-fA-F]{1,16}", text), "not a hexadecimal number of 64 bits: %r" % text)
    return int(text, 16)


class Template:
    """The text before, between and after the slots of a directive, and the keys and values of the slots."""

    def __init__(self, text):
        self.pieces, self.keys, self.values, end = [], [], [], 0
        for pair in PAIR.finditer(text):
            key, value = pair.groups()
            if key in PATHS + TIMES or (key not in (b"name", b"result") and VALUE.fullmatch(value)):
                self.pieces.append(text[end:pair.start(2)])
                self.keys.append(key)
                self.values.append(value)
                end = pair.end()
        self.pieces.append(text[end:])
        self.weight = sum(map(len, self.pieces)) + (1 + 64) * len(self.keys)
        self.valid = (0 < len(self.keys) <= SLOTS_MAX and len(text) <= DIRECTIVE_MAX
                      and all(self.keys.count(key) <= 1 for key in PATHS + TIMES)
                      and all(is_decimal(value) for key, value in zip(self.keys, self.values) if key in TIMES))
        id_key = {b"%file": b"file", b"%process": b"process"}.get(BLANKS.split(text)[0], b"id")
        self.keys = [id_key if key == b"id" else key for key in self.keys]


class Directives:
    def __init__(self):
        self.forget()

    def forget(self):
        self.templates, self.paths, self.weight, self.credit = [], [], 0, 0
        self.time, self.path, self.last = 0, None, {}

    def decode(self, text):
        """Returns the decoded text of a comment line other than framing."""
        if re.match(rb"%[0-9]", text):
            return self.encoded(text)
        if re.match(rb"%%+[0-9]", text):
            return text[1:]
        if text.startswith(b"%"):
            self.full(text)
        return text

    def full(self, text):
        template = Template(text)
        if not template.valid:
            return
        if self.weight + 2 * len(text) + 80 * len(template.keys) > WEIGHT_MAX:
            self.forget()
        self.credit += EXPANSION_MAX * len(text)
        if all(template.pieces != other.pieces for other in self.templates):
            self.templates.append(template)
            self.weight += template.weight
        for key, value in zip(template.keys, template.values):
            if key in PATHS:
                self.add_path(value)
            self.set_last(key, value)

    def encoded(self, text):
        number, *words = BLANKS.split(text[1:].rstrip(b" \t"))
        need(number.isdigit() and int(number) < len(self.templates), "no template %r" % number)
        template = self.templates[int(number)]
        need(len(words) <= len(template.keys), "too many values")
        need(self.credit >= 0, "more than 64 times the bytes")
        self.credit += EXPANSION_MAX * len(text) - sum(map(len, template.pieces)) - 16 * len(template.keys)
        words += [b"="] * (len(template.keys) - len(words))
        result = template.pieces[0]
        for key, word, piece in zip(template.keys, words, template.pieces[1:]):
            value = self.time_of(word) if key == b"time" else self.path_of(word) if key in PATHS else self.value_of(key, word)
            self.set_last(key, value)
            result += value + piece
        need(len(result) <= DIRECTIVE_MAX, "a directive too long")
        return result

    def set_last(self, key, value):
        if key == b"time":
            self.time = int(value)
        elif key in PATHS:
            self.path = value
        else:
            self.last[key] = value

    def add_path(self, path):
        self.paths.append(path)
        self.weight += len(path) + 16

    def time_of(self, word):
        difference = hexadecimal(word.removeprefix(b"-"))
        time = b"%d" % (self.time + (-difference if word.startswith(b"-") else difference))
        need(is_decimal(time, 2**63 - 1), "a time out of range")
        return time

    def path_of(self, word):
        path = self.find_path(word)
        self.credit -= len(path)
        return path

    def find_path(self, word):
        if word.startswith((b"/", b":")):
            self.add_path(word.removeprefix(b":"))
            need(self.weight <= WEIGHT_MAX, "too many paths")
            return self.paths[-1]
        need(word == b"=" or hexadecimal(word) < len(self.paths), "no path %r" % word)
        need(word != b"=" or self.path is not None, "no last path")
        return self.path if word == b"=" else self.paths[int(word, 16)]

    def value_of(self, key, word):
        if word.startswith(b":"):
            need(VALUE.fullmatch(word[1:]) and (key != b"took" or is_decimal(word[1:])), "not a value: %r" % word)
            return word[1:]
        if word not in (b"=", b"+"):
            return b"%d" % hexadecimal(word)
        need(key in self.last, "no last value of %r" % key)
        need(word == b"=" or is_decimal(self.last[key], 2**64 - 2), "not a number: %r" % self.last[key])
        return self.last[key] if word == b"=" else b"%d" % (int(self.last[key]) + 1)
