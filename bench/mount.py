#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""iotrace mount beside passthrough_ll of libfuse: mount.py IOTRACE [PAIRS [SECONDS]]

Both mount the same directory without the page cache. fio runs on one and the other in turn; a row has the median of the ratios of
pairs (iotrace / passthrough_ll), their range, the ratio of the means of the fastest fifth of each, the median of the ratios of calls
per second of CPU time of fio and the mount, which load of the machine changes least, and iotrace's calls per second. Exits with 77
where something is missing.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path("/usr/share/doc/libfuse3-dev/examples")
CASES = [(rw, size, threads) for size in ("4k", "128k") for threads in (1, 8) for rw in ("randread", "randwrite")]
GOALS = {"4k": 0.95, "128k": 0.97}


def missing():
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "no /dev/fuse"
    if not (EXAMPLES / "passthrough_ll.c").exists():
        return "no examples of libfuse3-dev"
    return None if shutil.which("fio") else "no fio"


def build(directory):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "fuse3"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    (directory / "config.h").touch()
    program = directory / "passthrough_ll"
    subprocess.run(["gcc", "-O2", "-w", f"-I{directory}", EXAMPLES / "passthrough_ll.c", "-o", program, *flags], check=True)
    return program


def wait_for(point):
    for _ in range(200):
        if os.path.ismount(point):
            return
        time.sleep(0.05)
    raise TimeoutError(f"{point} was not mounted")


def cpu_time(process):
    """Returns the seconds of CPU time that a process has used."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rate(mount, point, rw, size, threads, seconds):
    """Returns calls per second, and calls per second of CPU time."""
    command = ["fio", "--name=f", f"--filename={point}/file", f"--rw={rw}", f"--bs={size}", "--size=64m", f"--numjobs={threads}", "--thread",
               "--ioengine=psync", "--time_based", f"--runtime={seconds}", "--group_reporting", "--output-format=json", "--randrepeat=1",
               "--fallocate=none", "--overwrite=1", "--invalidate=0"]
    before = cpu_time(mount)
    job = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)["jobs"][0]
    used = cpu_time(mount) - before + (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1000
    return job["read"]["iops"] + job["write"]["iops"], (job["read"]["total_ios"] + job["write"]["total_ios"]) / max(used, 0.01)


def fastest(rates):
    """The mean of the fastest fifth."""
    return statistics.mean(sorted(rates)[-max(1, len(rates) // 5):])


def main():
    why = missing()
    if why is not None:
        print(f"skipped: {why}")
        sys.exit(77)
    iotrace = pathlib.Path(sys.argv[1]).resolve()
    pairs, seconds = int((sys.argv[2:] or [5])[0]), float((sys.argv[3:] or [2])[0])
    with tempfile.TemporaryDirectory() as name:
        d = pathlib.Path(name)
        source, ours, plain = d / "source", d / "ours", d / "plain"
        for path in (source, ours, plain):
            path.mkdir()
        (source / "file").write_bytes(bytes(64 << 20))
        other = subprocess.Popen([build(d), "-f", "-o", f"source={source},cache=never,clone_fd", plain])
        mount = subprocess.Popen([iotrace, "mount", "-q", "-o", d / "t.iot.zst", source, ours])
        try:
            wait_for(ours)
            wait_for(plain)
            for rw, size, threads in CASES:
                measured = [[rate(*on, rw, size, threads, seconds) for on in ((mount, ours), (other, plain))] for _ in range(pairs)]
                rates = [(a[0], b[0]) for a, b in measured]
                ratios = sorted(a / b for a, b in rates)
                median = statistics.median(ratios)
                print(f"{rw:9} {size:>4} {threads} threads: {median:.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f}), goal {GOALS[size]}: "
                      f"{'reached' if median >= GOALS[size] else 'missed'}; "
                      f"fastest fifth: {fastest([a for a, _ in rates]) / fastest([b for _, b in rates]):.3f}; "
                      f"CPU: {statistics.median(a[1] / b[1] for a, b in measured):.3f}; {statistics.median(a for a, _ in rates):.0f} calls/s", flush=True)
        finally:
            for point in (ours, plain):
                subprocess.run(["umount", "-l", point], check=False)
            mount.wait()
            other.wait()


if __name__ == "__main__":
    main()
