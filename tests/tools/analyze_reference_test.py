#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares analyze_reference.py, and with an argument also IOTRACE analyze, with values computed by hand.

	analyze_reference_test.py [IOTRACE]

Prints a row for each value, with the trace it is of. In the traces, all fields are present and decimal: type compression offset length start duration operation file process cpu, with the
start since the preceding record, in microseconds. Type 128 is a read, 192 a write, 136 an asynchronous read.
"""
import json
import math
import os
import subprocess
import sys

REFERENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "analyze_reference.py")
CONSECUTIVE = ["128 0 0 100 0 10 0 1 1 0", "128 0 100 100 20 10 0 1 1 15", "128 0 200 50 20 10 0 1 1 15", "192 0 250 100 20 30 0 1 1 10"]
STRIDED = [f"192 0 {i * 1000} 10 10 5 0 1 1 0" for i in range(5)]
NESTED = [f"192 0 {group * 1000 + i * 100} 10 10 5 0 1 1 0" for group in range(4) for i in range(3)]
OVERLAPPING = ["136 0 0 10 0 100 0 1 1 0", "128 0 10 10 50 100 0 1 1 0", "128 0 20 10 150 50 0 1 2 0"]
ON_AND_OFF = [f"192 0 {i << 21} {1 << 21} {4000000 if i else 0} 1000000 0 1 1 0" for i in range(4)]
LOOP = [f"128 0 {i % 4 * 100} 100 10 5 0 1 1 0" for i in range(20)]
APART = ["255 %process id=1 rank=0 host=a", "255 %process id=2 rank=1 host=b", "255 %file process=1 id=1 object=9 path=/x",
         "255 %file process=2 id=1 object=9 path=/x", "128 0 0 100 0 10 0 1 1 0", "128 0 100 300 0 20 0 1 2 0",
         "255 %op name=open process=1 file=1 time=30 took=5 result=0", "255 %op name=open process=1 time=35 took=5 result=ENOENT"]
TIES = [f"128 0 {offset} 10 10 5 0 1 1 0" for offset in (1000, 900, 1000, 900, 1000)]
JOB = ["255 %trace epoch=1700000000000000000 job-start=1700000000.5 job-end=1700000009.5", "192 0 0 100 3000000 10 0 1 1 0"]
THREADS = ["255 %process id=2 thread-of=1", "128 0 0 7 0 10 0 1 2 0", "255 %process id=2 name=other", "128 0 7 7 10 10 0 1 2 5",
           "255 %process id=3 thread-of=2", "192 0 0 7 0 10 0 1 3 0"]
CLOCKS = ["255 %file process=2 id=1 cpu=unknown", "128 0 0 7 0 10 0 1 1 0", "128 0 7 7 30 10 0 1 1 30", "128 0 0 7 0 10 0 1 2 0"]
OBJECTS = ["128 0 0 10 0 1 0 1 1 0", "255 %file process=1 id=1 object=5", "128 0 0 20 0 1 0 1 1 0", "255 %file process=1 id=1",
           "128 0 10 30 0 1 0 1 1 0"]
LAYERS = ["255 %file process=1 id=1 layer=mpiio", "128 0 0 10 0 1 0 1 1 0", "255 %op name=close process=1 file=1 result=0",
          "128 0 0 20 0 1 0 1 1 0", "0 0 8 1 0 1 0 1 1 0"]
ORDER = ["128 0 0 10 5 1 0 1 1 0", "255 %op name=stat process=1 time=3 took=1", "64 0 0 1 -3 1 0 1 1 0", "128 0 10 10 0 1 0 1 1 0"]
HUGE = [f"192 0 {i} 18446744073709551615 1 1 0 1 1 0" for i in range(3)]
AT_ONCE = ["128 0 0 10 5 0 0 1 1 0", "128 0 10 10 0 0 0 1 1 0"]
UNKNOWN = ["255 %file process=1 id=1 offset=unknown", "128 0 0 7 0 1 0 1 1 0", "255 %file process=1 id=1", "128 0 7 7 5 1 0 1 1 0",
           "128 0 14 7 5 1 0 1 1 0"]
OPENS = ["255 %file process=1 id=1 object=1 path=/a", "128 0 0 100 0 10 0 1 1 0", "255 %op name=open process=1 file=1 time=30 took=5 result=0",
         "255 %op name=create process=1 file=1 time=40 took=5", "255 %op name=create process=1 path=/b time=50 took=5 result=0",
         "255 %op name=create process=1 file=1 time=60 took=5 result=EEXIST", "255 %op name=open process=1 path=/c time=70 took=5"]
PHYSICAL = ["0 0 8 1 0 1 0 1 1 0", "64 0 9 2 5 1 0 1 1 0"]

CASES = [
    ("three consecutive reads, then a write", CONSECUTIVE, {
        "totals.reads": 3, "totals.read_bytes": 250, "totals.written_bytes": 100, "totals.read_to_written_bytes": 2.5, "totals.running_time_s": 0.00004,
        "trace.run_time_s": 0.00009, "totals.extent_max": 350, "order.followers": 3, "order.sequential_share": 1, "order.same_size_share": 1 / 3,
        "order.switch_share": 1 / 3, "order.read_followers": 2, "order.sequential_runs": 1, "sizes.read_common_sizes": {"100": 2, "50": 1},
        "sizes.read_variable_share": 1 / 3, "sizes.read_size_log2": {"64": 1, "128": 2}, "time.inter_arrival_ns.mean": 20000,
        "time.idle_gap_bins": {"10240": 3}, "time.think_time_ns.n": 3, "time.read_time_ns": 30000, "time.io_time_ns": 60000}),
    ("every 1000 bytes, 10 bytes", STRIDED, {
        "order.write_pattern_streams.simple strided": 1, "order.write_strided_share": 0.75, "order.write_forward_share": 1, "order.write_common_strides":
        {"1000": 4}, "order.jump_mean": 990, "order.sequential_runs": 5}),
    ("groups of three, 100 apart, every 1000 bytes", NESTED, {
        "order.write_pattern_streams.nested strided": 1, "order.write_common_strides": {"100": 8, "800": 3}}),
    ("an asynchronous read, one that overlaps it, and one when both have ended", OVERLAPPING, {
        "trace.run_time_s": 0.00025, "time.concurrency_ns": {"0": 50000, "1": 150000, "2": 50000}, "time.concurrency_max": 2,
        "time.io_busy_ns": 200000, "time.idle_gap_ns.sum": 50000, "time.io_time_ns": 150000, "time.overlap_share": 1 - 150 / 250,
        "totals.asynchronous_requests": 1, "trace.processes": 2}),
    ("2 MiB a second, every fourth second", ON_AND_OFF, {
        "time.bins": 26, "time.intensity.1048576": 8 / 26, "time.burstiness.1048576": 2 / (math.exp(2 / 3) + 1),
        "time.idle_without_io.n": 3, "time.idle_without_io.sum": 9000000000, "time.written_bytes_per_s_max": 2097152, "time.dominating_type.write": 4 / 26,
        "time.bursts": 4, "time.burst_byte_share": 1}),
    ("the same four offsets, five times", LOOP, {
        "order.repetition.lag": 4, "order.repetition.covered": 16, "order.repetition.repetitive": 1,
        "order.read_backward_share": 4 / 19, "order.read_consecutive_share": 15 / 19}),
    ("two processes, one file, one failed open", APART, {
        "files.strategy": "N-1", "files.class_files.shared": 1, "files.rows.object/9.layout": "segmented",
        "files.rows.object/9.stragglers": 1 / 3, "processes.imbalance_bytes.spread": 2 / 3, "processes.imbalance_bytes.process": 2,
        "metadata.opens": 1, "metadata.calls.open": 2, "metadata.failed.open": 1, "metadata.errors": {"ENOENT": 1}, "time.operation_time_ns": 10000,
        "time.compute_nodes": 2, "time.same_file_share_max": 1}),
    ("an unknown offset, then two known ones", UNKNOWN, {
        "totals.unknown_offsets": 1, "totals.requests": 3, "totals.extent_max": 21, "order.followers": 1, "order.sequential_share": 1}),
    ("there and back: of equally common distances the smaller one comes first", TIES, {
        "order.read_common_strides": {"-100": 2, "100": 2}}),
    ("a job of nine seconds, of which 36 bins", JOB, {
        "trace.run_time_s": 9, "time.bins": 36, "time.intensity.0 requests": 1 / 36, "time.parallel_intensity.1048576": 0,
        "time.parallel_intensity_normalised.1048576": None}),
    ("a thread, then a process under its number, and a thread of this process", THREADS, {"trace.processes": 2}),
    ("one of two CPU clocks is unknown", CLOCKS, {"totals.running_clock": "wall", "totals.running_time_s": 0.00004}),
    ("a fileId is an unknown object, object 5, and an unknown object again", OBJECTS, {
        "totals.files": 2, "totals.extent_bytes": 60, "order.followers": 0, "order.read_pattern_streams.short": 3}),
    ("the layer of a fileId ends with its close; one physical record", LAYERS, {
        "trace.left_out": 1, "trace.left_out_physical": 1, "totals.bytes": 20}),
    ("an operation and a physical record start before the preceding record", ORDER, {"totals.out_of_order": 2}),
    ("an open, one that creates, two without a descriptor, and a failed one", OPENS, {
        "totals.opens": 2, "totals.created": 1, "metadata.opens_per_file": 2, "metadata.opens": 2, "metadata.creates": 2,
        "files.rows.object/1.opens": 2, "processes.created_per_process": 1}),
    ("the same, of a source that does not show what was created", ["255 %trace lacks=created", *OPENS], {
        "totals.opens": 2, "totals.created": None, "processes.created_per_process": None}),
    ("no operations", CONSECUTIVE, {"totals.opens": None, "totals.created": None, "processes.created_per_process": None}),
    ("physical records only", PHYSICAL, {"totals.reads": 1, "totals.written_bytes": 1024, "trace.left_out_logical": 0}),
    ("three times 2^64 - 1 bytes: sums do not exceed this number", HUGE, {
        "totals.written_bytes": 18446744073709551615, "totals.extent_max": 18446744073709551615, "sizes.written_size_bin_bytes":
        {"18446744073709551615": 18446744073709551615}}),
    ("two requests at one time without duration", AT_ONCE, {"trace.run_time_s": 0, "totals.running_time_s": 0, "totals.bytes_per_running_s": None}),
]


MISSING = "missing"


def at(values, path):
    """Returns MISSING if iotrace does not compute the value yet."""
    for key in path.split("."):
        values = values.get(key, MISSING) if isinstance(values, dict) else MISSING
    return values


def same(a, b):
    return abs(a - b) <= 1e-9 * abs(b) if isinstance(a, float) and isinstance(b, (int, float)) else a == b


def analyzed(trace):
    """Returns the values of iotrace analyze. Without framing, the trace is complete."""
    if len(sys.argv) < 2:
        return {}
    bare = trace.partition("\n")[2]
    done = subprocess.run([sys.argv[1], "analyze", "-q", "--json"], input=bare, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main():
    failed = 0
    for name, lines, expected in CASES:
        trace = "\n".join(["255 %iotrace version=1 tick=1000", *lines, ""])
        done = subprocess.run([sys.executable, REFERENCE], input=trace, capture_output=True, text=True, check=True)
        values = json.loads(done.stdout)
        others = analyzed(trace)
        print(name + ":")
        for path, value in expected.items():
            found = at(values, path)
            print(f"  {path} {found}" + ("" if same(found, value) else f", expected {value}"))
            other = at(others, path)
            if other != MISSING and not same(other, value):
                print(f"  {path} of iotrace analyze is {other}")
            failed += not same(found, value) or other != MISSING and not same(other, value)
    sys.exit(failed > 0)


main()
