# SPDX-License-Identifier: BSD-2-Clause
"""Compares the figures of the NHT-1 benchmarks with those that iotrace computes from their traces.

    nht1_check.py [--figures] DIRECTORY app CLASS REFERENCE
    nht1_check.py [--figures] DIRECTORY disk|net MIBS

DIRECTORY contains iotrace and examples/nht1/ (build/release). REFERENCE is the output of `verify` for this class. The
files are in the working directory. Prints a row for each criterion; --figures prints the figures of the traced run,
too. Times may differ by 1 %, and by 20 ms, for which the system may stop a program between two clocks.
"""
import argparse
import filecmp
import glob
import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import time

SHARE, SECONDS = 0.01, 0.02
TRIES = 5
INTERVAL = 5
VARIANTS = ("threads=2", "io=pwrite", "io=writev", "io=mmap", "io=direct", "io=async", "request=4000", "sync=vector",
            "sync=none")
failed = []


def row(name, holds, shown=""):
    print(f"{name:<52} {'yes' if holds else 'NO: ' + str(shown)}")
    if not holds:
        failed.append(name)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def refused(*command):
    return subprocess.run(command, capture_output=True).returncode == 1


def close(a, b):
    return abs(a - b) <= max(SHARE * abs(b), SECONDS)


def near(a, b):
    return abs(a - b) <= 1e-9 * abs(b)


class Programs:
    def __init__(self, directory):
        self.iotrace = os.path.join(directory, "iotrace")
        self.directory = os.path.join(directory, "examples", "nht1")

    def path(self, name):
        return os.path.join(self.directory, name)

    def result(self, name, *options):
        return json.loads(run(self.path(name), "--json", *options))

    def recorded(self, trace, name, *options):
        return json.loads(run(self.iotrace, "record", "-q", "-o", trace, self.path(name), "--json", *options))

    def analyze(self, trace, *options):
        return json.loads(run(self.iotrace, "analyze", "-q", "--json", *options, trace))

    def file(self, trace, path):
        rows = self.analyze(trace, "--by=file")["rows"]
        return [each for each in rows if each["path"] == os.path.abspath(path)][0]

    def sections(self, trace):
        head, *rows = [line.split() for line in run(self.path("marks"), trace).splitlines()]
        return {each[0]: {key: float(value) for key, value in zip(head[1:], each[1:])} for each in rows}


