#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The second decoder (decode.py, written from iotrace(5) alone) and the library agree, record by
# record: on the traces of testdata/format, on traces converted from testdata/strace, on random ones.
#
#	sh tests/tools/check_decoder.sh

cd "$(dirname "$0")/../.." || exit 2
iotrace=$PWD/build/${MODE:-release}/iotrace
passed=0 failed=0
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

agree() { # TRACE
	"$iotrace" cat -q --format=csv "$1" >"$scratch/ours" 2>"$scratch/err" &&
		python3 tests/tools/decode.py "$1" >"$scratch/theirs" 2>>"$scratch/err" &&
		cmp "$scratch/ours" "$scratch/theirs" >>"$scratch/err"
	if [ $? -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: $1"
		head -n 5 "$scratch/err"
	fi
}

for trace in testdata/format/*.iot; do
	agree "$trace"
done
for log in testdata/strace/*.strace; do
	[ -e "$log" ] || continue
	"$iotrace" convert -q -o "$scratch/log.iot.zst" "$log" && agree "$scratch/log.iot.zst"
done
if [ -x "build/${MODE:-release}/random_trace" ]; then
	seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
	for i in 0 1 2 3 4 5 6 7; do
		"build/${MODE:-release}/random_trace" $((seed + i)) "$scratch/random.iot" || failed=$((failed + 1))
		agree "$scratch/random.iot"
	done
	echo "random traces: SEED=$seed"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
