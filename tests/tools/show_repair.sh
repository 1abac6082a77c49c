#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Check and repair on randomly damaged traces of 10 to 17 intervals, plain, gzip and zstd; what came of
# it is printed. See damage.py.
#
#	sh tests/tools/show_repair.sh [TRIALS] [SEED]

cd "$(dirname "$0")/../.." || exit 2
build=build/${MODE:-release}
trials=${1:-1000} seed=${2:-1}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

"$build/random_trace" 3 "$scratch/random.iot" >/dev/null || exit 1
for number in 1 2; do
	python3 tests/tools/damage.py make $number >"$scratch/made$number.iot" || exit 1
done
for suffix in iot iot.gz iot.zst; do
	"$build/iotrace" cat -q --sync=1000 -o "$scratch/r.$suffix" "$scratch/random.iot" || exit 1
	"$build/iotrace" cat -q --framed --sync=300 -o "$scratch/m.$suffix" "$scratch/made1.iot" || exit 1
	"$build/iotrace" cat -q --framed --sync=500 --base=10 -o "$scratch/d.$suffix" "$scratch/made2.iot" ||
		exit 1
done
python3 tests/tools/damage.py "$build/iotrace" "$trials" "$seed" "$scratch"/[mrd].iot*
