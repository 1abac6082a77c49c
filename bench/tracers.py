#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures how much longer whole programs take under tracers: record, strace and ltrace, in turns, in one run.

	tracers.py [--runs N] [--files N] [--only WORD] [--tracers NAME,...] [--limit SECONDS] [--against OLD] IOTRACE

Each program runs once to fill caches, then N times alone and under each tracer, in turns. The table, in Markdown, shows medians of the
ratios to the neighboring run alone: of the wall clock time, of the CPU time of the program, and of the CPU times of program and tracer
together. CPU times vary less than wall clock times if other programs run on the machine. OLD is another build of iotrace, for a column of
its own; --tracers selects columns, as ltrace takes minutes. A tracer that is not installed, or that takes longer than the limit, has no figure.
"""
import argparse
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

SQL = """pragma synchronous=off; create table t(a integer primary key, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) insert into t select i, hex(i * i) from n;
select count(*), sum(length(b)) from t;"""
TIMES = "times"
SOURCES = "lib/format lib/io lib/reader lib/writer"
# name, program, shell command
PROGRAMS = [
    ("`git status`, {files} files", "git", "git -C tree status --porcelain"),
    ("`tar c`, {files} files", "tar", "tar cf - tree | cat >/dev/null"),
    ("`sqlite3`, 200000 inserts", "sqlite3", "rm -f db; sqlite3 db <sql"),
    ("`cp -r`, {files} files", "cp", "rm -rf copy; cp -r tree copy"),
    ("`make -j2`, 20 files of this project", "make", "rm -rf project/build; make -s -C project -j2 CC=gcc MODE=release $(cat objects)"),
]


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--runs", type=int, default=7)
    p.add_argument("--files", type=int, default=5000)
    p.add_argument("--only", default="", help="programs whose name contains this word")
    p.add_argument("--tracers", default="record,strace,ltrace", help="those whose name begins with one of these words")
    p.add_argument("--limit", type=float, default=120)
    p.add_argument("--against", type=pathlib.Path, metavar="OLD")
    p.add_argument("iotrace", type=pathlib.Path)
    return p.parse_args()


def make_tree(d, files):
    """Makes a repository of files of 1 to 20 KiB, all of them committed."""
    tree = d / "tree"
    tree.mkdir()
    for i in range(files):
        path = tree / f"d{i % 97}" / f"f{i}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(f"{i}\n", "ascii") * (200 + i % 3500))
    git = ["git", "-C", str(tree), "-c", "user.name=n", "-c", "user.email=e"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "m"]):
        subprocess.run(git + words, check=True)
    (d / "sql").write_text(SQL)


def copy_project(d):
    """Copies what `make` needs, and writes the names of the objects that it is to make."""
    here = pathlib.Path(__file__).resolve().parent.parent
    for name in ("lib", "include", "converters", "cli", "record"):
        shutil.copytree(here / name, d / "project" / name)
    shutil.copy(here / "GNUmakefile", d / "project")
    sources = [p for name in SOURCES.split() for p in sorted((here / name).glob("*.c"))]
    (d / "objects").write_text(" ".join(f"build/release/{p.relative_to(here).with_suffix('.o')}" for p in sources))


def record(iotrace, *options):
    return [str(iotrace.resolve()), "record", "-q", *options, "-o", "trace.iot.zst", "--"]


def tracers(a):
    """Returns the words before a command, by tracer."""
    return {
        "alone": [],
        "record": record(a.iotrace),
        "record, system calls": record(a.iotrace, "--seen=syscalls"),
        **({"record, old": record(a.against)} if a.against else {}),
        "strace": "strace -f -ttt -T -y -s 0 -o log".split(),
        "strace, only transfers": "strace -f --seccomp-bpf -ttt -T -y -s 0 -e trace=desc,process -o log".split(),
        "ltrace": "ltrace -f -S -o log".split(),
    }


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds_of(times):
    """Returns the sum of the CPU times of children that the `times` of bash printed: the second line, as 0m0.012s 0m0.345s."""
    return sum(60 * float(m) + float(s) for m, s in re.findall(r"(\d+)m([\d.]+)s", times.splitlines()[1]))


def seconds(d, words, command, limit):
    """Returns the wall clock time of a command, its CPU time, and that with the tracer's; None if it took too long or failed."""
    wall, cpu = time.monotonic(), cpu_seconds()
    script = f"({command}) && times >{TIMES}"
    # a wait with a timeout would look for the end every 50 ms only
    with subprocess.Popen([*words, "bash", "-c", script], cwd=d, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        timer = threading.Timer(limit, run.kill)
        timer.start()
        status = run.wait()
        timer.cancel()
    if status != 0:
        return None
    return time.monotonic() - wall, seconds_of((d / TIMES).read_text()), cpu_seconds() - cpu


def measure(a, d, command, installed):
    """Returns the times of each tracer, in turns; those that fail once are left out of later turns."""
    times = {name: [] for name in installed}
    if seconds(d, [], command, a.limit) is None:
        raise SystemExit(f"failed without a tracer: {command}")
    for _ in range(a.runs):
        for name, words in installed.items():
            if None not in times[name]:
                times[name].append(seconds(d, words, command, a.limit))
    return times


def cell(times, alone):
    if None in times:
        return "-"
    wall, own, both = (statistics.median(t[i] / u[i] for t, u in zip(times, alone)) for i in range(3))
    return f"{statistics.median(t[0] for t in times):.3f} s, {wall:.2f}; CPU {own:.3f}, {both:.2f}"


def main():
    a = arguments()
    chosen = tuple(a.tracers.split(","))
    installed = {name: words for name, words in tracers(a).items() if not words or (name.startswith(chosen) and shutil.which(words[0]))}
    d = pathlib.Path(tempfile.mkdtemp(prefix="iotrace-bench-"))
    try:
        make_tree(d, a.files)
        copy_project(d)
        print("| program | " + " | ".join(installed) + " |\n|---|" + "---:|" * len(installed), flush=True)
        for name, program, command in PROGRAMS:
            if a.only not in name or shutil.which(program) is None:
                continue
            times = measure(a, d, command, installed)
            wall, cpu = (statistics.median(t[i] for t in times["alone"]) for i in (0, 1))
            cells = [f"{wall:.3f} s, CPU {cpu:.3f} s"] + [cell(times[n], times["alone"]) for n in list(installed)[1:]]
            print(f"| {name.format(files=a.files)} | " + " | ".join(cells) + " |", flush=True)
    finally:
        shutil.rmtree(d)


if __name__ == "__main__":
    main()
