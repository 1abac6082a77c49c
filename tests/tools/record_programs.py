#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs real programs under `iotrace record`, and compares them with a run without it, and the trace with strace.

	record_programs.py [--keep DIR] IOTRACE [NAME ...]

Each program runs three times, in directories of their own: alone; under record, which must not change exit status and output; and
under strace and record at once, whose traces must have the same bytes and extents by process, file and direction, for the files in its
directory. A program that is not installed is left out. Exit status 1: a difference; 77: no strace.
"""
import argparse
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile

from record_truth import STRACE, covered, of_trace

HERE = pathlib.Path(__file__).resolve().parents[2]
SQL = """create table t(a integer primary key, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into t select i, hex(i * i) from n;
update t set b = b || 'x' where a % 7 = 0; delete from t where a % 5 = 0; select count(*), sum(length(b)) from t; vacuum;"""
POOL = """import multiprocessing, os
def work(i):
    with open(f"part.{i}", "w+b") as f:
        f.write(bytes([i]) * 5000); f.seek(100); return len(f.read())
if __name__ == "__main__":
    with multiprocessing.Pool(3) as pool: print(pool.map(work, range(12)))"""
PERL = "open F, '>', 'p' or die; print F \"line $_\\n\" for 1..5000; close F; open F, 'p'; my $n = 0; $n += length while <F>; print \"$n\\n\""
C = "#include <stdio.h>\nint main(void) { puts(\"built\"); return 0; }\n"
FIO = "fio --name=j --filename=f --size=1m --bs=4k --rw=randrw --output=/dev/null --minimal --invalidate=0 --randseed=7 --ioengine="

# name, files that it needs, what it is named if installed, shell command
PROGRAMS = [
    ("cp", "cp", "cp -r {top}/lib copy && rm -r copy/base && ls -R copy"),
    ("dd", "dd", "dd if={top}/GNUmakefile of=out bs=777 seek=3 status=none; dd if=out of=out2 bs=1k skip=1 count=2 conv=notrunc status=none; cksum out out2"),
    ("tar-gzip", "tar", "tar -C {top} -cf - lib/base | gzip >t.tar.gz && tar -xzf t.tar.gz && cat lib/base/*.c | cksum"),
    ("sort", "sort", "cat {top}/lib/*/*.c >in; sort -S 100k -T . in >out; cksum out"),
    ("sqlite3-rollback", "sqlite3", "sqlite3 db <sql; cksum db"),
    ("sqlite3-wal", "sqlite3", "(echo 'pragma journal_mode=wal;'; cat sql) | sqlite3 db"),
    ("git", "git", "git init -q r && cd r && cp -r {top}/lib . && git add . && git -c user.name=n -c user.email=e commit -qm m && git gc -q && "
     "cd .. && git clone -q r r2 && cat r2/lib/base/*.c | cksum"),
    ("gcc", "gcc", "gcc -O1 -o built c.c && ./built"),
    ("make", "make", "printf 'all: a b\\na b: c.c\\n\\tgcc -o $@ c.c\\n' >m; make -s -j2 -f m && ./a && ./b"),
    ("python3", "/usr/bin/python3", "/usr/bin/python3 -B pool.py; cksum part.*"),
    ("rsync", "rsync", "rsync -a {top}/lib/ one && rsync -a --delete one/ two && cat two/*/*.c | cksum"),
    ("perl", "perl", "perl perl.pl; cksum p"),
    ("fio-psync", "fio", FIO + "psync; stat -c %s f"),
    ("fio-pvsync2", "fio", FIO + "pvsync2; stat -c %s f"),
    ("fio-posixaio", "fio", FIO + "posixaio; stat -c %s f"),
    ("fio-libaio", "fio", FIO + "libaio --iodepth=8; stat -c %s f"),
    ("fio-mmap", "fio", FIO + "mmap; stat -c %s f"),
    ("status", "sh", "echo x >f; exit 7"),
    ("killed", "sh", "echo x >f; kill -TERM $$"),
]


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--keep", type=pathlib.Path, help="keep the traces here")
    p.add_argument("iotrace", type=pathlib.Path)
    p.add_argument("names", nargs="*")
    return p.parse_args()


def run(directory, words, command):
    """Runs a command in a new directory; returns its exit status (-1: killed by a signal) and standard output."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for name, text in (("sql", SQL), ("pool.py", POOL), ("perl.pl", PERL), ("c.c", C)):
        (directory / name).write_text(text)
    done = subprocess.run([*map(str, words), "sh", "-c", command.replace("{top}", str(HERE))], cwd=directory, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode, done.stdout, done.stderr


def totals(found, work):
    """Returns bytes and extents by process, file and direction. Several names of a file that still exists are one."""
    named = collections.Counter()
    for (process, file, *rest), n in found.items():
        path = work / file
        named[process, path.stat().st_ino if path.exists() else file, *rest] += n
    runs, total = covered(named)
    return {k: (runs[k], n) for k, n in total.items() if n > 0}


def compare(a, d):
    """Returns the number of transfers and sentences: what differs between the traces of record and of strace."""
    log, other = d / "log", d / "strace.iot"
    subprocess.run([a.iotrace, "convert", "-q", log, "-o", other], check=True, stderr=subprocess.DEVNULL)
    one, two = (of_trace(a.iotrace, t, str(d / "work")) for t in (d / "record.iot", other))
    one_totals, two_totals = totals(one, d / "work"), totals(two, d / "work")
    wrong = []
    for k in sorted(one_totals.keys() | two_totals.keys(), key=str):
        x, y = one_totals.get(k, ([], 0)), two_totals.get(k, ([], 0))
        if x != y:
            wrong.append(f"{k}: record {x[1]} bytes {x[0][:3]}, strace {y[1]} bytes {y[0][:3]}")
    return sum(one.values()), wrong


def check(a, name, command, d):
    record = [a.iotrace, "record", "-q", "-o", d / "record.iot", "--"]
    alone, recorded = run(d / "work", [], command), run(d / "work", record, command)
    wrong = []
    for what, x, y in zip(("exit status", "output", "standard error"), alone, recorded):
        if x != y:
            wrong.append(f"{what}: {x!r:.200} alone, {y!r:.200} under record")
    run(d / "work", [*STRACE, d / "log", *record], command)
    n, differences = compare(a, d)
    if a.keep:
        shutil.copytree(d, a.keep / name, dirs_exist_ok=True, ignore_dangling_symlinks=True)
    return n, wrong + differences


def main():
    a = arguments()
    a.iotrace, failed = a.iotrace.resolve(), False
    if shutil.which("strace") is None:
        print("skipped: no strace")
        sys.exit(77)
    for name, program, command in PROGRAMS:
        if (a.names and name not in a.names) or shutil.which(program) is None:
            continue
        d = pathlib.Path(tempfile.mkdtemp(prefix="iotrace-programs-"))
        try:
            n, wrong = check(a, name, command, d)
        except (subprocess.CalledProcessError, OSError, ValueError) as e:
            n, wrong = 0, [str(e)]
        shutil.rmtree(d)
        print(f"{name}: {n} transfers, {len(wrong)} differences", flush=True)
        for sentence in wrong[:6]:
            print(f"    {sentence}")
        failed = failed or bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
