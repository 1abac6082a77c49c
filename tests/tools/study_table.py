#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the values of iotrace analyze with the tables of a study of supercomputing applications.

    study_table.py [--markdown] IOTRACE [NAME]...

Analyzes the traces that study_traces.py writes and prints, for each application, the rows of tables 1 and 2 of E. L. Miller,
Input/Output Behavior of Supercomputing Applications, and below them the values of iotrace analyze. Table 1 is in 10^6 bytes, table 2
in 2^20 and 2^10. CPU time and I/Os are exact, data size is within 2 %, total I/O and I/Os/s within 1 %, everything else within 5 %.
Three printed values of upw (0.445 MB, 0.0100 MB/s, a ratio of 0.12) and the mean size of venus contradict the other columns; the rows have
the corrected values. --markdown prints the page docs/study.md. By default all applications are analyzed.
"""
import json
import os
import subprocess
import sys

COLUMNS = ("CPU s", "data MB", "I/O MB", "I/Os", "avg MB", "MB/s", "I/Os/s", "read MB/s", "write MB/s", "reads/s", "writes/s",
           "avg KB", "R/W")
TOLERANCE = (0, .02, .01, 0, .05, .05, .01, .05, .05, .05, .05, .05, .05)
STUDY = {
    "bvi": (1258, 171, 22835, 1380457, 0.016, 18.2, 1097, 12.3, 5.34, 913, 185, 16.1, 2.31),
    "ccm": (205, 11.6, 1812, 54125, 0.031, 8.8, 264, 4.25, 3.96, 135, 128, 31.9, 1.07),
    "forma": (206, 30.0, 15155, 475826, 0.030, 73.6, 2310, 62.2, 5.68, 1990, 300, 30.4, 11.0),
    "gcm": (1897, 229, 266.2, 7953, 0.031, 0.14, 4.2, 0.0107, 0.12, 0.34, 3.85, 31.9, 0.089),
    "les": (146, 224, 7803, 22384, 0.317, 53.4, 153, 24.0, 25.2, 74, 81, 325, 0.95),
    "upw": (596, None, 61.5, 1840, 0.032, 0.10, 3.1, 0.0012, 0.100, 0.037, 3.05, 32.7, 0.012),
    "venus": (379, 55.2, 16712, 34904, 0.445, 44.1, 92, 26.4, 14.7, 60, 32, 456, 1.80),
}
# sequential_share, same_size_share, of a byte map
ORDER = {"bvi": (.9997, .9999), "ccm": (.9888, .9945), "forma": (.9963, .9995), "les": (.9877, .9937),
         "venus": (.9124, .9630)}

# Shares of all bytes, and the footprint, of a byte map
USE_COLUMNS = ("swapping", "first read", "final", "rewritten", "footprint")
USES = {"bvi": (.9820, .0075, .0075, .0030, 170989568), "ccm": (.9828, .0064, .0064, .0044, 11624448),
        "forma": (.9949, .0020, .0020, .0011, 30007296), "les": (.9177, .0272, .0285, .0265, 223467520),
        "venus": (.9795, .0032, .0033, .0139, 56033280)}
# Requests in the CPU time T of K cycles: T, K
CYCLES = {"bvi": (1258, 40), "ccm": (205, 75), "forma": (206, 42), "les": (146, 18), "venus": (379, 108)}
PERIOD_TOLERANCE = .01
PERIOD_COLUMNS = ("CPU s", "analyze", "wall s", "analyze", "cycles", "similarity")
# Bytes rewritten by those that run in memory; the other bytes are required
IN_MEMORY = {"gcm": 1080 * 33280, "upw": 0}


def uses(values):
    """Returns the row of USE_COLUMNS."""
    reuse, share = values["reuse"], values["classes"]["reason_share"]
    total = values["totals"]["bytes"]
    final = reuse["state_bytes"]["written"] + reuse["state_bytes"]["written-last"]
    return (share["swapping"], reuse["first_read"] / total, final / total, reuse["overwrite_unread"] / total, reuse["footprint"])


def wrong_uses(name, values):
    """Yields the differences from the expected classes and footprint."""
    for key, found, expected in zip(USE_COLUMNS, uses(values), USES.get(name, ())):
        if abs(found - expected) > .00005:
            yield f"{name}: {key} is {found:.6g}, expected {expected}"
    classes = values["classes"]
    if name in IN_MEMORY and classes["reason_bytes"]["rewritten"] != IN_MEMORY[name]:
        yield f"{name}: {classes['bytes']['rewritten']} bytes are rewritten, expected {IN_MEMORY[name]}"
    if name in IN_MEMORY and classes["reason_bytes"]["required"] + IN_MEMORY[name] != values["totals"]["bytes"]:
        yield f"{name}: {classes['bytes']['required']} bytes are required"


def made(name):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "study_traces.py")
    return subprocess.Popen([sys.executable, script, name], stdout=subprocess.PIPE)


def analyze(tool, name):
    """Returns the values of iotrace analyze for the trace of an application."""
    with made(name) as trace:
        done = subprocess.run([tool, "analyze", "-q", "--json"], stdin=trace.stdout, capture_output=True, check=True)
    return json.loads(done.stdout)


def periods(tool, name, values):
    """Returns the row of PERIOD_COLUMNS: the periods by CPU time, and by wall time, in which requests wait; None: there is no period."""
    with made(name) as trace:
        done = subprocess.run([tool, "analyze", "-q", "--json", "--section=cycles", "--clock=cpu"], stdin=trace.stdout, capture_output=True, check=True)
    by_cpu, found = json.loads(done.stdout)["cycles"], values["cycles"]
    cpu, wall = None, None
    if name in CYCLES:
        time, cycles = CYCLES[name]
        waited = 0 if name == "les" else values["totals"]["read_io_ns"] + values["totals"]["write_io_ns"]
        cpu, wall = time / cycles, (time + waited / 1e9) / cycles
    return cpu, by_cpu["period_s"], wall, found["period_s"], found["cycles"], found["similarity"]


def wrong_periods(name, row):
    for clock, expected, found in (("CPU", *row[:2]), ("wall", *row[2:4])):
        if (expected is None) != (found is None) or expected and abs(found - expected) > PERIOD_TOLERANCE * expected:
            yield f"{name}: the period is {found} s of {clock} time, expected {expected} within 1 %"


def row_of(totals):
    mb, mib, kib = 10 ** 6, 2 ** 20, 2 ** 10
    columns = (("running_time_s", 1), ("extent_bytes", mb), ("bytes", mb), ("requests", 1), ("size_mean", mib),
               ("bytes_per_running_s", mb), ("requests_per_running_s", 1), ("read_bytes_per_running_s", mib),
               ("written_bytes_per_running_s", mib), ("read_requests_per_running_s", 1), ("write_requests_per_running_s", 1),
               ("size_mean", kib), ("read_to_written_bytes", 1))
    return [totals[name] / unit for name, unit in columns]


def is_rounded(study, ours):
    """Whether the study's value may be ours, printed with as many digits."""
    text = str(study)
    decimals = len(text.split(".")[1]) if "." in text else 0
    return abs(study - ours) <= .51 * 10 ** -decimals


