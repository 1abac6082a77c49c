#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The libraries export the functions of the public headers, and nothing else but, in the static one, private
# functions with the prefix iot_private_.
#
#	sh tests/tools/check_symbols.sh SHARED STATIC

cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# A declaration runs from IOT_API to the semicolon.
find include/iotrace -name "*.h" ! -name source.h -exec cat {} + | grep -v '^ \*\|^/\*' | tr '\n' ' ' | grep -o 'IOT_API[^;]*;' |
	grep -o 'iot_[a-z_]*(' | tr -d '(' | sort -u >"$scratch/wanted"
nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	grep -v '^__\|^_[a-z]*$' | sort -u >"$scratch/found"

nm -g --defined-only "$2" | awk 'NF == 3 { print $3 }' | grep -v '^__\|^iot_private_' | sort -u >"$scratch/static"

failed=0
for library in found static; do
	if ! diff -u "$scratch/wanted" "$scratch/$library"; then
		echo "symbols: the headers (-) and the library (+) differ; see lib/libiotrace.map"
		failed=$((failed + 1))
	fi
done
echo "$((2 - failed)) passed, $failed failed"
[ $failed -eq 0 ]
