# SPDX-License-Identifier: BSD-2-Clause
"""Decodes the directives of version 2, with times in ticks; written from iotrace(5), ENCODED DIRECTIVES."""
import re

STATE_MAX, DIRECTIVE_MAX, SLOTS_MAX, VALUE_MAX, SLOT, PATH = 8 << 20, 32768, 2047, 32, 64, 16
SLOT_MARK = b"\n"
ONCE = (b"path", b"to", b"time", b"took")
NUMBER, NUMERIC, HEX = re.compile(rb"0|[1-9][0-9]*"), re.compile(rb"[-0-9]"), re.compile(rb"[0-9a-fA-F]+")


class Bad(Exception):
    pass


def need(true, why):
    if not true:
        raise Bad(why)


def template_of(text):
    """Returns the text of the template and the (key, value) of its slots, or None."""
    if len(text) > DIRECTIVE_MAX:
        return None
    words = re.split(rb"([ \t]+)", text)
    slots = []
    for i in range(2, len(words), 2):
        key, equals, value = words[i].partition(b"=")
        if not equals:
            continue
        if key in ONCE:
            if key in [other for other, _ in slots]:
                return None
            if key[:2] in (b"ti", b"to") and key != b"to":
                if not NUMBER.fullmatch(value) or int(value) >= 2 ** (63 if key == b"time" else 64):
                    return None
        elif key in (b"name", b"result") or not NUMERIC.match(value) or len(value) > VALUE_MAX:
            continue
        words[i] = key + b"=" + SLOT_MARK
        slots.append((key, value))
    return (b"".join(words), slots) if 0 < len(slots) <= SLOTS_MAX else None


class Directives:
    def __init__(self):
        self.forget()

    def forget(self):
        self.templates, self.paths, self.last_path, self.last, self.weight = {}, [], None, {}, 0
        self.time = 0

    def key(self, text, key):
        if key == b"id" and re.match(rb"%(file|process)[ \t]", text):
            return b"file" if text[1:2] == b"f" else b"process"
        return key

    def decode(self, text):
        """Returns the directive (or comment) that the text of a line stands for."""
        if re.match(rb"%%+[0-9]", text):
            return text[1:]
        if re.match(rb"%[0-9]", text):
            return self.expand(re.split(rb"[ \t]+", text.strip(b" \t")))
        found = template_of(text) if text.startswith(b"%") else None
        if found:
            self.learn(text, *found)
        return text

    def learn(self, text, template, slots):
        if self.weight + 2 * len(text) + (SLOT + PATH) * len(slots) > STATE_MAX:
            self.forget()
        if template not in self.templates:
            self.templates[template] = [self.key(template, key) for key, _ in slots]
            self.weight += len(template) + SLOT * len(slots)
        for key, value in slots:
            if key in (b"path", b"to"):
                self.add_path(value)
            elif key == b"time":
                self.time = int(value)
            else:
                self.last[self.key(template, key)] = value

    def add_path(self, path):
        self.weight += len(path) + PATH
        need(self.weight <= STATE_MAX, "paths of more than 8 MiB")
        self.paths.append(path)
        self.last_path = path

    def expand(self, words):
        templates = list(self.templates.items())
        need(words[0][1:].isdigit() and int(words[0][1:]) < len(templates), "no such template")
        template, keys = templates[int(words[0][1:])]
        need(len(words) - 1 <= len(keys), "more values than slots")
        parts = template.split(SLOT_MARK)
        out = parts[0]
        for i, key in enumerate(keys):
            out += self.value(key, words[i + 1] if i + 1 < len(words) else b"=") + parts[i + 1]
        return out

    def value(self, key, word):
        if key == b"time":
            minus = word.startswith(b"-")
            need(HEX.fullmatch(word[minus:]), "not a time: %r" % word)
            self.time += int(word, 16)
            need(0 <= self.time < 2**63, "time out of range")
            return b"%d" % self.time
        if key in (b"path", b"to"):
            return self.path(word)
        if word == b"=":
            need(key in self.last, "no last value of %r" % key)
        elif word == b"+":
            need(NUMBER.fullmatch(self.last.get(key, b"")), "no last number of %r" % key)
            self.last[key] = b"%d" % (int(self.last[key]) + 1)
        elif word.startswith(b":"):
            need(NUMERIC.match(word[1:]) and len(word) <= VALUE_MAX + 1, "not a value: %r" % word)
            self.last[key] = word[1:]
        else:
            need(HEX.fullmatch(word), "not a number: %r" % word)
            self.last[key] = b"%d" % int(word, 16)
        return self.last[key]

    def path(self, word):
        if word == b"=":
            need(self.last_path is not None, "no last path")
        elif word[:1] in (b"/", b":"):
            self.add_path(word.removeprefix(b":"))
        else:
            need(HEX.fullmatch(word) and int(word, 16) < len(self.paths), "not the number of a path: %r" % word)
            self.last_path = self.paths[int(word, 16)]
        return self.last_path