def has_direct_io(path):
    """Some file systems in memory have none."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT))
        return True
    except OSError:
        return False


def app_files(p, size_class):
    """The bytes of the file depend on nothing but the class."""
    options = [f"--class={size_class}", "--tc=1"]
    first = p.result("app", *options, "--output=first")
    row("size of the file", os.path.getsize("first") == first["written_bytes"], os.path.getsize("first"))
    for other in VARIANTS:
        if other != "io=direct" or has_direct_io("first"):
            p.result("app", *options, "--output=other", "--" + other)
        row(f"same bytes with --{other}", filecmp.cmp("first", "other", shallow=False))
    p.result("app", *options, "--output=part", "--file-per-vector")
    with open("other", "wb") as joined:
        for vector in range(first["vectors"]):
            with open(f"part.{vector}", "rb") as part:
                joined.write(part.read())
    row("same bytes in a file for each vector", filecmp.cmp("first", "other", shallow=False))


def diagonal(path, points, vectors):
    """What verify prints, from the definition."""
    import array
    values = array.array("d")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    for vector in range(vectors):
        for i in range(points):
            at = 5 * (vector * points ** 3 + i * (points * points + points + 1))
            for value in values[at:at + 5]:
                text = f"{value:15.10f}"
                yield text if len(text) == 15 else "*" * 15


def flipped(path, offset):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    data[offset] ^= 1
    with open("flipped", "wb") as file:
        file.write(data)


def app_verification(p, size_class, reference, points, vectors):
    verify = [p.path("verify"), f"--class={size_class}"]
    lines = run(*verify, "--full", "first").splitlines()
    row(f"{5 * points * vectors} lines, equal to a second reader", lines == list(diagonal("first", points, vectors)))
    opened = gzip.open if reference.endswith(".gz") else open
    with opened(reference, "rt") as file, open("reference", "w") as copy:
        copy.write(file.read())
    row("equal to the reference", subprocess.run([*verify, "--check=reference", "first"]).returncode == 0)
    flipped("first", 8 * 5 * (points * points + points + 1) + 6)
    row("a change on the diagonal is found", refused(*verify, "--check=reference", "flipped"))
    with open("first", "rb") as file, open("cut", "wb") as cut:
        cut.write(file.read()[:-8])
    row("a truncated file is refused, without output",
        refused(*verify, "cut") and subprocess.run([*verify, "cut"], capture_output=True).stdout == b"")


def app_formulas(result):
    points, steps = result["points"], result["steps"]
    moved = 5 * result["word"] * points ** 3 * steps / INTERVAL
    row("rate: 5 w n^3 N / (I T)", near(result["bytes_per_s"], moved / result["total_s"]))
    row("overhead: T / T_C - 1", abs(result["overhead"] - (result["total_s"] / result["compute_s"] - 1)) < 1e-9)


def app_trace(p, size_class):
    result = p.recorded("app.iot", "app", f"--class={size_class}", "--runs=1", "--output=traced")
    app_formulas(result)
    section, of_file = p.sections("app.iot")["app"], p.file("app.iot", "traced")
    row("trace: bytes of the file", of_file["written_bytes"] == result["written_bytes"], of_file["written_bytes"])
    row("trace: a write for each vector", of_file["writes"] == section["marks"] == result["vectors"])
    row("trace: bytes of the section", section["written_bytes"] == result["written_bytes"])
    row("trace: each write continues the last one", section["gaps"] == 0 and of_file["pattern"] == "contiguous")
    row("trace: time within 1 %", close(section["time"], result["total_s"]), (section, result["total_s"]))
    row("trace: time without I/O within 1 %", close(p.sections("app.iot")["compute"]["time"], result["compute_s"]))
    run(p.iotrace, "slice", "-q", f"--from={section['begin']:.9f}s", f"--to={section['end']:.9f}s", "-o", "section.iot",
        "app.iot")
    rate = p.analyze("section.iot")["totals"]["written_bytes_per_s"]
    row("trace: rate within 1 %", close(result["written_bytes"] / rate, result["total_s"]), rate)
    row("trace: one file is required output", of_file["class"] == "required", of_file["class"])
    row("trace: nothing is missing", subprocess.run([p.iotrace, "check", "app.iot"], capture_output=True).returncode == 0 and
        p.analyze("app.iot")["trace"]["lost_records"] == 0)
    return result


def app_pattern(p, size_class):
    """A step that sleeps takes its time on a busy machine, too."""
    p.recorded("series.iot", "app", f"--class={size_class}", "--tc=1", "--pattern-only", "--sleep", "--step=0.005",
               "--output=part", "--file-per-vector")
    shares = p.analyze("series.iot")["classes"]["write_reason_share"]
    row("trace: a file for each vector is a checkpoint", shares["checkpoint"] == 1, shares)
    result, gaps = recorded_pattern(p, size_class)
    section = p.sections("pattern.iot")["app"]
    row("pattern only: time within 1 %", close(section["time"], result["total_s"]), (section, result["total_s"]))
    app_period(p, gaps)


def recorded_pattern(p, size_class):
    """Returns the figures and the times from write to write; a busy machine has several tries to be on time."""
    for _ in range(TRIES):
        result = p.recorded("pattern.iot", "app", f"--class={size_class}", "--tc=1", "--pattern-only", "--sleep",
                            "--step=0.02", "--output=traced")
        lines = run(p.iotrace, "cat", "-q", "--format=csv", "pattern.iot").splitlines()
        starts = [int(line.split(",")[0]) * 1e-9 for line in lines if ",write,file," in line][:result["vectors"]]
        gaps = [b - a for a, b in zip(starts, starts[1:])]
        if on_time(p, gaps):
            break
    return result, gaps


def on_time(p, gaps):
    """Writes in less than half of the time have no period."""
    took = p.analyze("pattern.iot", "--section=totals")["totals"]["running_time_s"]
    return max(gaps) <= 1.1 * min(gaps) and 2 * sum(gaps) > 1.1 * took


def app_period(p, gaps):
    """The mean time from one write to the next; there is no period if the processor was late for some of them."""
    mean = sum(gaps) / len(gaps)
    found = p.analyze("pattern.iot", "--section=cycles")["cycles"]["write_period_s"]
    row("analyze: period of 5 equal steps within 1 %", not on_time(p, gaps) or found is not None and
        abs(found - mean) <= SHARE * mean, (found, mean))


def app_failures(p, size_class):
    """A limit of the size of files fails as a full disk does, if its signal is ignored, as it is in Python."""
    command = [p.path("app"), f"--class={size_class}", "--tc=1", "--output=partial"]
    limited = subprocess.run(command, capture_output=True, text=True, restore_signals=False,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
    row("a write that fails: no figures, no file",
        limited.returncode == 1 and limited.stdout == "" and "File too large" in limited.stderr and
        not os.path.exists("partial"), limited)
    running = subprocess.Popen([*command, "--pattern-only", "--sleep", "--step=1"], stdout=subprocess.PIPE)
    while not os.path.exists("partial"):
        time.sleep(0.01)
    time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    output = running.communicate()[0]
    row("an interrupt: no figures, no file", running.returncode == -signal.SIGINT and output == b"" and
        not os.path.exists("partial"), running.returncode)
    narrow = p.result("app", f"--class={size_class}", "--tc=1", "--word=4", "--output=narrow")
    row("4 bytes: half the size, verify reads it", os.path.getsize("narrow") * 2 == os.path.getsize("first") and
        narrow["written_bytes"] == os.path.getsize("narrow") and
        len(run(p.path("verify"), f"--class={size_class}", "--word=4", "narrow").split()) ==
        5 * narrow["points"] * narrow["vectors"])


def app(p, size_class, reference):
    result = app_trace(p, size_class)
    app_files(p, size_class)
    app_verification(p, size_class, reference, result["points"], result["vectors"])
    app_failures(p, size_class)
    app_pattern(p, size_class)
    return result


def disk(p, mibs):
    parts = ["--files=2", "--cpus=2", "--request=1M"]
    result = p.recorded("disk.iot", "disk", f"--memory={mibs}M", *parts)
    sections, size = p.sections("disk.iot"), result["data_bytes"]
    rate = 2 * size / (result["read_s"] + result["write_s"])
    row("rate: twice the data in the time of both", near(result["bytes_per_s"], rate), rate)
    row("no page was in memory before reading", result["resident_pages"] == 0)
    for section, other in (("write", "read"), ("read", "write")):
        past = {"write": "written", "read": "read"}
        seen = sections[section]
        row(f"trace: bytes of {section}",
            seen[past[section] + "_bytes"] == size and seen[past[other] + "_bytes"] == 0, seen)
        row(f"trace: time of {section} within 1 %", close(seen["time"], result[section + "_s"]), seen)
    totals = p.analyze("disk.iot")["totals"]
    row("analyze: bytes", totals["written_bytes"] >= size and totals["read_bytes"] >= size, totals)
    for number in range(2):
        each = p.file("disk.iot", f"nht1-disk.{number}")
        row(f"analyze: bytes of file {number}", each["written_bytes"] == each["read_bytes"] == size // 2, each)
    warm = subprocess.run([p.path("disk"), f"--memory={mibs}M", "--evict=none"], capture_output=True, text=True)
    row("a warm cache is refused", warm.returncode == 1 and "still in memory" in warm.stderr, warm.stderr)
    row("more than the free memory is refused", refused(p.path("disk"), "--memory=1000000G"))
    row("no file is left", glob.glob("nht1-disk.*") == [])
    return result


def net(p, mibs):
    result = p.recorded("net.iot", "net", f"--size={mibs}M")
    section, size = p.sections("net.iot")["transfer"], result["data_bytes"]
    row("rate: the data in the time of the transfer", near(result["bytes_per_s"], size / result["transfer_s"]))
    row("trace: bytes of both files", section["read_bytes"] == section["written_bytes"] == size, section)
    row("trace: time within 1 %", close(section["time"], result["transfer_s"]), section)
    run(p.iotrace, "slice", "-q", f"--from={section['begin']:.9f}s", f"--to={section['end']:.9f}s", "-o", "section.iot",
        "net.iot")
    source, target = (p.file("section.iot", "nht1-net." + name) for name in ("source", "target"))
    row("analyze: bytes read from the source", source["read_bytes"] == size and source["written_bytes"] == 0, source)
    row("analyze: bytes written to the target", target["written_bytes"] == size and target["read_bytes"] == 0, target)
    row("another address is refused", refused(p.path("net"), "--size=1M", "--address=0.0.0.0"))
    row("a copy that differs is refused", refused(p.path("net"), "--size=1M", "--command=head -c 9 $SOURCE >$TARGET"))
    row("a command that fails is noticed", refused(p.path("net"), "--size=1M", "--command=exit 3"))
    row("no file is left", glob.glob("nht1-net.*") == [])
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--figures", action="store_true")
    parser.add_argument("directory")
    parser.add_argument("program", choices=("app", "disk", "net"))
    parser.add_argument("rest", nargs="+")
    given = parser.parse_args()
    result = {"app": app, "disk": disk, "net": net}[given.program](Programs(given.directory), *given.rest)
    if given.figures:
        print(json.dumps(result, indent=2))
    for path in glob.glob("part.*"):
        os.unlink(path)
    sys.exit(len(failed) > 0)


if __name__ == "__main__":
    main()
