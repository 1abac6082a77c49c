#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rates of analyze and of decoding: of the workloads sequential and mixed, of a long copy of an application of the study, and of
# the logs or traces that are named, or else of a sample log: analyze.sh [INPUT ...]. Then those of two threads next to info.
set -eu

B=build/${MODE:-release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

"$B/bench/make_trace" sequential 5000000 1 "$work/sequential"
"$B/bench/make_trace" mixed 5000000 1 "$work/mixed"
python3 tests/tools/study_traces.py venus 40 | "$B/iotrace" cat -q -o "$work/venus"
[ $# -gt 0 ] || set -- testdata/strace/sqlite.strace.gz
for input in "$@"; do
	"$B/iotrace" cat -q -o "$work/real-$(basename "$input")" "$input"
done
"$B/bench/analyze" "${RUNS:-5}" "$work/sequential" "$work/mixed" "$work/venus" "$work"/real-*
echo
python3 bench/analyze_threads.py "$B/iotrace" "${RUNS:-5}" "$work/sequential" "$work/mixed" "$work/venus" "$work"/real-*
