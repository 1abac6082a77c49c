#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures, and keeps the figures: bench/RESULTS.md and bench/results.svg.
#
#	make bench-results BENCH_ARGS='[--keep-sizes] [OPTION OF BENCH ...]'
#
# --keep-sizes leaves the sections about sizes as they are, which take minutes of zstd -19 and do not depend on how fast this is.
# With 10 million I/Os and 3 runs the rest takes some 10 minutes.
set -eu

keep=
if [ "${1:-}" = --keep-sizes ]; then
	keep=$(sed -n '/^## Size/,$p' bench/RESULTS.md)
	shift
fi

B=build/${MODE:-release}
json=$B/bench/results.json
MODE=${MODE:-release} sh bench/run.sh --json "$@" >"$json"
python3 bench/results.py "$json" bench/RESULTS.md bench/results.svg "make bench-results BENCH_ARGS=\"$*\""
{
	echo
	echo 'What each record costs, counted by cachegrind (`python3 bench/profile.py`). The floor clears its tables, which is in its counts.'
	echo
	python3 bench/profile.py "$B/bench/bench"
	echo
} >>bench/RESULTS.md
{
	echo '## Conversions'
	echo
	echo 'Plain text out, of logs of 4 million calls (strace: 1 million), as `make bench-convert` makes them: random offsets and lengths,'
	echo 'each call by another process than the one before, which is the worst case. One core: CPU time.'
	echo
	python3 bench/convert.py "$B/iotrace"
	echo
} >>bench/RESULTS.md
if [ -n "$keep" ]; then
	printf '%s\n' "$keep" >>bench/RESULTS.md
	exit
fi
{
	echo '## Size'
	echo
	echo "What the settings cost or save on 1 million I/Os of *mixed* (\`sh bench/size.sh\`). Hexadecimal is smaller than decimal,"
	echo 'at any level. zstd -1, the default, is smaller than -3 on every workload (by 2 to 8 %) and twice as fast; levels from 6 on buy size for time. The window and long-distance'
	echo 'matching gain nothing: what repeats in a trace is near. A `%sync` in 524,288 records costs nothing at -3 and 1 % at -19.'
	echo 'The three times are more than half of what is left; a coarser tick (`--tick=us` for a log in nanoseconds) saves most.'
	echo
	MODE=${MODE:-release} sh bench/size.sh
	echo
	echo '## How often a %sync'
	echo
	echo 'Rare ones make the text smaller at high levels, frequent ones make a slice cheaper (`sh bench/sync.sh`). Between'
	echo '16,384 and 524,288 records a slice costs 15 ms and 1.5 MB more, whatever the size of the trace, and the whole trace is 9 %'
	echo 'smaller at -19; beyond that the gain is 1 %. So 524,288 is the default.'
	echo
	MODE=${MODE:-release} sh bench/sync.sh
} >>bench/RESULTS.md
