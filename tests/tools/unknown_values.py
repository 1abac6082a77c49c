# SPDX-License-Identifier: BSD-2-Clause
"""Prints which values "analyze" and "stat" know of a log of each format, and finds those that the format cannot contain.

    unknown_values.py IOTRACE TESTDATA

FORMATS lists what a log of each format contains, VALUES what each value needs. The table has a line for each value and a column for each
format: n: numbers or words, 0: only zeros, -: unknown, .: no line. It is an error if a value is a number, 0 included, although its format
lacks what the value needs, or if VALUES does not have a value.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

# What logs contain: starts and durations of requests; `requests`: each by itself, `offsets`, `files` and `processes` of requests; `cpu`: CPU
# clocks; `calls`: asynchronous requests are marked; `operations`: calls other than requests, with `opens`; `creates`: whether an open
# created its file; `names`: operations on names and attributes, and seeks; `took`: durations of operations; `results`: whether they failed;
# `counters`: sums of a program; `sizes`: sizes of requests, or means of intervals; `samples`: counters of hosts, `shown`: with opens.
SYSCALLS = "starts requests offsets processes files operations opens names results"
BLOCKS = "starts requests offsets files sizes"
SAMPLES = "starts samples sizes"
FORMATS = {
    "strace -T": ("strace/cp.strace", SYSCALLS + " durations took calls sizes"),
    "strace": ("strace/style_r.strace", SYSCALLS + " calls sizes"),
    "strace desc": ("strace/offsets_y_desc.strace", SYSCALLS + " calls sizes"),
    "perf script": ("perf/script.txt", SYSCALLS + " durations took sizes"),
    "perf trace": ("perf/trace.txt", SYSCALLS + " durations took sizes"),
    "bpftrace": ("perf/bpftrace.txt", SYSCALLS + " durations took sizes"),
    "dftracer": ("dftracer/cp-1.1.pfw", SYSCALLS + " durations took sizes"),
    "recorder 2.1": ("recorder/old_2.1.6", SYSCALLS + " durations took calls sizes"),
    "recorder 3": ("recorder/sem", SYSCALLS.replace(" results", "") + " durations took calls sizes"),
    "darshan DXT": ("darshan/mpi4_dxt.darshan", "starts durations requests offsets processes files sizes counters"),
    "darshan": ("darshan/mpi4_nodxt.darshan", "starts processes files counters"),
    "csv": ("csv/header.csv", BLOCKS + " processes durations operations opens names took"),
    "csv tabs": ("csv/tabs.tsv", BLOCKS),
    "csv msr": ("csv/msr.csv", BLOCKS + " processes durations"),
    "csv spc": ("csv/financial.spc", BLOCKS),
    "fio iolog 3": ("fio/v3.iolog", BLOCKS + " processes operations opens"),
    "fio iolog 2": ("fio/v2.iolog", BLOCKS.replace("starts ", "") + " processes operations opens"),
    "fio lat": ("fio/job_lat.1.log", BLOCKS + " processes durations"),
    "fio bw": ("fio/job_bw.1.log", BLOCKS + " processes"),
    "libcachesim": ("libcachesim/small.oracleGeneral.bin", BLOCKS),
    "vscsi": ("libcachesim/small.vscsi", BLOCKS),
    "blktrace": ("blktrace/v8.blktrace.0", BLOCKS + " durations processes results"),
    "blkparse": ("blktrace/v7.blkparse.txt", BLOCKS + " durations processes results"),
    "mmpmon": ("mmpmon/nodes.mmpmon", SAMPLES + " shown"),
    "lustre client": ("lustre/client.lustre", SAMPLES + " shown creates"),
    "lustre server": ("lustre/servers.lustre", SAMPLES + " shown creates durations-in-samples"),
    "lustre jobs": ("lustre/jobs.lustre", SAMPLES + " durations-in-samples"),
    "diskstats": ("diskstats/node1.diskstats", SAMPLES + " durations-in-samples"),
    "iostat -x": ("sysstat/x.iostat.json", SAMPLES + " durations-in-samples"),
    "iostat": ("sysstat/t.iostat.txt", SAMPLES),
    "sadf": ("sysstat/sa.json", SAMPLES),
    "mountstats": ("mountstats/node1.mountstats", SAMPLES + " shown creates durations-in-samples"),
}

# The first expression that matches names what a value needs: all words, of each one of its alternatives.
VALUES = [(re.compile(pattern), needs.split()) for pattern, needs in (
    (r"trace/processes", "processes"),
    (r"trace/.*", ""),  # counts of what the trace has, and what it declares
    (r"totals/(running_time_s|.*_per(_running)?_s)", "starts"),
    (r"totals/(files|extent_.*)", "files"),
    (r"totals/.*io_ns", "durations|counters|durations-in-samples"),
    (r"totals/opens", "opens|counters|shown"),
    (r"totals/created", "creates"),
    (r"totals/.*unknown_offset.*", "requests"),
    (r"totals/.*asynchronous.*", "calls"),
    (r"totals/out_of_order", "requests"),
    (r"totals/.*", ""),  # sums of requests
    (r"large/.*", "files"),
    (r"sizes/(.*_size_classes|.*small_share|aligned_share)", "sizes|counters"),
    (r"sizes/.*(variable|common|aligned|zero_bits).*", "requests"),
    (r"sizes/.*", "sizes"),
    (r"order/ascending_share", "requests|counters"),
    (r"order/.*", "requests offsets"),
    (r"time/(read|write|io|call)_time_ns", "durations"),
    (r"time/(io_time_max_ns|call_share|think_time.*)", "durations processes"),
    (r"time/io_share", "durations|counters processes"),
    (r"time/(inter_arrival_process_.*|same_file_share.*)", "processes"),
    (r"time/(.*parallel_intensity.*|.*active_process_share_max|active_pairs|.*_active_pairs)", "processes|samples"),
    (r"time/operation_time_ns", "took"),
    (r"time/operation_share", "took|counters"),
    (r"time/.*asynchronous.*", "calls"),
    (r"time/(slowest|node)_bytes_per_s", "durations|counters"),
    (r"time/compute_nodes", ""),
    (r"time/(overlap_share|.*latency.*|.*io_bytes_per_s|concurrency.*|io_busy_ns|idle_gap.*)", "durations"),
    (r"time/operation.*", "operations|samples"),
    (r"time/inter_arrival.*", "starts requests"),
    (r"time/same_file.*", "starts files"),
    (r"(time|cycles)/.*", "starts"),
    (r"metadata/(opens|opens_per_file)", "opens|counters|shown"),
    (r"metadata/closes", "operations|shown"),
    (r"metadata/creates", "names|creates"),
    (r"metadata/(directory|inode)_operations", "names"),
    (r"metadata/seeks_per_request", "names|counters"),
    (r"metadata/(failed.*|kind_failed|errors|other_errors)", "results"),
    (r"metadata/(operations|operation|kind)(_m.*)?_ns", "took|counters"),
    (r"metadata/.*", "operations"),
    (r"(reuse|classes)/.*", "requests offsets"),
    (r"files/.*", "files"),
    (r"processes/created_per_process", "creates processes"),
    (r"processes/(imbalance_io_time|top_time_ns)", "durations|counters processes"),
    (r"processes/.*", "files processes"),
    (r"map/1.5", "opens|counters|shown"),
    (r"map/(1.*|2.[1249]|2.11|3.1)", ""),
    (r"map/4.5", "calls"),
    (r"map/.*", "requests|files"),
    (r"(findings|hosts)/.*", ""),
    (r"counters/.*", "counters"),
    (r"samples/.*", "samples"),
    (r"stat/(read|written|reads|writes|bytes).*", ""),
    (r"stat/opens", "opens"),
    (r"stat/io_ns", "durations"),
    (r"stat/(located|sequential)", "offsets"),
    (r"stat/(followers|same_size|timed|sizes)", "requests"),
    (r"stat/operations.failed", "results"),
    (r"stat/operations.ns", "took|durations"),
    (r"stat/operations.*", "requests|operations"),
)]


def analyzed(tool, path):
    """Yields section/name and text of each value; the text of an unknown one is empty."""
    run = subprocess.run([tool, "analyze", "--quiet", "--tsv", path], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{path}: {run.stderr}")
    for line in run.stdout.splitlines()[1:]:
        section, name, _, _, value = line.split("\t")[:5]
        yield f"{section}/{name}", value


def counted(tool, path):
    """The same of stat, of the total and of operations."""
    run = subprocess.run([tool, "stat", "--quiet", "--json", path], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{path}: {run.stderr}")
    result = json.loads(run.stdout)
    for name, value in result["total"].items():
        if not isinstance(value, dict):
            yield f"stat/{name}", "" if value is None else str(value)
    for row in result["operation_list"]:
        for name in ("calls", "failed", "timed", "operation_ns"):
            yield f"stat/operations.{name}", "" if row.get(name) is None else str(row[name])


def cell(texts):
    known = [text for text in texts if text]
    if not known:
        return "-"
    return "0" if all(re.fullmatch(r"0(\.0*)?", text) for text in known) else "n"


def needs_of(value):
    return next((needs for pattern, needs in VALUES if pattern.fullmatch(value)), None)


def lacking(value, contains):
    """Returns what the value needs and a log does not contain, "" if it has all."""
    return " ".join(need for need in needs_of(value) or [] if not set(need.split("|")) & contains)


def table_of(tool, testdata, directory):
    subprocess.run(["tar", "-C", directory, "-xJf", f"{testdata}/recorder/traces.tar.xz"], check=True)
    table = {}
    for format_name, (path, _) in FORMATS.items():
        path = path.replace("recorder/", directory + "/") if path.startswith("recorder/") else os.path.join(testdata, path)
        for read in (analyzed, counted):
            for value, text in read(tool, path):
                table.setdefault(value, {}).setdefault(format_name, []).append(text)
    return {value: {f: cell(texts) for f, texts in of.items()} for value, of in table.items()}


def heading():
    """The names of the formats, downwards."""
    length = max(map(len, FORMATS))
    for i in range(length):
        print(" " * 44 + "".join(name.ljust(length)[i] + " " * (n % 5 == 4) for n, name in enumerate(FORMATS)).rstrip())


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as directory:
        table = table_of(sys.argv[1], sys.argv[2], directory)
    heading()
    for value, cells in table.items():
        print(f"{value:44}" + "".join(cells.get(name, ".") + " " * (n % 5 == 4) for n, name in enumerate(FORMATS)).rstrip())
    for value, cells in table.items():
        if needs_of(value) is None:
            bad += 1
            print(f"{value}: VALUES does not state what it needs")
        for name, shown in cells.items():
            missing = lacking(value, set(FORMATS[name][1].split()))
            if shown in "0n" and missing:
                bad += 1
                print(f"{name}: {value} is {'0' if shown == '0' else 'a number'}, but the format has no {missing}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
