#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The shared library exports the functions of the public headers, and nothing else.
#
#	sh tests/tools/check_symbols.sh LIBRARY

cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# A declaration runs from IOT_API to the semicolon.
cat include/iotrace/*.h | grep -v '^ \*\|^/\*' | tr '\n' ' ' | grep -o 'IOT_API[^;]*;' |
	grep -o 'iot_[a-z_]*(' | tr -d '(' | sort -u >"$scratch/wanted"
nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	grep -v '^__\|^_[a-z]*$' | sort -u >"$scratch/found"

if ! diff -u "$scratch/wanted" "$scratch/found"; then
	echo "symbols: the headers (-) and $1 (+) differ; see lib/libiotrace.map"
	echo "0 passed, 1 failed"
	exit 1
fi
echo "1 passed, 0 failed"
