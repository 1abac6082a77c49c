#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The second decoder (decode.py, written from iotrace(5) alone) and the library find the same records: in
# the traces of testdata/format, where both refuse the bad ones, in traces converted from testdata/strace,
# in random ones, where what was meant to be written is known as well. SEED=N repeats a run.
#
#	sh tests/tools/check_decoder.sh

cd "$(dirname "$0")/../.." || exit 2
build=$PWD/build/${MODE:-release}
iotrace=$build/iotrace
. tests/tools/verdict.sh

agree() { # TRACE [OPTION of decode.py]
	"$iotrace" cat -q --format=csv --columns=raw "$1" >"$scratch/ours" 2>"$scratch/err" &&
		python3 tests/tools/decode.py ${2-} "$1" >"$scratch/theirs" 2>>"$scratch/err" &&
		cmp "$scratch/ours" "$scratch/theirs" >>"$scratch/err" 2>&1
}

agree_on_comments() { # TRACE [OPTION of both], which is incomplete if it has an option
	"$iotrace" cat -q --bare --format-version=1 ${2-} "$1" 2>"$scratch/err" | LC_ALL=C sed -n 's/^ff \{0,1\}//p' |
		LC_ALL=C sed "${2:+\$}{/^%lost why=/d}" >"$scratch/ours"
	python3 tests/tools/decode.py --comments ${2-} "$1" >"$scratch/theirs" 2>>"$scratch/err"
	[ -s "$scratch/ours" ] && cmp "$scratch/ours" "$scratch/theirs" >>"$scratch/err" 2>&1
}

for trace in testdata/format/*.iot; do
	agree "$trace"
	verdict $? "$trace"
done
for trace in testdata/format/bad/*.iot; do
	case $trace in *-hash.iot) continue ;; esac # decode.py has no hash where Python has no module for it
	python3 tests/tools/decode.py "$trace" >/dev/null 2>"$scratch/err"
	[ $? -eq 1 ] && grep -q '^decode.py: ' "$scratch/err"
	verdict $? "$trace, refused"
done
for log in testdata/strace/*.strace testdata/strace/*.strace.gz; do
	[ -e "$log" ] || continue
	"$iotrace" convert -q -o "$scratch/log.iot" "$log" 2>/dev/null
	agree "$scratch/log.iot" && agree_on_comments "$scratch/log.iot"
	verdict $? "$log, converted"
done
seed=${SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
echo "random traces: SEED=$seed"
for i in 0 1 2 3; do
	# the base of a trace without a comment is a vote, which random records can tie
	"$build/random_trace" $((seed + i)) "$scratch/random.iot" >"$scratch/meant" &&
		agree "$scratch/random.iot" && cmp "$scratch/meant" "$scratch/ours" >>"$scratch/err" 2>&1 &&
		agree "$scratch/random.iot" --ignore-sync &&
		"$iotrace" cat -q "$scratch/random.iot" | cmp "$scratch/random.iot" - >>"$scratch/err" 2>&1
	verdict $? "random trace, seed $((seed + i))"
	python3 tests/tools/random_directives.py $((seed + i)) >"$scratch/random.iot" &&
		agree_on_comments "$scratch/random.iot" --no-verify
	verdict $? "random directives, seed $((seed + i))"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
