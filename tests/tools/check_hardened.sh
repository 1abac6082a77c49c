#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A release is built so that a hole is harder to use: position-independent, all addresses bound and then
# read-only, no executable stack, guarded stack frames, checked copies.
#
#	sh tests/tools/check_hardened.sh PROGRAM LIBRARY

failed=0

# expect FILE WHAT: of the text on standard input, by the pattern $3
expect() {
	if ! grep -q "$3"; then
		echo "$1: $2"
		failed=$((failed + 1))
	fi
}

for file; do
	readelf -hW "$file" | expect "$file" "is not position-independent" 'Type:.*DYN'
	readelf -lW "$file" | expect "$file" "has no RELRO" 'GNU_RELRO'
	readelf -lW "$file" | expect "$file" "has an executable stack" 'GNU_STACK.* RW '
	readelf -dW "$file" | expect "$file" "does not bind at start" 'BIND_NOW\|FLAGS.*NOW'
	readelf -sW --dyn-syms "$file" | expect "$file" "has no guarded frames" '__stack_chk_fail'
	readelf -sW --dyn-syms "$file" | expect "$file" "has no checked copies" '__[a-z]*_chk'
	if readelf -dW "$file" | grep -q 'TEXTREL\|RPATH\|RUNPATH'; then
		echo "$file: has text relocations or a search path"
		failed=$((failed + 1))
	fi
done
echo "$((7 * $# - failed)) passed, $failed failed"
[ $failed -eq 0 ]
