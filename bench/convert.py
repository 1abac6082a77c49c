#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures speed and memory of conversions to plain text, and of inflate alone. Prints a table in Markdown.

	convert.py [--calls N] [--runs N] IOTRACE [LOG ...]

The logs are made, of so many calls each: two of Darshan, a trace of Recorder, a real log of strace
again and again, also in the form of DFTracer, and one of bpftrace. Logs that are named are measured,
too. Medians, everything in turns; one core: CPU time, two: wall clock; peak memory on two cores, and
there with --memory=16M. zcat and jq select the reads and writes of the file of DFTracer.
"""
import argparse
import gzip
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
TOOLS, LOG = HERE.parent / "tests/tools", HERE.parent / "testdata/strace/sqlite.strace.gz"
BPFTRACE = HERE.parent / "testdata/perf/bpftrace.txt"
PIECE = 1 << 16
MAPS, DXT_POSIX = 32, 11  # where a log has its regions, and which it is


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--calls", type=int, default=4000000)
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("iotrace", type=pathlib.Path)
    p.add_argument("log", type=pathlib.Path, nargs="*")
    return p.parse_args()


def make(tool, *options):
    subprocess.run([sys.executable, TOOLS / tool, *map(str, options)], check=True)


def make_strace(path, calls):
    """Repeats the log; each copy has another process number and starts when the previous one has ended."""
    lines = gzip.open(LOG, "rt").read().splitlines()
    fields = [re.match(r"(\d+) +(\d+\.\d+) (.*)", line).groups() for line in lines]
    begin, end = float(fields[0][1]), float(fields[-1][1])
    with open(path, "w") as out:
        for i in range(calls // len(lines)):
            late = i * (end - begin + 1e-3)
            out.writelines(f"{int(pid) + i} {float(at) + late:.6f} {rest}\n" for pid, at, rest in fields)


def make_pfw(path, calls):
    """The calls of the log again and again; about 750 of them become lines."""
    made = path.parent / "pfw"
    make("dftracer_make.py", "--repeat", calls // 750, LOG, made)
    max(made.iterdir(), key=lambda file: file.stat().st_size).rename(path)
    with open(path, "rb") as plain, gzip.open(f"{path}.gz", "wb", 6) as packed:
        shutil.copyfileobj(plain, packed)


def make_bpftrace(path, calls):
    """The lines of a recorded run, each time 10 ms later."""
    lines = [line.split(" ", 2) for line in open(BPFTRACE) if line.startswith("IOT1")]
    with open(path, "w") as out:
        for i in range(calls // len(lines)):
            out.writelines(f"{a} {int(at) + i * 10**7} {rest}" for a, at, rest in lines)


def make_blktrace(folder, calls):
    """Six records for each request, on four CPUs; blkparse prints them where it is installed."""
    disk = folder / "disk"
    disk.mkdir()
    make("blktrace_make.py", "--cpus", 4, "--requests", calls // 6, disk / "sda")
    inputs = {"blktrace, 4 CPUs": disk}
    if shutil.which("blkparse"):
        with open(folder / "sda.txt", "wb") as text:
            subprocess.run(["blkparse", "-q", "-D", disk, "-i", "sda"], stdout=text, stderr=subprocess.DEVNULL, check=True)
        inputs["text of blkparse"] = folder / "sda.txt"
    return inputs


def make_iolog(path, calls):
    with open(path, "w") as out:
        out.write("fio version 3 iolog\n1 /data/job.0.0 add\n2 /data/job.0.0 open\n")
        out.writelines(f"{3 + 17 * i} /data/job.0.0 {'write' if i % 3 == 0 else 'read'} {i * 7919 % 65536 * 4096} 4096\n" for i in range(calls))
        out.write(f"{20 + 17 * calls} /data/job.0.0 close\n")


def make_table(path, calls):
    with open(path, "w") as out:
        out.write("start_us,op,offset,length,process,file\n")
        for i in range(calls):
            op, at = "read" if i % 3 else "write", i % 50 * 1048576 + i // 50 * 4096
            out.write(f"{i * 37},{op},{at},4096,{i % 8 + 1000},{i % 5 + 3}\n")


def make_requests(path, calls):
    with open(path, "wb") as out:
        tool = TOOLS / "libcachesim_make.py"
        subprocess.run([sys.executable, tool, "--requests", str(calls), "oracleGeneral"], stdout=out, check=True)


def tools(folder):
    """What users run instead, and the records or lines that each reads."""
    log = folder / "job.iolog"
    programs = {
        "blkparse alone, binary": (["blkparse", "-q", "-D", folder / "disk", "-i", "sda", "-O", "-d", "/dev/null"], "blktrace, 4 CPUs"),
        "blkparse alone, to text": (["blkparse", "-q", "-D", folder / "disk", "-i", "sda", "-o", "/dev/null"], "blktrace, 4 CPUs"),
        "mawk, sum of a column of the CSV": (["mawk", "-F,", "{n += $4} END {print n}", folder / "table.csv"], "CSV, six columns"),
        "mawk, sums of the I/O log": (["mawk", "{n[$3]++; b[$3] += $5} END {print n[\"read\"], b[\"read\"]}", log], "I/O log of fio"),
        "fio, replay of the I/O log without I/O": (
            ["fio", "--name=r", f"--read_iolog={log}", "--ioengine=null", "--replay_no_stall=1", "--replay_redirect=null"], "I/O log of fio"),
    }
    return {name: row for name, row in programs.items() if shutil.which(row[0][0])}


def time_tool(command, cores):
    """Returns seconds of CPU time."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return usage.ru_utime + usage.ru_stime