INTRODUCTION = """# Values of iotrace analyze for seven applications

`make study` writes this page. E. L. Miller, *Input/Output Behavior of Supercomputing Applications*, prints totals and rates of seven
applications per second of CPU time (tables 1 and 2). `tests/tools/study_traces.py` writes traces with the request sizes, rates and cycles of
these applications, and `iotrace analyze` computes their values.

In each pair of rows the first is the study's, the second that of `iotrace analyze`. Table 1 (the first seven columns) is in 10^6 bytes, table 2
in 2^20 and 2^10 bytes. The last row is the tolerance, which is checked: the study's tables differ from each other by up to 5 %. A value
that is printed with few digits may also be the rounded one. Three printed values of upw (0.445 MB, 0.0100 MB/s written, a ratio of 0.12) and the
mean size of venus contradict the other columns; the rows have the corrected values.
"""

USE_INTRODUCTION = """
## Classes of I/O and footprint

Shares of all bytes: *swapping* is what is read again, or written and read later; *first read* and *final* are required; *rewritten* is
overwritten without being read. The footprint is the number of different bytes. They are compared with the values of a byte map.
"""


PERIOD_INTRODUCTION = """
## Cycles

The true period by CPU time and by wall time, each followed by that of `iotrace analyze`; `-`: none. CPU time is that of `--clock=cpu`, with
which requests are at the CPU time of their process and take none. The tolerance is 1 %.
"""


