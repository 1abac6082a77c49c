#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the hits of iotrace simulate with those of iotrace simulate --time --arrive=trace on a device that takes no time.

    timing_engine.py IOTRACE TRACE...

Both have to find the same blocks in the cache, since the order of the references is that of the trace. Traces that are not in order of
start are skipped, and so are those that cannot be read.
"""
import json
import subprocess
import sys

POLICIES = "lru,fifo"  # others choose another victim if theirs is being read
SIZES = "1b,3b,10b,100b,1000b"
ENGINE = ["--write=back"]
MODEL = ["--time", "--arrive=trace", "--read-ahead=none", "--device=latency=0s", "--hit-cost=0"]


def run(iotrace, trace, options):
    command = [iotrace, "simulate", "--quiet", "--json", f"--policy={POLICIES}", f"--cache={SIZES}", *options, trace]
    done = subprocess.run(command, capture_output=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def compare(iotrace, trace):
    """Returns the number of equal pairs, or None if the trace is skipped."""
    engine, model = run(iotrace, trace, ENGINE), run(iotrace, trace, MODEL)
    if engine is None or model is None:
        return None
    for pair, point in zip(engine["simulations"], model["runs"]):
        expected = pair["hits"]["reads"], pair["hits"]["writes"]
        found = point["read_hit_blocks"], point["write_hit_blocks"]
        if expected != found:
            sys.exit(f"{trace}: {point['policy']}, {point['cache_blocks']} blocks: hits {found}, without time {expected}")
    return len(model["runs"])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    equal = skipped = 0
    for trace in sys.argv[2:]:
        pairs = compare(sys.argv[1], trace)
        skipped += pairs is None
        equal += pairs or 0
    print(f"timing: hits of {equal} pairs of policy and size as without time; traces skipped: {skipped}")
    sys.exit(equal == 0)


main()
