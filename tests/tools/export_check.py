# SPDX-License-Identifier: BSD-2-Clause
"""Checks what `iotrace cat` exports against a second computation.

    export_check.py IOTRACE TRACE "oracle|lcs|chrome|perfetto|blkparse [OPTION]..."...

The second computation reads `iotrace cat --format=jsonl`. Prints a line for each format with what was compared; exit
status 1 and a message if something differs.
"""
import collections
import json
import os
import re
import struct
import subprocess
import sys

BLOCK = 4096
LCS_MAGIC = 0x123456789abcdef0
LANES_MAX = 1024


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def expect(condition, *message):
    if not condition:
        sys.exit("export_check.py: " + " ".join(map(str, message)))


class Trace:
    def __init__(self, tool, path):
        lines = run(tool, "cat", "-q", "--format=jsonl", path).splitlines()
        events = [json.loads(line) for line in lines]
        self.records = [e for e in events if "length" in e and "type" in e]
        self.ops = [e for e in events if e.get("directive") == "op"]

    def transfers(self, level):
        """(record, offset in bytes, length in bytes) of the records that a format of transfers contains."""
        return [(r, r["offset"], r["length"]) for r in self.records
                if r["level"] == level and r["offset"] is not None and r["length"] > 0]

    def slices(self):
        """(process, start, duration or None, name) of what a timeline shows."""
        return sorted((e["process"] if "process" in e else 0, e["start_ns"], -1 if e.get("duration_ns") is None
                       else e["duration_ns"], e["op"]) for e in self.records + self.ops
                      if e.get("start_ns") is not None)


