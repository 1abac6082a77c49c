#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The manual against the code: every public function has a page, every option that the help shows is
# in the command's page and the other way round, mandoc has nothing to warn of, the public structs are
# as in the headers, the C examples compile.
#
#	sh tests/tools/check_manual.sh [IOTRACE]

cd "$(dirname "$0")/../.." || exit 2
iotrace=${1:-build/${MODE:-release}/iotrace}
. tests/tools/verdict.sh

# Words that mdoc hides from a plain grep are found in the formatted page.
plain() { mandoc -T ascii "$1" | col -b; }

for page in man/*.[1357]; do
	out=$(mandoc -T lint -W warning "$page" 2>&1)
	[ -z "$out" ]
	verdict $? "$page: $out"
done

for name in $(sed -n 's/^IOT_API.*[ *]\(iot_[a-z_]*\)(.*/\1/p' include/iotrace/*.h); do
	grep -q "^\.F[no] \"*$name\( \|\$\)" man/*.3
	verdict $? "$name: in no page of section 3"
	grep -q "^\.Nm $name\( \|\$\)" man/*.3
	verdict $? "$name: not under NAME"
done

for page in man/*.[1357]; do
	for ref in $(sed -n 's/^\.Xr \(iot[a-z_-]*\) \([1357]\).*/\1.\2/p' "$page"); do
		[ -f "man/$ref" ]
		verdict $? "$page refers to $ref"
	done
done

out=$(python3 tests/tools/check_structs.py)
verdict $? "$out"
sed 's/size_t count;/uint32_t count;/' include/iotrace/stream.h >"$scratch/stream.h"
python3 tests/tools/check_structs.py "$scratch/stream.h" man/iot_stream.3 | grep -q 'iot_batch differs'
verdict $? 'check_structs.py: a changed member is not reported'

# C in the pages of section 3 that begins with #include must compile.
for page in man/*.3; do
	awk '/^\.Bd -literal/ { block = ""; on = 1; next }
	     /^\.Ed/ { if (on && block ~ /^#include/) printf "%s", block; on = 0 }
	     on { gsub(/\\e/, "\\"); block = block $0 "\n" }' "$page" >"$scratch/page.c"
	[ -s "$scratch/page.c" ] || continue
	${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -Iinclude -c -o "$scratch/page.o" \
		"$scratch/page.c" 2>"$scratch/compiler"
	verdict $? "$page: example does not compile: $(cat "$scratch/compiler")"
done

if [ -x "$iotrace" ]; then
	for page in man/iotrace-*.1; do
		command=${page#man/iotrace-}
		command=${command%.1}
		"$iotrace" help "$command" >"$scratch/help" 2>/dev/null
		verdict $? "iotrace help $command fails"
		grep -oE '(^|[ ,])--[a-z][a-z-]*' "$scratch/help" | tr -d ' ,' | sort -u >"$scratch/code"
		sed -n 's/^\.It .*Fl Fl \([a-z][a-z-]*\).*/--\1/p' "$page" | sort -u >"$scratch/page"
		out=$(diff "$scratch/code" "$scratch/page")
		verdict $? "$page: < only the help, > only the page: $(echo "$out" | grep '^[<>]' | tr '\n' ' ')"
		plain man/iotrace.1 | grep -q "iotrace-$command(1)"
		verdict $? "iotrace(1) does not name $command"
	done
else
	verdict 1 "$iotrace is not there: options not compared"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
