#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Damaged input: every place where a small file of each kind may be cut, and random changes of single
# bytes, 10,000 in all. No crash, no hang, no memory without bound: with the sanitizers, of which
# MODE=asan is the default here. Takes some minutes; make check has a few of them.
#
#	sh tests/tools/show_damage.sh TARGET [CHANGES] [FILE]...
#
# TARGET is the harness, fuzz/fuzz_TARGET.c; files are those of testdata/TARGET by default.

cd "$(dirname "$0")/../.." || exit 2
: "${MODE:=asan}"
target=${1:?name a harness: darshan, recorder}
changes=${2:-10000}
shift
[ $# -eq 0 ] || shift
${MAKE:-make} -s MODE="$MODE" "build/$MODE/mutate_$target" || exit 1
[ $# -gt 0 ] || set -- $(find "testdata/$target" -type f ! -name '*.md' ! -name '*.csv' -size -32k | sort)
each=$(((changes + $# - 1) / $#))
status=0
for file; do
	size=$(wc -c <"$file")
	step=$((size / 10000 + 1))
	for how in "cuts $file $step" "bytes $file $size $each"; do
		# shellcheck disable=SC2086
		if out=$("build/$MODE/mutate_$target" $how 2>&1); then
			echo "$how: $out, fine"
		else
			echo "$how: $out" | tail -n 30
			status=1
		fi
	done
done
exit $status