def markdown_row(cells):
    return "| " + " | ".join(cells) + " |"


def markdown(rows):
    """The rows of the page; those of iotrace analyze follow those of the study."""
    tolerances = [f"{t:.0%}" if t else "exact" for t in TOLERANCE]
    print(INTRODUCTION, markdown_row(["", *COLUMNS]), markdown_row(["---", *["---:"] * len(COLUMNS)]), sep="\n")
    for name, study, ours in rows:
        print(markdown_row([f"{name}, study", *map(text, study)]), markdown_row([f"{name}, analyze", *map(text, ours)]), sep="\n")
    print(markdown_row(["tolerance", *tolerances]))


def use_table(rows):
    print(f"{'shares of all bytes':22}" + "".join(f"{name:>13}" for name in USE_COLUMNS))
    for name, found in rows:
        print(f"{name:22}" + "".join(f"{share:13.4f}" for share in found[:-1]) + f"{found[-1]:13}")


def use_markdown(rows):
    print(USE_INTRODUCTION, markdown_row(["", *USE_COLUMNS]), markdown_row(["---", *["---:"] * len(USE_COLUMNS)]), sep="\n")
    for name, found in rows:
        print(markdown_row([name, *(f"{share:.4f}" for share in found[:-1]), str(found[-1])]))


def table(rows):
    print(f"{'':14}" + "".join(f"{name:>11}" for name in COLUMNS))
    for name, study, ours in rows:
        print(f"{name:14}" + "".join(f"{text(value):>11}" for value in study))
        print(f"{'  analyze':14}" + "".join(f"{text(value):>11}" for value in ours))


def period_table(rows):
    print(f"{'period':14}" + "".join(f"{name:>11}" for name in PERIOD_COLUMNS))
    for name, row in rows:
        print(f"{name:14}" + "".join(f"{text(value):>11}" for value in row))


def period_markdown(rows):
    print(PERIOD_INTRODUCTION, markdown_row(["", *PERIOD_COLUMNS]), markdown_row(["---", *["---:"] * len(PERIOD_COLUMNS)]), sep="\n")
    for name, row in rows:
        print(markdown_row([name, *map(text, row)]))


def text(value):
    return "-" if value is None else f"{value:.4g}" if value < 1000 else f"{value:.0f}"


def main():
    arguments = [word for word in sys.argv[1:] if word != "--markdown"]
    if not arguments or not STUDY.keys() >= set(arguments[1:]):
        sys.exit(__doc__)
    tool, names = arguments[0], arguments[1:] or list(STUDY)
    as_page = "--markdown" in sys.argv[1:]
    rows, use_rows, period_rows, wrong = [], [], [], []
    for name in names:
        study = STUDY[name]
        values = analyze(tool, name)
        ours = row_of(values["totals"])
        rows.append((name, study, ours))
        use_rows.append((name, uses(values)))
        wrong += wrong_uses(name, values)
        period_rows.append((name, periods(tool, name, values)))
        wrong += wrong_periods(*period_rows[-1])
        for column, printed, found, tolerance in zip(COLUMNS, study, ours, TOLERANCE):
            if printed is not None and abs(found - printed) > tolerance * printed and not is_rounded(printed, found):
                wrong.append(f"{name}: {column} is {found:.6g}, expected {printed} within {tolerance:.0%}")
        for key, expected in zip(("sequential_share", "same_size_share"), ORDER.get(name, ())):
            if abs(values["order"][key] - expected) > .00005:
                wrong.append(f"{name}: {key} is {values['order'][key]:.5f}, expected {expected}")
        asynchronous = values["totals"]["asynchronous_requests"]
        if asynchronous != (values["totals"]["requests"] if name == "les" else 0):
            wrong.append(f"{name}: {asynchronous} requests are asynchronous")
    (markdown if as_page else table)(rows)
    (use_markdown if as_page else use_table)(use_rows)
    (period_markdown if as_page else period_table)(period_rows)
    print(*wrong, sep="\n", file=sys.stderr if as_page else sys.stdout)
    sys.exit(len(wrong) > 0)


if __name__ == "__main__":
    main()
