# SPDX-License-Identifier: BSD-2-Clause
"""Does the first finding of analyze name the cause of slow I/O?

    clinic.py IOTRACE [NAME...]

Records each program of tests/clinic, which has one known problem or none, and compares the first finding with what
`expected` states: the cause, and a regular expression that one of its objects matches; further lines are those of the
next findings. A program without a problem must have no finding that costs 5 % of the run. Exit status 1 if one differs.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "clinic")
CLAIM = 0.05


def recorded(iotrace, directory, scratch):
    """Returns the trace of a run."""
    work, trace = os.path.join(scratch, "work"), os.path.join(scratch, "trace.iot.zst")
    os.mkdir(work)
    if os.path.exists(os.path.join(directory, "setup.py")):
        subprocess.run([sys.executable, os.path.join(directory, "setup.py")], cwd=work, check=True)
    script = os.path.join(directory, "program.py")
    command = [sys.executable, "-S", "-B", script] if os.path.exists(script) else ["sh", os.path.join(directory, "program.sh")]
    subprocess.run([iotrace, "record", "-q", "-o", trace, *command], cwd=work, check=True)
    return trace


def findings(iotrace, trace):
    done = subprocess.run([iotrace, "analyze", "-q", "--json", "--section=findings", trace], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["findings"]


def matches(line, finding):
    cause, _, objects = line.partition(" ")
    if cause == "none":
        return finding["cost_share"] < CLAIM
    return finding["cause"] == cause and any(re.search(objects, each) for each in [*finding["finding_objects"], finding["sentence"]])


def diagnosed(iotrace, name):
    """Prints a line for a program. Returns whether the first findings are right."""
    directory = os.path.join(PROGRAMS, name)
    with open(os.path.join(directory, "expected"), encoding="utf-8") as f:
        expected = f.read().splitlines()
    with tempfile.TemporaryDirectory(dir=os.environ.get("CLINIC_WORK")) as scratch:
        found = findings(iotrace, recorded(iotrace, directory, scratch))
    nothing = {"cause": "none", "cost_share": 0, "finding_objects": [], "sentence": ""}
    shown = [*found, *[nothing] * len(expected)][: len(expected)]
    right = all(map(matches, expected, shown))
    for i, (line, finding) in enumerate(zip(expected, shown)):
        verdict = "" if i > 0 else "right" if right else "WRONG"
        print(f"{'' if i > 0 else name:18} {verdict:6} {line.split()[0]:17} {finding['cause']:17} {finding['cost_share']:5.0%}  "
              f"{' '.join(os.path.basename(each) for each in finding['finding_objects'])}", flush=True)
    return right


def main():
    iotrace = os.path.abspath(sys.argv[1])
    names = sys.argv[2:] or sorted(os.listdir(PROGRAMS))
    right = sum(diagnosed(iotrace, name) for name in names)
    print(f"{right} of {len(names)} programs: the first finding is right")
    return right < len(names)


sys.exit(main())
