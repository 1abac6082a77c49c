#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares the formats of one published trace, if it is available: cache_truth.sh IOTRACE DIRECTORY
set -u
iotrace=$1 data=$2
[ -e "$data/cloudPhysicsIO.csv.zst" ] || { echo "skipped: no $data"; exit 0; }
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
fail=0
expect() {
	if [ "$2" = "$3" ]; then echo "$1: $2"; else echo "$1: $2, expected $3"; fail=1; fi
}
table() { "$iotrace" cat -q --format=csv --columns=op,kind,offset,length "$1"; }
sum() { awk -F, 'NR > 1 { n++; s += $4 } END { printf "%d records, %.0f bytes\n", n, s }' "$1"; }
"$iotrace" convert -q -o "$scratch/csv.iot" "$data/cloudPhysicsIO.csv.zst" &&
	"$iotrace" convert -q -o "$scratch/vscsi.iot" "$data/cloudPhysicsIO.vscsi.zst" &&
	"$iotrace" convert -q -o "$scratch/oracle.iot" "$data/cloudPhysicsIO.oracleGeneral.bin.zst" &&
	"$iotrace" convert -q --from=csv --columns=txt -o "$scratch/txt.iot" "$data/cloudPhysicsIO.txt.zst" || exit 1
for of in csv vscsi oracle txt; do table "$scratch/$of.iot" >"$scratch/$of"; done
expect csv "$(sum "$scratch/csv")" '113872 records, 4205978112 bytes'
expect vscsi "$(cmp "$scratch/csv" "$scratch/vscsi" && echo same)" same
expect oracleGeneral "$(sum "$scratch/oracle")" '113872 records, 4368040448 bytes'
expect 'other sizes in oracleGeneral' "$(paste -d, "$scratch/csv" "$scratch/oracle" |
	awk -F, 'NR > 1 && $4 != $8 { n++ } END { print n + 0 }')" 13671
expect txt "$(sum "$scratch/txt")" '113872 records, 0 bytes'
# The misses of all policies, of the reference in Python: blocks of 4 KiB, and each line of the list as a block.
zstd -dqf "$data/cloudPhysicsIO.vscsi.zst" -o "$scratch/cloudPhysicsIO.vscsi" &&
	zstd -dqf "$data/cloudPhysicsIO.txt.zst" -o "$scratch/cloudPhysicsIO.txt" || exit 1
misses() { python3 tests/tools/cachesim_compare.py "$iotrace" --table=testdata/libcachesim/cloudPhysicsIO.tsv "$@" || fail=1; }
misses --physical "$scratch/cloudPhysicsIO.vscsi"
misses "$scratch/cloudPhysicsIO.txt"
exit $fail
