#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks every output of iotrace analyze for traces with hostile names: markup, control characters, invalid UTF-8, and up to 63 KiB.

	hostile_names.py IOTRACE

JSON has to be valid, rows of TSV to have equal columns, text, HTML and SVG to be UTF-8 without control characters, and both of the
latter to be well-formed. Prints the number of outputs, and each fault. Writes into the current directory.
"""
import json
import os
import shutil
import subprocess
import sys
import xml.dom.minidom

NAMES = ["<script>alert(1)</script>", "a%0Ab%09c%1B%5B31m", "%FF%FE%80bad", "%E2%80%AErtl%C2%85", "%22quotes'&amp;", "x" * 63000, "y" * 8000, "]]>--><!--", "=1+1"]
TABLES = [[f"--by={by}"] for by in ("process", "rank", "host", "file", "dir", "op")]
ONE = [[], ["--top=1000"], ["--section=map"], ["--dependencies", "--working-set", "--section=reuse"], ["--against=other"], *TABLES]
SEVERAL = [[], ["--by=job"], ["--group=user"], ["--group=command"], ["--group=dir"], ["--section=map"]]


def write_trace(name, job, flags):
    with open(name, "w", encoding="ascii") as file:
        print(f"255 %trace epoch=1000000000 job={job}{NAMES[0]} command={NAMES[1]} user={NAMES[4]} host={NAMES[0]}", file=file)
        for i, each in enumerate(NAMES, 1):
            print(f"255 %process id={i} host={each[:8000]} rank={i}\n255 %file process={i} id=1 object={i} path=/{each}", file=file)
        for k in range(400):
            print(f"{flags[k % 3 > 0]} 32 {k * 4096} {4096 + k} 100000 5000 1 {k % len(NAMES) + 1} 0", file=file)
        print("255 %op name=open process=1 time=1 took=5 result=<b>", file=file)


def faults(form, data):
    """Yields the faults of an output."""
    if form == "json":
        json.loads(data)
    elif form == "tsv":
        columns = {line.count(b"\t") for line in data.split(b"\n")[:-1]}
        if len(columns) != 1:
            yield f"rows of {sorted(columns)} tabs"
    else:
        text = data.decode("utf-8")
        if any(c < " " and c not in "\n\t" or "\x7f" <= c < "\xa0" or c in "\u202e\u2066" for c in text):
            yield "control characters"
        if form in ("svg", "html") and b"<script" in data:
            yield "a script"
        if form == "svg":
            xml.dom.minidom.parseString(data)
        elif form == "html" and shutil.which("tidy"):
            done = subprocess.run(["tidy", "-q", "-e"], input=data, capture_output=True, check=False)
            yield from done.stderr.decode().splitlines()[:3]


def outputs(tool):
    """Yields name, form and bytes of each output."""
    def run(*arguments):
        return subprocess.run([tool, "analyze", "-q", "--in-base=10", "--no-fsync", *arguments], capture_output=True, check=True).stdout

    for inputs, lists in ((["one"], ONE), (["one", "other"], SEVERAL)):
        for options in lists:
            for form, option in (("text", []), ("json", ["-j"]), ("tsv", ["-t"])):
                yield " ".join(options + option + inputs), form, run(*options, *option, *inputs)
    for form, option in (("text", []), ("tsv", ["-t"])):
        yield "--every " + form, form, run("--every=1s", "--by=file", *option, "one")
    for options, inputs in (([], ["one"]), (["--group=user"], ["one", "other"])):
        run(*options, "--html=report.html", "--plots=plots", *inputs)
        for path in ["report.html"] + [os.path.join("plots", name) for name in sorted(os.listdir("plots"))]:
            with open(path, "rb") as file:
                yield path, path.rpartition(".")[2], file.read()


def main(tool):
    count = 0
    write_trace("one", "", (128, 192))
    write_trace("other", "2", (192, 128))
    for name, form, data in outputs(tool):
        count += 1
        try:
            found = list(faults(form, data))
        except (ValueError, xml.parsers.expat.ExpatError) as error:
            found = [str(error)]
        for fault in found:
            print(f"{name}: {fault}")
    print("outputs of every form:", count > 80)


if __name__ == "__main__":
    main(sys.argv[1])
