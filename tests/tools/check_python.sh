#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The module for Python, with the libraries of the build: check_python.sh BUILD [MODULE[.CLASS] ...] of tests/python
#
# Uses the Python of build/venv if it exists, which `make venv` makes, otherwise $PYTHON. Tests that need a module that is
# not installed there, or a package of `make readers`, are skipped; with REQUIRE=yes that is an error.
set -u
build=$1
shift
python=${PYTHON:-python3}
[ -x build/venv/bin/python ] && python=$PWD/build/venv/bin/python
export IOTRACE_LIBRARY="$PWD/$build" IOTRACE_COMMAND="$PWD/$build/iotrace" PYTHONPATH="$PWD/python:$PWD/tests/python" PYTHONDONTWRITEBYTECODE=1
[ $# -gt 0 ] || set -- test_iotrace test_damage test_readers
out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$python" -W error::ResourceWarning -m unittest -v "$@" >"$out" 2>&1
failed=$(grep -cE '(\.\.\.|ok) (FAIL|ERROR)$' "$out")
passed=$(grep -c ' ok$' "$out")
if ! grep -q '^OK' "$out"; then
	cat "$out"
	[ "$failed" -gt 0 ] || failed=1
fi
sed -n "s/.*skipped '\(.*\)'\$/skipped: \1/p" "$out" | sort | uniq -c
[ "${REQUIRE:-}" != yes ] || ! grep -q 'skipped ' "$out" || failed=$((failed + 1))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
