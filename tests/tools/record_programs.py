#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs real programs under `iotrace record`, and compares them with a run without it, and the trace with strace.

	record_programs.py [--keep DIR] [--transport=pipe] [--seen=syscalls] [--mount] IOTRACE [NAME ...]

Each program runs three times, in directories of their own: alone; under record, which must not change exit status and output; and
under strace and record at once, whose traces must have the same bytes and extents by process, file and direction, for the files in its
directory, and the same truncates, which packets do not have; with --seen=syscalls the same transfers. With --mount they run on a mount
instead, which must not change output either, and whose trace must have the transfers that strace sees there. A program that is not
installed is left out. Exit status 1: a difference; 77: no strace, or nothing can be mounted.
"""
import argparse
import collections
import fnmatch
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from record_truth import STRACE, covered, differences, of_trace

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
NODE = """const fs = require('fs'), { Worker, isMainThread, workerData } = require('worker_threads');
if (!isMainThread) {
  const fd = fs.openSync('w' + workerData, 'w+');
  for (let i = 0; i < 50; i++) fs.writeSync(fd, Buffer.alloc(1000, i));
  fs.readSync(fd, Buffer.alloc(700), 0, 700, 300); fs.closeSync(fd);
} else (async () => {
  const workers = [0, 1, 2].map(i => new Promise(done => new Worker(__filename, { workerData: i }).on('exit', done)));
  const out = fs.createWriteStream('stream');
  for (let i = 0; i < 2000; i++) out.write(`line ${i}\\n`);
  await new Promise(done => out.end(done)); await Promise.all(workers);
  const f = await fs.promises.open('p', 'w+');
  for (let i = 0; i < 20; i++) await f.write(Buffer.alloc(4096, i), 0, 4096, 4096 * (19 - i));
  await f.sync(); await f.close(); fs.copyFileSync('p', 'copy');
  let n = 0; for await (const part of fs.createReadStream('stream')) n += part.length;
  console.log(n, fs.statSync('copy').size, require('child_process').execSync('cat w1 | cksum').toString());
})();
"""
JAVA = """import java.io.*; import java.nio.*; import java.nio.channels.*; import java.nio.file.*; import java.util.concurrent.*;
public class Main { public static void main(String[] a) throws Exception {
  ExecutorService pool = Executors.newFixedThreadPool(3);
  for (int t = 0; t < 3; t++) { final int n = t; pool.submit(() -> {
    try (RandomAccessFile f = new RandomAccessFile("r" + n, "rw")) { for (int i = 0; i < 100; i++) { f.seek(i * 512L); f.write(new byte[300]); } }
    return null; }); }
  pool.shutdown(); pool.awaitTermination(60, TimeUnit.SECONDS);
  try (BufferedWriter w = new BufferedWriter(new FileWriter("text"))) { for (int i = 0; i < 5000; i++) w.write("line " + i + "\\n"); }
  try (FileChannel c = FileChannel.open(Path.of("ch"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
    for (int i = 0; i < 30; i++) c.write(ByteBuffer.allocate(1000), i * 1500L); c.force(true);
    try (FileChannel to = FileChannel.open(Path.of("to"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) { c.transferTo(100, 20000, to); } }
  long n = 0; try (BufferedReader r = new BufferedReader(new FileReader("text"))) { while (r.readLine() != null) n++; }
  System.out.println(n + " " + Files.size(Path.of("to")));
} }"""
POSTGRES = "initdb -A trust -N -D data >init.log && mkdir s && pg_ctl -s -w -D data -l log -o \"-c listen_addresses='' -k $PWD/s\" start && { " \
    "pgbench -q -i -s 2 -h $PWD/s postgres && pgbench -n -c 4 -j 2 -t 100 --random-seed=7 -h $PWD/s postgres; " \
    "psql -At -h $PWD/s -c 'checkpoint' postgres; } >bench.log 2>&1; " \
    "psql -At -h $PWD/s -c 'select count(*), sum(delta) from pgbench_history' postgres; pg_ctl -s -w -D data -m fast stop"
FIO = "fio --name=j --filename=f --size=1m --bs=4k --rw=randrw --output=/dev/null --minimal --invalidate=0 --randseed=7 --ioengine="

NOT_AS_ROOT = ("initdb",)
AS_OTHER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/tmp"]
MAPPED = ("*-shm", "*/mapped")  # shared mappings, which need the page cache on a mount: of sqlite3, and of fio-mmap
SENT = ("*/ch",)  # java reads it with sendfile

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
    ("node", "node", "node main.js"),
    ("java", "javac", "javac Main.java && java -XX:-UsePerfData Main"),
    ("postgres", "initdb", POSTGRES),
    ("fio-psync", "fio", FIO + "psync; stat -c %s f"),
    ("fio-pvsync2", "fio", FIO + "pvsync2; stat -c %s f"),
    ("fio-posixaio", "fio", FIO + "posixaio; stat -c %s f"),
    ("fio-libaio", "fio", FIO + "libaio --iodepth=8; stat -c %s f"),
    ("fio-mmap", "fio", FIO.replace("=f ", "=mapped ") + "mmap; stat -c %s mapped"),
    ("status", "sh", "echo x >f; exit 7"),
    ("killed", "sh", "echo x >f; kill -TERM $$"),
]


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--keep", type=pathlib.Path, help="keep the traces here")
    p.add_argument("--transport", default="ring")
    p.add_argument("--seen", default="calls")
    p.add_argument("--mount", action="store_true")
    p.add_argument("iotrace", type=pathlib.Path)
    p.add_argument("names", nargs="*")
    return p.parse_args()


def run(directory, words, command, as_other=False):
    """Runs a command in a new directory; returns its exit status (-1: killed by a signal) and standard output."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for name, text in (("sql", SQL), ("pool.py", POOL), ("perl.pl", PERL), ("c.c", C), ("main.js", NODE), ("Main.java", JAVA)):
        (directory / name).write_text(text)
    if as_other:
        words = [*words, *AS_OTHER]
        os.chown(directory, 65534, 65534)
    done = subprocess.run([*map(str, words), "sh", "-c", command.replace("{top}", str(HERE))], cwd=directory, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode, done.stdout, done.stderr


def by_file(found, work):
    """Several names of a file that still exists are one."""
    named = collections.Counter()
    for (process, file, *rest), n in found.items():
        path = work / file
        named[process, path.stat().st_ino if path.exists() else file, *rest] += n
    return named


def visible(found):
    """Leaves out the files that need the page cache, whose requests are no calls, and what sendfile reads, which arrives as pages."""
    return collections.Counter({k: n for k, n in found.items() if not any(fnmatch.fnmatch(f"/{k[1]}", name) for name in (*MAPPED, *SENT))})


def with_offsets(found, known):
    """Offsets that strace does not show are the ones of the mount's transfers of the same size."""
    complete = found & known
    left = (known - found)
    for k in (found - known).elements():
        match = next((m for m in left if k[3] is None and left[m] > 0 and (*m[:3], *m[4:]) == (*k[:3], *k[4:])), k)
        left[match] -= 1
        complete[match] += 1
    return complete


def totals(named):
    """Returns bytes and extents by process, file and direction."""
    runs, total = covered(named)
    return {k: (runs[k], n) for k, n in total.items() if n > 0}


def compare(a, d):
    """Returns the number of transfers and sentences: what differs between the traces of record or mount and of strace."""
    log, other, seen_in = d / "log", d / "strace.iot", d / ("point" if a.mount else "work")
    subprocess.run([a.iotrace, "convert", "-q", log, "-o", other], check=True, stderr=subprocess.DEVNULL)
    one, two = (of_trace(a.iotrace, t, str(seen_in)) for t in (d / "record.iot", other))
    if a.mount:
        one, two = visible(one), visible(two)
    one, two = (by_file(found, d / "work") for found in (one, two))
    if a.mount:
        two = with_offsets(two, one)
    one_totals, two_totals = totals(one), totals(two)
    one_sizes, two_sizes = (collections.Counter({k: n for k, n in found.items() if k[2] == "t"}) for found in (one, two))
    wrong = list(differences(one_sizes, two_sizes, "record", "strace")) if a.transport == "ring" else []
    if a.mount or a.seen != "calls":  # each call, not only their sums
        return sum(one.values()), list(differences(one, two, "mount" if a.mount else "record", "strace"))
    for k in sorted(one_totals.keys() | two_totals.keys(), key=str):
        x, y = one_totals.get(k, ([], 0)), two_totals.get(k, ([], 0))
        if x != y:
            wrong.append(f"{k}: record {x[1]} bytes {x[0][:3]}, strace {y[1]} bytes {y[0][:3]}")
    return sum(one.values()), wrong


def check_as_other(a, name):
    """Runs this script as a user without privileges, for a program that refuses to run as root."""
    done = subprocess.run([*AS_OTHER, "python3", __file__, f"--transport={a.transport}", f"--seen={a.seen}", a.iotrace, name],
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode != 0, done.stdout


def tracers(a, d):
    """Returns the words before a command that traces it, and those that also run it under strace."""
    strace = [*STRACE, d / "log"]
    if not a.mount:
        record = [a.iotrace, "record", "-q", f"--transport={a.transport}", f"--seen={a.seen}", "-o", d / "record.iot", "--"]
        return record, [*strace, *record]
    (d / "point").mkdir()
    mount = [a.iotrace, "mount", "-q", *(f"--mmap-fallback={name}" for name in MAPPED), "-o", d / "record.iot", "--run", d / "work", d / "point",
             "--", "sh", "-c", 'cd "$0" && exec "$@"', d / "point"]
    return mount, [*mount, *strace]


def check(a, name, command, d, as_other=False):
    traced, by_both = tracers(a, d)
    d.chmod(0o755)
    alone, recorded = run(d / "work", [], command, as_other), run(d / "work", traced, command, as_other)
    wrong = []
    for what, x, y in zip(("exit status", "output", "standard error"), alone, recorded):
        if x != y:
            wrong.append(f"{what}: {x!r:.200} alone, {y!r:.200} traced")
    run(d / "work", by_both, command, as_other)
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
        other = program in NOT_AS_ROOT and os.geteuid() == 0
        if other and not a.mount:  # a mount needs root, its program does not
            different, text = check_as_other(a, name)
            print(text, end="", flush=True)
            failed = failed or different
            continue
        d = pathlib.Path(tempfile.mkdtemp(prefix="iotrace-programs-"))
        try:
            n, wrong = check(a, name, command, d, other)
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