def make_inputs(folder, calls):
    make("darshan_make.py", "--segments", calls, "--ranks", 32, "--files", 8, "--version", 1, "--streams", folder / "streams.darshan")
    make("darshan_make.py", "--segments", calls, "--ranks", 32, "--files", 8, "--version", 1, folder / "one.darshan")
    make("recorder_make.py", "--calls", calls // 64, "--ranks", 64, folder / "recorder")
    make_strace(folder / "sqlite.strace", calls // 4)
    make_pfw(folder / "app.pfw", calls // 4)
    make_bpftrace(folder / "app.iot1", calls // 4)
    make_iolog(folder / "job.iolog", calls)
    make_table(folder / "table.csv", calls)
    make_requests(folder / "requests.bin", calls)
    return {
        "DXT, a zlib stream for each of 32 ranks": folder / "streams.darshan",
        "DXT, all in one zlib stream": folder / "one.darshan",
        "Recorder 3.0, 64 ranks": folder / "recorder",
        "strace of sqlite": folder / "sqlite.strace",
        "DFTracer, .pfw": folder / "app.pfw",
        "DFTracer, .pfw.gz": folder / "app.pfw.gz",
        "bpftrace, iotrace.bt": folder / "app.iot1",
        **make_blktrace(folder, calls),
        "I/O log of fio": folder / "job.iolog",
        "CSV, six columns": folder / "table.csv",
        "libCacheSim, oracleGeneral": folder / "requests.bin",
    }


def convert(a, log, out, cores, *options):
    """Returns calls, seconds of wall clock time, seconds of CPU time, and MB of peak memory."""
    began = time.perf_counter()
    child = subprocess.Popen(
        [a.iotrace, "convert", "-v", *options, "-o", out, log],
        stderr=subprocess.PIPE,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    told = child.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    took = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    calls = re.search(r"(\d+) calls, \d+ records", told)
    if child.returncode not in (0, 1) or calls is None:
        sys.exit(f"{log}: {told}")
    out.unlink()
    return int(calls[1]), took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def inflate(log):
    """Returns the seconds that inflate needs for the DXT streams of a generated log, its last region."""
    data = memoryview(log.read_bytes())
    at = int.from_bytes(data[MAPS + DXT_POSIX * 16 :][:8], "little")
    began = time.process_time()
    while at < len(data):
        stream = zlib.decompressobj()
        while not stream.eof:
            stream.decompress(data[at : at + PIECE])
            at += PIECE - len(stream.unused_data)
    return time.process_time() - began


def jq(log):
    """Returns the lines per second of CPU time that zcat and jq need to select reads and writes; 0 without jq."""
    if shutil.which("jq") is None:
        return 0
    script = f"zcat {log} | grep '^{{' | jq -c 'select(.args.ret > 0) | [.ts, .name, .args.fd, .args.ret]' >/dev/null"
    before = os.times()
    subprocess.run(["sh", "-c", script], check=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return sum(1 for _ in gzip.open(log)) / used


def main():
    a = arguments()
    cores = sorted(os.sched_getaffinity(0))[:2]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="iotrace-bench-"))
    try:
        logs = make_inputs(folder, a.calls) | {log.name: log for log in a.log}
        rows = {name: {"one": [], "two": [], "peak": [], "small": []} for name in logs}
        alone, selected, programs = [], [], tools(folder)
        times = {name: [] for name in programs}
        for _ in range(a.runs):
            for name, log in logs.items():
                calls, _, cpu, _ = convert(a, log, folder / "out.iot", cores[:1])
                _, wall, _, peak = convert(a, log, folder / "out.iot", cores)
                *_, small = convert(a, log, folder / "out.iot", cores, "--memory=16M")
                for key, value in ("one", calls / cpu), ("two", calls / wall), ("peak", peak), ("small", small):
                    rows[name][key].append(value)
                rows[name]["calls"] = calls
            selected.append(jq(folder / "app.pfw.gz"))
            alone.append(a.calls / inflate(folder / "streams.darshan"))
            for name, (command, _) in programs.items():
                times[name].append(time_tool(command, cores[:1]))
        print("| source | calls | one core, M/s | two, M/s | peak, MB | with --memory=16M |")
        print("|---|---:|---:|---:|---:|---:|")
        for name, row in rows.items():
            one, two, peak, small = (statistics.median(row[key]) for key in ("one", "two", "peak", "small"))
            print(f"| {name} | {row['calls']} | {one / 1e6:.2f} | {two / 1e6:.2f} | {peak:.0f} | {small:.0f} |")
        print(f"| zlib's inflate alone, segments of the first | {a.calls} | {statistics.median(alone) / 1e6:.2f} |  |  |  |")
        print(f"| zcat and jq, .pfw.gz | {a.calls // 4} | {statistics.median(selected) / 1e6:.2f} |  |  |  |")
        for name, (_, source) in programs.items():
            calls = rows[source]["calls"]
            print(f"| {name} | {calls} | {calls / statistics.median(times[name]) / 1e6:.2f} |  |  |  |")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
