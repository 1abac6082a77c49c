#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures, and keeps the figures: bench/RESULTS.md and bench/results.svg.
set -eu

B=build/${MODE:-release}
json=$B/bench/results.json
MODE=${MODE:-release} sh bench/run.sh --json "$@" >"$json"
python3 bench/results.py "$json" bench/RESULTS.md bench/results.svg "make bench-results BENCH_ARGS=\"$*\""
