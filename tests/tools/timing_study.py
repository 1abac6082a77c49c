#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the timing model on synthetic programs, and compares it with the claims of a study and with values of a prototype.

    timing_study.py [--markdown] IOTRACE DIRECTORY

DIRECTORY gets the traces of timing_programs.py. Prints a row for each claim: the value, the expected one, and whether it is within the
tolerance. With --markdown the rows are a table. The exit status is 1 if a row is out of its tolerance.
"""
import json
import math
import os
import subprocess
import sys

PAGE = """# Claims of a study of disk caches, and values of iotrace simulate --time

`make study` writes this page. E. L. Miller, *Input/Output Behavior of Supercomputing Applications* (1990), section 6, simulates processes that
compute and wait for a disk with a cache, with traces of seven programs that are not public. `tests/tools/timing_programs.py` writes traces
with the sizes, counts and rates that the study prints for these programs, and `iotrace simulate --time` runs them with its defaults.

A claim is in the study's section or figure that the last column names. "prototype" is an earlier implementation of the same definition on the
same traces: values agree within 10 % or 1, the larger. Burst: half of the CPU time of a cycle precedes its first I/O. The synthetic programs
use their files in loops, so a cache has no effect until it holds a whole loop (112 MB for two copies of venus). This is why idle time falls in
steps here, and why forma is no exception with an SSD, as it is in the study.
"""
TOOLS = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20


class Study:
    def __init__(self, iotrace, directory):
        self.iotrace, self.directory, self.rows, self.runs = iotrace, directory, [], {}

    def trace(self, name):
        path = os.path.join(self.directory, f"{name}.iot")
        if not os.path.exists(path):
            words = ["--burst", name.removesuffix("-burst")] if name.endswith("-burst") else [name]
            with open(path + ".part", "w") as file:
                subprocess.run([sys.executable, os.path.join(TOOLS, "timing_programs.py"), *words], stdout=file, check=True)
            os.rename(path + ".part", path)
        return path

    def run(self, name, caches, *options):
        """Returns the results by cache size in MiB."""
        key = (name, caches, options)
        if key not in self.runs:
            sizes = ",".join(f"{mib}MiB" for mib in caches)
            command = [self.iotrace, "simulate", "--time", "--system=miller", "--json", f"--cache={sizes}", *options, self.trace(name)]
            result = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            self.runs[key] = {run["cache_bytes"] // MIB: run for run in result["runs"]}
        return self.runs[key]

    def row(self, what, value, expected, holds, source):
        self.rows.append((what, value, expected, "yes" if holds else "NO", source))

    def near(self, what, value, expected, source="prototype"):
        """Within 10 % or 1, the larger."""
        self.row(what, f"{value:.1f}", f"{expected:g}", abs(value - expected) <= max(1, expected / 10), source)


def idle(run):
    return run["idle_ns"] / 1e9


def busy(run):
    return (run["wall_ns"] - run["idle_ns"]) / 1e9


def variation(rates):
    """Coefficient of variation of the bytes at the device, without the last, shorter interval."""
    values = [rate["device_read_bytes"] + rate["device_written_bytes"] for rate in rates[:-1]]
    mean = sum(values) / len(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) / len(values)) / mean


def prototype(study):
    caches = (4, 8, 16, 32, 64, 96, 112, 128, 256)
    runs = study.run("venus", caches, "--copies=2")
    for mib, s in zip(caches, (364, 357, 38, 38, 38, 38, 0.2, 0.2, 0.2)):
        study.near(f"two copies of venus, {mib} MiB: idle s", idle(runs[mib]), s)
    for mib, s in ((4, 761), (8, 761), (32, 761), (128, 760)):
        study.near(f"two copies of venus, {mib} MiB: busy s", busy(runs[mib]), s)
    waits = study.run("venus", (128,), "--copies=2", "--write-behind=none")[128]
    neither = study.run("venus", (128,), "--copies=2", "--write-behind=none", "--read-ahead=none")[128]
    study.near("the same, 128 MiB, no write-behind: idle s", idle(waits), 201)
    study.near("the same, 128 MiB, neither: idle s", idle(neither), 203)
    study.near("the same, 128 MiB: device reads, MB", runs[128]["device_read_bytes"] / 1e6, 112)
    study.near("the same, 128 MiB: device writes, MB", runs[128]["device_written_bytes"] / 1e6, 11618)
    return runs, waits


def figure_8(study, runs, waits):
    study.row("128 MiB: idle s without write-behind", f"{idle(waits):.1f}", "211 (160 to 260)", 160 <= idle(waits) <= 260, "6.2")
    study.row("... and with it", f"{idle(runs[128]):.1f}", "1 (at most 7.6)", idle(runs[128]) <= 7.6, "6.2")
    study.row("128 MiB: busy s", f"{busy(runs[128]):.1f}", "761 (757 to 765)", 757 <= busy(runs[128]) <= 765, "figure 8")
    i8, i32, i128 = (idle(runs[mib]) for mib in (8, 32, 128))
    study.row("idle at 8, 32, 128 MiB", f"{i8:.1f}, {i32:.1f}, {i128:.1f}", "falls by 5 and by 5", i8 >= 5 * i32 >= 25 * i128, "figure 8")


def figures_6_and_7(study):
    options = ("--copies=2", "--rate=1")
    for name, program in (("even", "venus"), ("burst", "venus-burst")):
        rates = study.run(program, (128,), *options)[128]["rates"][10:]
        reads, writes = (sum(r[k] for r in rates) for k in ("device_read_bytes", "device_written_bytes"))
        share = reads / (reads + writes)
        study.row(f"128 MiB, {name}: share of reads at the device after 10 s", f"{share:.4f}", "below 0.01", share < 0.01, "figure 7")
    for mib, figure in ((128, "figure 7"), (32, "figure 6")):
        v = variation(study.run("venus-burst", (mib,), *options)[mib]["rates"])
        study.row(f"{mib} MiB, burst: variation of the rate, 1 s", f"{v:.2f}", "at least 0.5", v >= 0.5, figure)


def programs(study):
    used = [study.run("venus", (32,), f"--copies={n}")[32]["utilisation"] for n in (1, 2, 3)]
    study.row("utilisation with 1, 2, 3 copies of venus, 32 MiB", ", ".join(f"{u:.3f}" for u in used), "rises above 0.97",
              used[0] < used[1] < used[2] and used[2] > 0.97, "2.2")
    gcm = idle(study.run("gcm", (8,))[8])
    study.row("gcm, 8 MiB: idle s", f"{gcm:.3f}", "1 (at most 19)", gcm <= 19, "6.2")
    for mib, run in study.run("les", (4, 256)).items():
        share = 1 - run["utilisation"]
        study.row(f"les, {mib} MiB: idle share", f"{share:.5f}", "at most 0.01", share <= 0.01, "6.2")
    for name in ("venus", "ccm", "bvi", "gcm", "upw", "les", "forma"):
        u = study.run(name, (256,), "--hit-cost=ssd1990")[256]["utilisation"]
        claimed = "above 0.99" if name != "forma" else "any (the study's exception)"
        study.row(f"{name}, SSD of 256 MiB: utilisation", f"{u:.4f}", claimed, u > 0.99 or name == "forma", "6.3")


def limits_and_cpus(study):
    free = study.run("venus", (8, 32, 128), "--copies=2")
    limited = {mib: study.run("venus", (mib,), "--copies=2", f"--process-limit={mib // 2}M")[mib] for mib in free}
    for mib, run in free.items():
        change = idle(limited[mib]) - idle(run)
        study.row(f"{mib} MiB, each process at most half: change of idle s", f"{change:+.1f}", "no improvement", change > -1, "6.2")
    for n in (1, 2, 4):
        u = study.run("venus", (128 * n,), f"--cpus={n}", f"--copies={n + 1}")[128 * n]["utilisation"]
        study.row(f"{n + 1} copies of venus on {n} CPUs, {128 * n} MiB: utilisation", f"{u:.4f}", "above 0.97", u > 0.97, "2.2")


def main():
    markdown = sys.argv[1:2] == ["--markdown"]
    arguments = sys.argv[1 + markdown:]
    if len(arguments) != 2:
        sys.exit(__doc__)
    study = Study(*arguments)
    runs, waits = prototype(study)
    figure_8(study, runs, waits)
    figures_6_and_7(study)
    programs(study)
    limits_and_cpus(study)
    head = ("claim", "value", "expected", "holds", "source")
    if markdown:
        print(PAGE)
        print("|", " | ".join(head), "|\n|" + "---|" * len(head))
        for row in study.rows:
            print("|", " | ".join(row), "|")
    else:
        for row in (head, *study.rows):
            print(f"{row[0]:64} {row[1]:>22}  {row[2]:28} {row[3]:5} {row[4]}")
    wrong = sum(row[3] == "NO" for row in study.rows)
    sys.exit(1 if wrong else 0)


main()
