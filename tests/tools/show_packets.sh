#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Many records in packets of many processes, quiet files among them, put in order within little
# memory: with flush marks and without, compared with a full sort by other programs. Prints time, peak
# memory, and the temporary files that were seen.
#
#	sh tests/tools/show_packets.sh [RECORDS [PROCESSES [MEMORY...]]]
#
# By default 10000000 records of 64 processes, in 256M and in 8M; needs 5 GB below $TMPDIR or /tmp.

cd "$(dirname "$0")/../.." || exit 2
records=${1:-10000000} processes=${2:-64}
[ $# -le 2 ] && set -- "$records" "$processes" 256M 8M
shift 2
build=$PWD/build/${MODE:-release}
tools=$PWD/tests/tools
for program in iotrace packet_make; do
	[ -x "$build/$program" ] || { echo "$build/$program is not there: make check-cli makes it"; exit 2; }
done
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp"
export TMPDIR="$scratch/tmp" LC_ALL=C
failed=0

# Keys in front make a full sort of sort(1); CPU time becomes that since the process's record before.
full_sort() {
	python3 "$tools/packet_truth.py" --unsorted "$1" | sort -S 256M | cut -d ' ' -f 2 |
		awk -F , 'BEGIN { OFS = FS } { cpu = $4; $4 -= clock[$9]; clock[$9] = cpu; print }' |
		cksum
}

for marks in '' --no-marks; do
	# Each process flushes some ten times.
	"$build/packet_make" --records="$records" --processes="$processes" --files=8 \
		--flush=$((records / processes / 10 + 1)) $marks >"$scratch/packets.bin" || exit 1
	echo "$records records of $processes processes${marks:+ without flush marks}," \
		"$(wc -c <"$scratch/packets.bin") bytes"
	wanted=$(full_sort "$scratch/packets.bin")
	for memory; do
		python3 "$tools/packet_watch.py" "$build/iotrace" convert --memory "$memory" \
			-o "$scratch/out.iot" "$scratch/packets.bin" || failed=1
		if [ "$("$build/iotrace" cat --format=csv --columns=raw "$scratch/out.iot" | tail -n +2 | cksum)" = "$wanted" ]; then
			echo "    --memory $memory: as a full sort"
		else
			echo "    --memory $memory: differs from a full sort"
			failed=1
		fi
		[ -z "$(ls -A "$TMPDIR")" ] || { echo "    left behind: $(ls -A "$TMPDIR")"; failed=1; }
	done
done
exit $failed
