#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands on small inputs under valgrind: memory that is used before it is set, and leaks; with
# MODE=plain also the unit tests, and the harnesses over their corpora. Names of harnesses may be given.
# Tests that take a second and more without valgrind, for the same steps very often, are left out, unless
# VALGRIND_ALL is set: with them it takes an hour.
#
#	sh tests/tools/check_valgrind.sh BUILD [HARNESS]...

cd "$(dirname "$0")/../.." || exit 2
command -v valgrind >/dev/null || { echo 'skipped: valgrind is not installed'; exit 0; }
build=$1 iotrace=$1/iotrace passed=0 failed=0
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

LONG='-parallel/whole_traces_read_as -parallel/an_interval_that_is_there_twice -parallel/damaged_traces_read_as
	-seek/from_every_ -sorter/live_gives_the_disk_back -sorter/tiny_memory_merges -sorter/live_spills_what
	-input/packed_files_show -input/many_members -input/what_is_cut_short -reorder/twice_is_once
	-reorder/records_are_sorted -recovery/blank_lines_have -recovery/frames_that_cover
	-reader/flipped_bytes -packet_sequence/more_processes -procstat/files_and_ancestors'
shift
watch() {
	valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$@"
}

# Others than iotrace itself, which have to end well.
whole() {
	if watch "$@" >"$scratch/out" 2>"$scratch/err"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: $*"
		grep -A 12 '^==\|not ok' "$scratch/out" "$scratch/err" | head -n 40
	fi
}

try() {
	if watch "$iotrace" "$@" >"$scratch/out" 2>"$scratch/err" || [ $? -eq 1 ] && ! grep -q '^==' "$scratch/err"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: iotrace $*"
		head -n 20 "$scratch/err"
	fi
}

t=$scratch/t.iot.zst
try convert -q --sync=50 -o "$t" testdata/strace/sqlite.strace.gz
try convert -q -o "$scratch/d.iot" testdata/darshan/mpi4_dxt.darshan
try convert -q -o "$scratch/r.iot" testdata/recorder/traces.tar.xz
try cat "$t"
try cat --format=csv --columns=raw --names "$t"
try info --json "$t"
try stat "$t"
try top --once "$t"
try record -q -o "$scratch/e.iot.zst" sh -c "cat README.md >$scratch/copy; ls >$scratch/list"
try check "$t"
try check testdata/format/bad/digit.iot
try check --repair -o "$scratch/s.iot" testdata/format/bad/sync-hash.iot
try slice --records=100-200 -o "$scratch/p.iot" "$t"
try reorder -o "$scratch/o.iot" "$t"
try merge -q -o "$scratch/m.iot" "$t" "$scratch/d.iot"
try anonymize --key "$scratch/key" --new-key -o "$scratch/a.iot" "$t"
case $build in
*plain)
	# shellcheck disable=SC2046
	whole "$build/unit" $([ -n "$VALGRIND_ALL" ] || echo "$LONG")
	;;
esac
for name; do
	whole "$build/fuzz_$name" "fuzz/corpus/$name"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
