#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the benchmark; the workload "real" is what the sample logs convert to, unless traces are named.
set -eu

B=build/${MODE:-release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

for argument in "$@"; do
	case $argument in
	-*) ;;
	*) exec "$B/bench/bench" "$@" ;;
	esac
done
traces=
for log in testdata/strace/*.strace testdata/strace/*.log; do
	[ -f "$log" ] || continue
	trace=$work/$(basename "$log").iot
	if "$B/iotrace" convert -q -o "$trace" "$log" 2>/dev/null; then
		traces="$traces $trace"
	fi
done
# shellcheck disable=SC2086
"$B/bench/bench" "$@" $traces
