#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks for every output option of every command which files it replaces: traces, states, logs, and its own earlier output.

	replaced_files.py IOTRACE TESTDATA

OUTPUTS lists the options; an option of the help with the argument FILE, OUT or DIR that it lacks is a fault. Prints the number of
refusals and replacements, and each fault. Writes into the current directory.
"""
import os
import re
import shutil
import subprocess
import sys

# What an output may replace, from the least to the most.
NOTHING, OTHER, EXPORT, STATE, TRACE = range(5)
MAY_REPLACE = {"framed.iot.zst": TRACE, "bare.iot": TRACE, "packed.gz": TRACE, "x.state": STATE, "x.strace": EXPORT, "text": OTHER}

# Command and option: arguments with {} in place of the file, and what the output may replace.
OUTPUTS = {
    "record --output": ("-o {} true", TRACE),
    "convert --output": ("-o {} in.strace", TRACE),
    "convert --output-dir": ("-O d in.strace", TRACE, "d/in.strace.iot.zst"),
    "convert --report": ("-o new.iot --report={} in.strace", OTHER),
    "procstat --output": ("-o {} packets", NOTHING),
    "merge --output": ("-o {} in.iot", TRACE),
    "reorder --output": ("-o {} in.iot", TRACE),
    "reorder --report": ("-o new.iot --report={} in.iot", OTHER),
    "anonymize --key": ("--key={} --new-key -o new.iot in.iot", NOTHING),
    "anonymize --map": ("--key=key --map={} -o new.iot in.iot", OTHER),
    "anonymize --output": ("--key=key -o {} in.iot", TRACE),
    "anonymize --output-dir": ("--key=key -O d in.iot", TRACE, "d/in.iot"),
    "slice --output": ("--all-of-it -o {} in.iot", TRACE),
    "cat --output": ("-o {} in.iot", TRACE),
    "cat --output csv": ("-f csv -o {} in.iot", EXPORT),
    "cat --output fio": ("-f fio -o {} in.iot", EXPORT),
    "cat --output fio per process": ("-f fio --per-process -o d/t.iolog in.iot", EXPORT, "d/t.7.iolog"),
    "cat --output oracle": ("-f oracle -o {} in.iot", EXPORT),
    "cat --output lcs": ("-f lcs -o {} in.iot", EXPORT),
    "cat --output perfetto": ("-f perfetto -o {} in.iot", EXPORT),
    "cat --output blkparse": ("-f blkparse -o {} in.iot", EXPORT),
    "cat --prefix": None,  # names in the output
    "cat --setup": ("-f fio -o new --setup={} in.iot", OTHER),
    "analyze --state": ("-s {} in.iot", STATE),
    "analyze --jobs": None,  # an input
    "analyze --plan": None,
    "stat --plan": None,
    "cat --plan": None,
    "check --plan": None,
    "record --resume": None,
    "top --module": None,
    "record --analyze": None,
    "mount --analyze": None,
    "mount --settings": None,  # an input
    "sample --output": ("-q -n 1 --every=10ms -o {}", TRACE),
    "fsstats --key": ("--share --key={} --new-key d", NOTHING),
    "record --blktrace": None,  # needs privileges; tests/cli/record-blktrace.t
    "analyze --html": ("--html={} in.iot", OTHER),
    "analyze --plots": ("--plots=d in.iot", OTHER, "d/rate.svg"),
    "analyze --plots data": ("--plots=d in.iot", OTHER, "d/rate.tsv"),
    "simulate --svg": ("-c 64K --svg={} in.iot", OTHER),
    "simulate --output": ("-c 64K -o {} in.iot", OTHER),
    "simulate --output time": ("--time -c 64K -o {} in.iot", OTHER),
    "simulate --svg time": ("--time -c 64K --svg={} in.iot", OTHER),
    "mrc --svg": ("--svg={} in.iot", OTHER),
    "mrc --output": ("-o {} in.iot", OTHER),
    "fsstats --csv": ("--csv={} .", OTHER),
    "fsstats --state": ("-s {} .", STATE),
    "fsstats --html": ("--html={} .", OTHER),
    "fsstats --plots": ("--plots=d .", OTHER, "d/sizes.svg"),
    "fsstats --plots data": ("--plots=d .", OTHER, "d/sizes.tsv"),
    "fsstats --checkpoint": None,  # is removed at the end
    "fsstats --against": None,  # inputs
    "fsstats --resume": None,
    "match --output": None,  # of samples, which testdata does not have
    "mount --output": None,  # needs a mount point
    "match --jobs": None,  # an input
    "model --output": None,  # of samples, which testdata does not have
    "model --variant": None,  # an input
    "model --plots": None,
    "check --output": ("--repair -o {} in.iot", TRACE),
}


def run(iotrace, *words):
    return subprocess.run([iotrace, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def content(name):
    with open(name, "rb") as file:
        return file.read()


def make_inputs(iotrace, testdata):
    shutil.copy(f"{testdata}/format/example.iot", "in.iot")
    shutil.copy(f"{testdata}/format/example.iot", "bare.iot")
    with open("in.strace", "w", encoding="ascii") as file:
        file.write('7 10:00:00.000001 openat(AT_FDCWD, "f", O_RDONLY) = 3 <0.000010>\n7 10:00:00.000100 read(3, "x", 100) = 1 <0.000010>\n')
    shutil.copy("in.strace", "x.strace")
    for words in (["cat", "--framed", "-o", "framed.iot.zst", "in.iot"], ["cat", "--framed", "-o", "packed.gz", "in.iot"], ["analyze", "-s", "x.state", "in.iot"]):
        if run(iotrace, *words).returncode != 0:
            sys.exit(f"failed: {words}")
    for name, text in (("key", "a key of enough bytes\n"), ("text", "Some words.\n"), ("packets", "")):
        with open(name, "w", encoding="ascii") as file:
            file.write(text)
    os.chmod("key", 0o600)


def unlisted(iotrace):
    """Yields the options with a file or a directory in the help that OUTPUTS lacks."""
    commands = re.findall(r"^  ([a-z]+) ", run(iotrace, "help").stdout.decode(), re.M)
    for command in commands:
        for option in re.findall(r"^ .*(--[a-z-]+)=(?:FILE|OUT|DIR)", run(iotrace, "help", command).stdout.decode(), re.M):
            if f"{command} {option}" not in OUTPUTS:
                yield f"{command} {option}: not listed"
    if len(commands) < 15:
        yield f"{len(commands)} commands in the help"


def refusal_faults(option, old, target, done):
    """Yields the faults of a command that has to leave the file alone."""
    message = done.stderr.decode()
    if done.returncode != 2:
        yield f"status {done.returncode} instead of 2"
    if content(target) != content(old):
        yield "was replaced"
    if OUTPUTS[option][1] != NOTHING and (f"would replace {target}, which is a" not in message or f"FILE {target}'?" not in message):
        yield f"says {message!r}"


def replacement_faults(old, target, done):
    if done.returncode != 0:
        yield f"status {done.returncode} instead of 0: {done.stderr.decode()}"
    elif content(target) == content(old) and old not in ("framed.iot.zst", "bare.iot", "packed.gz", "x.state"):
        yield "was not replaced"


def main(iotrace, testdata):
    refused = replaced = 0
    make_inputs(iotrace, testdata)
    faults = list(unlisted(iotrace))
    for option, of in OUTPUTS.items():
        for old, rank in MAY_REPLACE.items() if of is not None else ():
            target = of[2] if len(of) > 2 else "target"
            shutil.rmtree("d", ignore_errors=True)
            os.mkdir("d")
            shutil.copy(old, target)
            os.chmod(target, 0o600)
            words = [option.split()[0], *of[0].format(target).split()]
            done = run(iotrace, *words)
            if of[1] < rank:
                refused += 1
                found = list(refusal_faults(option, old, target, done))
            else:
                replaced += 1
                found = list(replacement_faults(old, target, done))
                found += [f"its own output: {fault}" for fault in replacement_faults("framed.iot.zst", target, run(iotrace, *words))]
            faults += [f"{' '.join(words)}, over {old}: {fault}" for fault in found]
    print(f"{refused} refused, {replaced} replaced")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