def wanted_requests(trace, level):
    """(seconds, object and block, size, op, tenant, number of the next request): forward, then backward."""
    numbers, requests, seconds = {}, [], 0
    for r, offset, length in trace.transfers(level):
        seconds = r["start_ns"] // 10 ** 9 if r["start_ns"] is not None else seconds
        file = r.get("object")
        if not file:
            key = r.get("path", (r["process"], r["file"], r["level"]))
            file = (1 << 24) - 1 - numbers.setdefault(key, len(numbers))
        op = 13 if r["op"] == "write" else 12
        for block in range(offset // BLOCK, (offset + length - 1) // BLOCK + 1):
            requests.append([seconds, file << 40 | block, BLOCK, op, r["process"]])
    later = {}
    for number in range(len(requests), 0, -1):
        request = requests[number - 1]
        request.append(later.get(request[1], -1))
        later[request[1]] = number
    return requests


def check_oracle(tool, trace, path, options):
    level = "physical" if "--physical" in options else "logical"
    data = run(tool, "cat", "-q", "--format=oracle", *options, path)
    found = list(struct.iter_unpack("<IQIq", data))
    wanted = [(s, i, size, following) for s, i, size, _, _, following in wanted_requests(trace, level)]
    expect(found == wanted, "requests differ:", next((p for p in zip(found, wanted) if p[0] != p[1]), len(found)))
    return f"{len(found)} requests"


def check_lcs(tool, trace, path, options):
    level = "physical" if "--physical" in options else "logical"
    data = run(tool, "cat", "-q", "--format=lcs", *options, path)
    wanted = wanted_requests(trace, level)
    magic, version, stat_version, *stat = struct.unpack_from("<QQ10q", data)
    expect((magic, version, stat_version) == (LCS_MAGIC, 2, 1), "header")
    expect(struct.unpack_from("<Q", data, 8184) == (LCS_MAGIC,), "end of the header")
    objects = len({r[1] for r in wanted})
    reads = sum(r[3] == 12 for r in wanted)
    expect(stat == [len(wanted), objects, len(wanted) * BLOCK, objects * BLOCK, wanted[0][0] if wanted else 0,
                    wanted[-1][0] if wanted else 0, reads, len(wanted) - reads, 0], "statistics", stat)
    found = [(s, i, size, op & 255, op >> 8, following)
             for s, i, size, op, following in struct.iter_unpack("<IQIIq", data[8192:])]
    expect(found == [(*r[:4], r[4] if r[4] < 1 << 24 else 0, r[5]) for r in wanted], "requests differ")
    return f"{len(found)} requests"


def check_nesting(slices):
    """Replays (begin, end) of each track on a stack, in order of begin and then longest first."""
    for track, found in slices.items():
        stack = []
        for begin, end in sorted(found, key=lambda s: (s[0], -s[1])):
            while stack and stack[-1] <= begin:
                stack.pop()
            expect(not stack or end <= stack[-1], "slices of track", track, "overlap at", begin)
            stack.append(end)


def nanoseconds(text):
    whole, _, decimals = text.partition(".")
    expect(len(decimals) == 3, "time", text)
    return int(whole) * 1000 + int(decimals)


def check_chrome(tool, trace, path, options):
    text = run(tool, "cat", "-q", "--format=chrome", *options, path)
    document = json.loads(text, parse_float=str)
    found, tracks, moved = [], collections.defaultdict(list), 0
    for e in document["traceEvents"]:
        if e["ph"] in "Xi":
            start = nanoseconds(e["ts"])
            duration = nanoseconds(e["dur"]) if e["ph"] == "X" else -1
            found.append((e["pid"], start, duration, e["name"]))
            tracks[e["pid"], e["tid"]].append((start, start + max(duration, 0)))
            moved += int(e["args"].get("length", 0))
    expect(sorted(found) == trace.slices(), "events differ")
    expect(moved == sum(r["length"] for r in trace.records if r["start_ns"] is not None), "sum of lengths")
    check_nesting(tracks)
    return f"{len(found)} events on {len(tracks)} tracks"


def decoded(text):
    """The messages of protoc --decode, as lists of (field, value), nested."""
    stack = [[]]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{"):
            inner = []
            stack[-1].append((line[:-1].strip(), inner))
            stack.append(inner)
        elif line == "}":
            stack.pop()
        else:
            field, _, value = line.partition(": ")
            expect(not re.fullmatch(r"\d+", field), "field number", field, "is not in the .proto")
            stack[-1].append((field, value if value.startswith('"') or not value.lstrip("-").isdigit()
                              else int(value)))
    return stack[0]


def check_perfetto(tool, trace, path, options):
    proto = os.path.join(os.path.dirname(os.path.abspath(__file__)), "perfetto.proto")
    data = run(tool, "cat", "-q", "--format=perfetto", *options, path)
    text = subprocess.run(["protoc", "--decode=Trace", "-I", os.path.dirname(proto), proto], input=data,
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    names, tracks, processes, open_slices, found = {}, {}, {}, {}, []
    slices = collections.defaultdict(list)
    cleared = False
    for _, packet in decoded(text):
        packet = collections.OrderedDict(packet)
        expect(packet["trusted_packet_sequence_id"] == 1, "sequence")
        cleared = cleared or packet["sequence_flags"] == 1
        expect(cleared, "a packet precedes the cleared state")
        for kind, entry in packet.get("interned_data", []):
            entry = dict(entry)
            names[kind, entry["iid"]] = entry.get("name", '""')
        if "track_descriptor" in packet:
            track = dict(packet["track_descriptor"])
            tracks[track["uuid"]] = track
            if "process" in track:
                processes[track["uuid"]] = dict(track["process"]).get("pid")
            else:
                expect(track["parent_uuid"] in processes, "a track without its process")
        if "track_event" not in packet:
            continue
        event = packet["track_event"]
        first = dict(event)
        uuid, at = first["track_uuid"], packet["timestamp"]
        expect(uuid in tracks, "an event precedes its track")
        process = processes[tracks[uuid]["parent_uuid"]]
        name = (names["event_names", first["name_iid"]] if "name_iid" in first else first.get("name", '""'))[1:-1]
        for field, annotation in event:
            if field == "debug_annotations":
                annotation = dict(annotation)
                expect(("debug_annotation_names", annotation["name_iid"]) in names, "annotation")
                iid = annotation.get("string_value_iid")
                expect(iid is None or ("debug_annotation_string_values", iid) in names, "path", iid)
        if first["type"] == "SLICE_BEGIN":
            expect(uuid not in open_slices, "two slices of a track overlap")
            open_slices[uuid] = (process, at, name)
        elif first["type"] == "SLICE_END":
            process, begin, name = open_slices.pop(uuid)
            found.append((process, begin, at - begin, name))
            slices[uuid].append((begin, at))
        elif first["type"] == "INSTANT":
            found.append((process, at, -1, name))
        else:
            expect(first["type"] == "COUNTER" and "counter" in tracks[uuid], "type", first["type"])
    expect(not open_slices, "slices without an end")
    expect(sorted(found) == trace.slices(), "slices differ")
    check_nesting(slices)
    return f"{len(found)} slices on {len(slices)} tracks"


def check_blkparse(tool, trace, path, options):
    line_form = re.compile(r"\s*(\d+),(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\.(\d{9})\s+(\d+)\s+([A-Z])\s+(\S+) (\d+) \+ (\d+) \[(.*)\]")
    found = collections.defaultdict(list)
    previous = number = 0
    for line in run(tool, "cat", "-q", "--format=blkparse", *options, path).decode().splitlines():
        m = line_form.fullmatch(line)
        expect(m, "line", line)
        number += 1
        at = int(m[5]) * 10 ** 9 + int(m[6])
        expect(int(m[4]) == number and at >= previous, "order", line)
        previous = at
        found[m[8]].append((at, int(m[1]) << 20 | int(m[2]), int(m[7]), m[9][0], int(m[10]), int(m[11])))
    records = [r for r in trace.records if r["level"] == "physical" and r["offset"] is not None and r["length"] > 0 and
               r["start_ns"] is not None]

    def wanted(time):
        return sorted((time(r), r["file"], r["process"], r["op"][0].upper(), r["offset"] // 512, r["length"] // 512)
                      for r in records if time(r) is not None)
    expect(sorted(found["Q"]) == sorted(found["D"]) == wanted(lambda r: r["start_ns"]), "Q or D differ")
    expect(sorted(found["C"]) == wanted(lambda r: None if r["duration_ns"] is None
                                        else r["start_ns"] + r["duration_ns"]), "C differ")
    return f"{number} lines"


def main():
    tool, path, *checks = sys.argv[1:]
    trace = Trace(tool, path)
    for check in checks:
        form, *options = check.split()
        print(f"{form}: {globals()['check_' + form](tool, trace, path, options)}, as expected")


if __name__ == "__main__":
    main()
