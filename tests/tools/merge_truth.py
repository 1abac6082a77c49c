#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Computes the expected output of iotrace merge a second time, with the decoder of decode.py.

    merge_truth.py make SEED COUNT RECORDS [RUN]   writes COUNT bare traces in-N.TICK.txt, in
                                             hexadecimal; with RUN, times of directives are
                                             anywhere, and runs of RUN directives come between
    merge_truth.py check OUT IN...           OUT must be what the inputs make, event by event

The inputs collide in their ids, have directives of all kinds, and tell an epoch.
"""
import pathlib
import random
import re
import sys

import decode

PROCESS_KEYS = {"process", "parent", "thread-of"}


def make(seed, count, records, run=0):
    rng = random.Random(seed)
    for n in range(count):
        tick = rng.choice((1, 100, 1000, 2500))
        epoch = 1_700_000_000_000_000_000 + rng.randrange(0, 50) * 5000
        with open("in-%d.%d.txt" % (n, tick), "w") as out:
            make_one(out, rng, tick, epoch, n, records, run)


def anywhere(rng, start):
    """Returns a time before, at, near, after or far beyond the records."""
    return rng.choice((0, start, max(0, start + rng.randrange(-90, 90)), start + 5000, 10 ** 12))


def make_one(out, rng, tick, epoch, n, records, run):
    say = lambda text: out.write("ff %s\n" % text)
    if n % 5:
        say("first words of %d" % n)
    say("%%trace source=made host=n%d epoch=%d%s" % (n % 3, epoch, ["", " lacks=cpu"][n % 2]))
    first, cpu, start = rng.choice((1, 1, 4)), {}, 0
    for p in range(first, first + 3):
        say("%%process id=%d name=p%d parent=%d thread-of=%d" % (p, p, first - 1, first))
    for index in range(records):
        step = rng.choice((0, 1, 1, 3, 20)) * (2500 // tick)
        p, f = first + rng.randrange(3), rng.randrange(1, 7)
        start += step
        kind = rng.randrange(12)
        for _ in range(run if index and run and rng.randrange(records) < 3 else 0):
            say("%%op name=stat time=%d process=%d" % (anywhere(rng, start), p))
        if run and rng.randrange(5) == 0:
            say("%%op name=stat time=%d process=%d" % (anywhere(rng, start), p))
            say("%%file process=%d id=%d object=%d path=/d/%d" % (p, f, f, f))
        if kind == 0:
            say("%%file process=%d id=%d object=%d path=/d/%d" % (p, f, f, f))
        elif kind == 1:
            say("%%op name=stat time=%d took=3 process=%d path=/d/%d" % (start, p, f))
        elif kind == 2:
            say("%%strange time=%d process=%d file=%d object=%d id=%d x=process=1" % (start, p, f, f, f))
        elif kind == 3:
            say("of no %d meaning" % f)
        out.write("%x 0 %x %x %x %x %x %x %x %x\n" % (
            rng.choice((0x80, 0xc0)), rng.randrange(9) * 512, rng.randrange(1, 5) * 512, step,
            rng.randrange(1, 9), 0, f, p, rng.randrange(3)))
    if run:
        say("%%op name=stat time=%d process=%d" % (anywhere(rng, start), first))
    say("the end of %d" % n)


class Event:
    """Times are in nanoseconds of the trace; key is the sort key."""

    def __init__(self, key=None, fields=None, text=None):
        self.key, self.fields, self.text = key, fields, text

    def rank(self):
        return self.key + ((self.text or "") if self.key[5] == 255 else "",)

    def value(self, name):
        found = re.findall(r"(?<=[ \t])%s=(\d+)(?=[ \t]|$)" % re.escape(name), self.text or "")
        return int(found[-1]) if found else None


def read(path):
    lines = decode.unpack(pathlib.Path(path).read_bytes()).decode().splitlines()
    decoder = decode.Decoder(16 if lines[0].startswith("ff") else 10, 1000, False, True)
    decoder.data, decoder.hash_to = "\n".join(lines).encode() + b"\n", 0
    events, cpu = [], {}
    for line in lines:
        got = decoder.line(line.encode() + b"\n")
        decoder.hash_to += len(line) + 1
        decoder.hash_from = decoder.hash_to if decoder.hash_from is None else decoder.hash_from
        if got:
            kind, start, took, delta, offset, length, operation, file, process = got
            tick = decoder.tick
            key = (start * tick, process, file, offset, length, kind, took * tick, operation)
            events.append(Event(key, (kind, start * tick, took * tick, delta * tick, offset, length,
                                      operation, file, process)))
        elif decoder.new is not None:
            events.append(Event(text=decoder.new.decode()))
    assert decoder.ended, path
    for event in events:
        if event.text and event.text.startswith("%"):
            event.text = re.sub(r"(?<= )(time|took)=(\d+)",
                                lambda m: "%s=%d" % (m[1], int(m[2]) * decoder.tick), event.text)
    return events, decoder.tick


def other(time, event):
    number = event.value if event.text.startswith("%") else lambda key: None
    return (time, number("process") or 0, number("file") or 0, 0, 0, 255, number("took") or 0, 0)


def move_times(events, move):
    """Returns the sort keys of the events."""
    for event in events:
        if event.fields:
            event.key = (event.key[0] + move,) + event.key[1:]
            event.fields = event.fields[:1] + (event.fields[1] + move,) + event.fields[2:]
        elif event.text.startswith("%") and event.value("time") is not None:
            time = event.value("time") + move
            event.text = re.sub(r"(?<= )time=\d+", "time=%d" % time, event.text)
            event.key = other(time, event)


def place(events, move):
    """A directive is sorted at its time, but not after the following record nor before the last one."""
    move_times(events, move)
    after = record = None
    for event in reversed(events):
        if event.fields:
            record = event.key
        elif event.key is None:
            event.key = after or other(0, event)
        elif record and record[0] < event.key[0]:
            event.key = record
        after = event.key
    floor = move
    for event in events:
        floor = max(floor, event.key[0])
        event.key = (floor,) + event.key[1:]


class Ids:
    def __init__(self):
        self.known, self.taken, self.fresh = {}, set(), set()

    def check(self, source, old, new):
        """The first user of a number keeps it; others get unused numbers."""
        if (source, old) in self.known:
            assert self.known[source, old] == new, (source, old, new)
            return
        assert new not in self.taken, "%d is taken" % new
        assert new == old or old in self.taken, "%d became %d for nothing" % (old, new)
        self.known[source, old] = new
        self.taken.add(new)


def check_text(ids, source, old, new):
    if not old.startswith("%"):
        assert old == new, (old, new)
        return
    words, others = old.split(" "), new.split(" ")
    assert len(words) == len(others), (old, new)
    for a, b in zip(words, others):
        key, equals, value = a.partition("=")
        kind = ("process" if key in PROCESS_KEYS else key if key in ("file", "object") else
                {"%process": "process", "%file": "file"}.get(words[0]) if key == "id" else None)
        if kind and value.isdigit() and not (kind == "object" and value == "0"):
            assert b.startswith(key + equals), (old, new)
            ids[kind].check(source, int(value), int(b.partition("=")[2]))
        else:
            assert a == b, (old, new)


def marks_clock(event):
    """A %file that the writer inserts if only some inputs have CPU clocks."""
    return event.text is not None and event.text.startswith("%file ") and " cpu=" in event.text


def check(out, paths):
    inputs = [read(path)[0] for path in paths]
    epochs = [next(e.value("epoch") for e in events if e.text and e.text.startswith("%trace"))
              for events in inputs]
    zero, heads = min(epochs), []
    for events, epoch in zip(inputs, epochs):
        place(events, epoch - zero)
        first = next(e.key[0] for e in events if e.fields)
        trace = next(e for e in events if e.text and e.text.startswith("%trace"))
        heads.append((first, trace.text, events))
        events.remove(trace)
    common = all("lacks=cpu" in trace for _, trace, _ in heads)
    order = sorted(range(len(inputs)), key=lambda i: (heads[i][:2], paths[i]))
    inputs = [inputs[i] for i in order]
    hosts = [re.search(r" host=[^ ]+", heads[i][1])[0] for i in order]
    several = len(set(hosts)) > 1
    written, tick = read(out)
    at = 0
    for i in order:
        expected = re.sub(r"epoch=\d+", "epoch=%d" % zero, heads[i][1])
        expected = expected if common else expected.replace(" lacks=cpu", "")
        assert written[at].text == expected, (written[at].text, expected)
        at += 1
    ids = {"process": Ids(), "file": Ids(), "object": Ids()}
    nexts = [0] * len(inputs)
    marks = 0
    while True:
        ready = [(inputs[i][n].rank(), i) for i, n in enumerate(nexts) if n < len(inputs[i])]
        if not ready:
            break
        i = min(ready)[1]
        event = inputs[i][nexts[i]]
        nexts[i] += 1
        while not common and at < len(written) and marks_clock(written[at]):
            at, marks = at + 1, marks + 1
        assert at < len(written), "events are missing"
        got = written[at]
        at += 1
        if event.text is not None:
            assert got.text is not None, (event.text, got.fields)
            lacks_host = several and event.text.startswith("%process ") and " host=" not in event.text
            check_text(ids, i, event.text + (hosts[i] if lacks_host else ""), got.text)
            continue
        assert got.fields and got.fields[:7] == event.fields[:7], (event.fields, got.fields, got.text)
        ids["process"].check(i, event.fields[8], got.fields[8])
        ids["file"].check(i, event.fields[7], got.fields[7])
    assert at == len(written), "%d events too many" % (len(written) - at)
    print("%d events of %d inputs, as they should be" % (at - marks, len(inputs)))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(*map(int, sys.argv[2:6]))
    else:
        check(sys.argv[2], sys.argv[3:])
