#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fuzzes one target after the other, built with MODE=fuzz, and tells for each what was done. What is new is
# kept in build/fuzz/corpus/NAME, what fails in build/fuzz/failed/NAME-... 0 seconds: none, as a fuzzer would take it
# for no limit.
#
#	sh tests/tools/show_fuzz.sh SECONDS [NAME]...

cd "$(dirname "$0")/../.." || exit 2
seconds=${1-60} build=build/fuzz passed=0 failed=0
case $seconds in
'' | *[!0-9]*) echo "FUZZ_SECONDS: found '$seconds', expected a number of seconds" >&2; exit 2 ;;
*[1-9]*) ;;
*) echo 'built; 0 seconds of fuzzing asked for, so none is done'; exit 0 ;;
esac
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(ls fuzz/fuzz_*.c | sed 's|.*/fuzz_||; s|\.c$||')
mkdir -p $build/failed

for name; do
	mkdir -p "$build/corpus/$name"
	dict=
	[ ! -e "fuzz/dict/$name.dict" ] || dict=-dict=fuzz/dict/$name.dict
	log=$build/corpus/$name.log
	# shellcheck disable=SC2086
	if "$build/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=1500 -max_len=40000 \
		-print_final_stats=1 -artifact_prefix="$build/failed/$name-" $dict \
		"$build/corpus/$name" "fuzz/corpus/$name" >"$log" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		grep -a 'check failed\|runtime error\|^SUMMARY' "$log" | head -n 2
	fi
	executions=$(awk '/number_of_executed_units/ { print $2 }' "$log")
	echo "$name: ${executions:-?} executions in $seconds s"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
