#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Merges many traces, made from seeds, with mixed ticks, bases and compressions and with colliding
# ids, and compares what came out with what went in.
#
#	sh tests/tools/show_merge.sh [TRACES [RECORDS]]
#
# TRACES (64) of RECORDS (1000000) each. The check: all records of every process, in their order and
# at their absolute time, are those of one process of the merge, which is in order as a whole
# (trace_sums.c). Prints peak memory and time. Wants build/MODE/iotrace, trace_sums and
# bench/make_trace; about 20 bytes of disk for a record, twice.

cd "$(dirname "$0")/../.." || exit 2
build=$PWD/build/${MODE:-release}
traces=${1:-64} records=${2:-1000000}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

pick() { # INDEX WORD...
	shift $(($1 % ($# - 1) + 1))
	echo "$1"
}

# Bare records may have any tick; a %trace and some names come before them.
make_input() { # INDEX
	"$build/bench/make_trace" mixed "$records" "$1" - | "$build/iotrace" cat --bare - | (
		echo "ff %trace source=made host=n$1 epoch=$((1700000000000000000 + $1 * 7000000))"
		echo "ff %process id=1 name=first"
		echo "ff %file process=1 id=1 object=1 path=/data/$1"
		cat
	) | "$build/iotrace" cat --in-base=16 --in-tick="$(pick "$1" 1000 500 100 2000)" --framed \
		--base="$(pick "$1" 16 16 10)" -o "$scratch/$1.iot$(pick "$1" '' .zst .gz '' .zst)" - ||
		exit 1
}

i=0
while [ $i -lt "$traces" ]; do
	make_input $i
	i=$((i + 1))
done
echo "inputs: $traces of $records records, $(du -sm "$scratch" | cut -f1) MiB"

set -- /usr/bin/time -f '%M KiB of memory at the most, %e s (%U + %S s of processors)'
[ -x /usr/bin/time ] || set --
"$@" "$build/iotrace" merge -o "$scratch/merged" "$scratch"/*.iot* || exit 1
"$build/trace_sums" "$scratch/merged" >"$scratch/got" 2>"$scratch/got.count" || exit 1
"$build/trace_sums" "$scratch"/*.iot* >"$scratch/wanted" 2>"$scratch/wanted.count" || exit 1
cmp "$scratch/got" "$scratch/wanted" && cmp "$scratch/got.count" "$scratch/wanted.count" || exit 1
[ "$(cat "$scratch/got.count")" -eq $((traces * records)) ] || exit 1
echo "$(cat "$scratch/got.count") records of $(wc -l <"$scratch/got") processes, as they went in"
