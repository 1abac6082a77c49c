#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures the peak memory of `iotrace model`, which may be 64 KiB for each I/O node and 200 bytes for each request in flight.

    model_memory.py IOTRACE SYSTEM

The first case is a day of 600 I/O nodes with few requests. In the second one, small writes fill the page pools, one after the other.
"""
import os
import subprocess
import sys

INTERVAL, PIECE, COMPUTE_NODES = 120_000_000, 4096, 128


def logs(hosts, intervals, writes):
    """Yields the lines of a trace in which host k has `writes` writes in interval k."""
    yield "ff %trace source=gpfs lacks=completion,cpu,offset epoch=1300000000\n"
    for k in range(intervals):
        for host in range(hosts):
            n = writes if host == k else 1
            yield (f"ff %sample time={k * INTERVAL} took={INTERVAL} source=gpfs host=io{host:04d} target=fs job={k // 6}.{host // 4} "
                   f"reads=1 writes={n} read-bytes=1000 written-bytes={n * PIECE}\n")


def peak(iotrace, system, lines):
    """Returns the peak memory of a simulation in bytes."""
    with subprocess.Popen([iotrace, "model", system, "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        process.stdin.writelines(lines)
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    return usage.ru_maxrss * 1024 if status == 0 else sys.exit(f"exit status {status}")


def measure(iotrace, name, system, hosts, intervals, writes):
    """Prints the peak memory and the limit. writes: also how many the page pool of one I/O node has. Returns whether it is too much."""
    limit = 65536 * hosts + 200 * (COMPUTE_NODES * hosts + writes)
    found = peak(iotrace, system, logs(hosts, intervals, writes))
    wrong = found > limit
    print(f"{name}: {found / 2**20:.1f} MiB, at most {limit / 2**20:.1f}" + (": WRONG" if wrong else ""))
    return wrong


def main():
    iotrace, system = sys.argv[1:]
    slow = os.path.join(os.path.dirname(iotrace), "slow.system")
    with open(system, encoding="utf-8") as source, open(slow, "w", encoding="utf-8") as out:
        out.write(source.read() + "page-pool = 64MiB  network = 1Gbit/s\n")
    wrong = measure(iotrace, "600 I/O nodes, 720 intervals", system, 600, 720, 1)
    wrong |= measure(iotrace, "200 I/O nodes, 200 full page pools", slow, 200, 200, 64 * 2**20 // PIECE)
    os.remove(slow)
    sys.exit(wrong)


main()
