#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A library exports the functions of its public headers, and nothing else but, in the static one, private
# functions with the prefix iot_private_.
#
#	sh tests/tools/check_symbols.sh SHARED STATIC MAP HEADER...

cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

shared=$1 static=$2 map=$3
shift 3

# A declaration runs from IOT_API to the semicolon.
cat "$@" | grep -v '^ \*\|^/\*' | tr '\n' ' ' | grep -o 'IOT_API[^;]*;' |
	grep -o 'iot_[a-z_]*(' | tr -d '(' | sort -u >"$scratch/wanted"
nm -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	grep -v '^__\|^_[a-z]*$' | sort -u >"$scratch/found"

nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | grep -v '^__\|^iot_private_' | sort -u >"$scratch/static"

failed=0
for library in found static; do
	if ! diff -u "$scratch/wanted" "$scratch/$library"; then
		echo "symbols: the headers (-) and the library (+) differ; see $map"
		failed=$((failed + 1))
	fi
done
echo "$((2 - failed)) passed, $failed failed"
[ $failed -eq 0 ]
