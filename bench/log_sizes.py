#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the sizes of traces with those of the logs they are made of: a table in Markdown.

    log_sizes.py IOTRACE [LOG|DIRECTORY]...

A LOG is any input of `iotrace convert`; of a DIRECTORY, all logs of at least 100 kB (strace) and all Darshan logs without DXT count. By
default, logs of git clone, tar and make are recorded with strace, beside those of testdata/ and ../shared/data.

Columns: bytes of the log, and of the log by zstd -1, -3 and -19; bytes of the trace as .iot.zst in version 1 and 2 (level 1, the default),
and of the latter at level 19; the last two columns are the ratios of version 2 to zstd -1 and -19 of the log. A Darshan log is compressed
already; its ratio is to the log itself.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

RECIPE = ["strace", "-f", "-ttt", "-T", "-y", "-s", "0", "-e", "abbrev=!/io_|msg|pipe|pair"]
ROOT = pathlib.Path(__file__).resolve().parent.parent


def zstd_size(data, level):
    return len(subprocess.run(["zstd", f"-{level}", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout)


def unpacked(path):
    """Returns the bytes of a log, without the compression of the file that holds it."""
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc", path], stdout=subprocess.PIPE, check=True).stdout
    if path.suffix == ".gz":
        return subprocess.run(["gzip", "-dc", path], stdout=subprocess.PIPE, check=True).stdout
    if path.is_dir():
        return b"".join(file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file())
    return path.read_bytes()


def trace_size(iotrace, path, *options):
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "t.iot.zst")
        done = subprocess.run([iotrace, "convert", "-q", "-o", out, *options, path], stderr=subprocess.DEVNULL)
        return os.path.getsize(out) if done.returncode in (0, 1) and os.path.exists(out) else None


def has_no_records(iotrace, path):
    done = subprocess.run([iotrace, "convert", "-q", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.returncode == 0 and all(line[:2] in (b"ff", b"") for line in done.stdout.split(b"\n"))


def row(iotrace, name, path):
    log = unpacked(path)
    old, new = (trace_size(iotrace, path, f"--format-version={v}") for v in (1, 2))
    best = trace_size(iotrace, path, "--level=19")
    if None in (old, new, best):
        return
    if path.suffix == ".darshan":
        print(f"| {name} | {len(log):,} | - | - | - | {old:,} | {new:,} | {best:,} | {new / len(log):.2f} | - |", flush=True)
        return
    zstd = [zstd_size(log, level) for level in (1, 3, 19)]
    print(f"| {name} | {len(log):,} | " + " | ".join(f"{size:,}" for size in zstd) +
          f" | {old:,} | {new:,} | {best:,} | {new / zstd[0]:.2f} | {new / zstd[2]:.2f} |", flush=True)


def record_programs(directory, names=("git clone", "tar c", "make -j2")):
    """Traces programs that open many files; returns (name, log)."""
    tree = directory / "tree"
    tree.mkdir()
    sources = sorted((ROOT / "lib").rglob("*.[ch]")) + sorted((ROOT / "converters").rglob("*.[ch]"))
    for i, source in enumerate(sources):
        (tree / f"{i:03}-{source.name}").write_bytes(source.read_bytes())
    objects = " ".join(f"o/{i}.o" for i in range(20))
    (directory / "Makefile").write_text(
        f"all: {objects}\n\tar cr all.a {objects}\no/%.o:\n\tmkdir -p o\n"
        "\tprintf '#include <stdio.h>\\n#include <stdlib.h>\\nint f$*;\\n' > o/$*.c\n\tgcc -c -o $@ o/$*.c\n")
    commands = {"git clone": ["git", "clone", "-q", str(ROOT), "clone"], "tar c": ["tar", "cf", "t.tar", "tree"],
                "make -j2": ["make", "-j2"]}
    for name in names:
        log = directory / (name.split()[0] + ".strace")
        with open(os.devnull, "w") as null:
            subprocess.run([*RECIPE, "-o", log, *commands[name]], cwd=directory, stdout=null, stderr=null, check=False)
        if log.exists():
            yield name, log


def logs_of(iotrace, path):
    if not path.is_dir() or path.name in ("ff_gitlocal", "ff_mtpread"):
        return [path]
    found = [file for file in sorted(path.rglob("*")) if file.is_file()]
    strace = [file for file in found if ".strace" in file.name and len(unpacked(file)) >= 100000]
    darshan = [file for file in found if file.suffix == ".darshan" and has_no_records(iotrace, file)]
    return strace + darshan


def main():
    iotrace = os.path.abspath(sys.argv[1])
    print("| log | bytes | zstd -1 | -3 | -19 | .iot.zst, version 1 | version 2 | --level=19 | of zstd -1 | of zstd -19 |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    if len(sys.argv) > 2:
        for path in sys.argv[2:]:
            for log in logs_of(iotrace, pathlib.Path(path)):
                row(iotrace, log.name, log)
        return
    with tempfile.TemporaryDirectory() as directory:
        for name, log in record_programs(pathlib.Path(directory)):
            row(iotrace, name, log)
    data = ROOT.parent / "shared" / "data"
    for path in (ROOT / "testdata/strace", ROOT / "testdata/darshan", data / "strace", data / "darshan"):
        if path.exists():
            for log in logs_of(iotrace, path):
                row(iotrace, log.name, log)
    for path in (data / "strace/ff_gitlocal", *sorted((data / "recorder/traces").glob("[bcft]*"))):
        if path.exists():
            row(iotrace, path.name, path)


if __name__ == "__main__":
    main()
