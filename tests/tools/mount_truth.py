#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that log their own transfers, on a mount: mount_truth.py IOTRACE RECORD_TRUTH [SCENARIO...]

Compares process, file, direction, offset and length of each transfer with the trace of iotrace mount.
Exits with 77 where nothing can be mounted.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import record_truth

# Without copies: sendfile reads pages, which are counted; and without mapping: shared mappings need --mmap-fallback.
SCENARIOS = [s for s in record_truth.SCENARIOS if s not in ("copies", "mapping")]


def check(iotrace, truth, scenario, d):
    source, point, trace = d / "source", d / "point", d / "mount.iot"
    source.mkdir()
    point.mkdir()
    command = [iotrace, "mount", "-q", "-o", trace, "--run", source, point, "--", truth, scenario, point]
    logged = record_truth.of_truth(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout, True)
    found = record_truth.of_trace(iotrace, trace, str(point))
    return sum(logged[0].values()) + sum(logged[1].values()), list(record_truth.compare(logged, found))


def main():
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        print("skipped: no /dev/fuse")
        sys.exit(77)
    iotrace, truth = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    failed = transfers = 0
    for scenario in sys.argv[3:] or SCENARIOS:
        with tempfile.TemporaryDirectory() as d:
            n, wrong = check(iotrace, truth, scenario, pathlib.Path(d))
        transfers += n
        failed += len(wrong)
        for sentence in wrong[:20]:
            print(f"{scenario}: {sentence}")
    print(f"{transfers} transfers, {failed} differences")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
