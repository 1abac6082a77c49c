# SPDX-License-Identifier: BSD-2-Clause
# Tables of cat become the same tables again: of every input in testdata, damaged ones and tables included.
# Those without a table are not traces, or damaged before their first event. In ticks, extremes.iot exceeds 2^63-1 ns.
sh "$TOOLS/built.sh" csv_again || exit 77
mkdir recorder
python3 -m tarfile -e "$TESTDATA/recorder/traces.tar.xz" recorder
{
	find "$TESTDATA" -type f ! -name '*.md' ! -name '*.err' ! -name '*.tar.xz' ! -name '*.pieces' ! -name '*.tsv'
	find "$TESTDATA/csv" -name '*.tsv'
	find recorder -mindepth 1 -maxdepth 1
	printf '%s\n' "$TESTDATA/strace/signals_ff" "$TESTDATA/dftracer/offsets"
} | sort | "${IOTRACE%/*}/csv_again" | sed "s|$TESTDATA/||"
