#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands on small inputs under valgrind: memory that is used before it is set, and leaks; with
# MODE=plain also the unit tests, and the harnesses over their corpora. Names of harnesses may be given.
#
#	sh tests/tools/check_valgrind.sh BUILD [HARNESS]...

cd "$(dirname "$0")/../.." || exit 2
command -v valgrind >/dev/null || { echo 'skipped: valgrind is not installed'; exit 0; }
build=$1 iotrace=$1/iotrace passed=0 failed=0
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

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
try cat --format=csv --names "$t"
try info --json "$t"
try stat "$t"
try check "$t"
try check testdata/format/bad/digit.iot
try check --repair -o "$scratch/s.iot" testdata/format/bad/sync-hash.iot
try slice --records=100-200 -o "$scratch/p.iot" "$t"
try reorder -o "$scratch/o.iot" "$t"
try merge -q -o "$scratch/m.iot" "$t" "$scratch/d.iot"
try anonymize --key "$scratch/key" --new-key -o "$scratch/a.iot" "$t"
case $build in
*plain) whole "$build/unit" ;;
esac
for name; do
	whole "$build/fuzz_$name" "fuzz/corpus/$name"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
