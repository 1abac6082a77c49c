#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a trace costs on disk, and which settings make it smaller: a table in Markdown.
#
#	sh bench/size.sh [RECORDS]        of the workload mixed; 1000000
#
# zstd is the command, so that windows and long-distance matching can be set too.
set -eu

B=build/${MODE:-release}
n=${1:-1000000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

"$B/bench/make_trace" mixed "$n" 1 "$dir/hex"
"$B/iotrace" cat --base=10 -o "$dir/dec" "$dir/hex"
"$B/iotrace" cat --bare "$dir/hex" >"$dir/bare"

# The same text with fields written as 0: start, completion and CPU time are the last fields but for ids.
zero() {
	awk -v which="$1" '
	function bit(c, b) { return int(c / b) % 2 }
	{
		c = index("0123456789abcdef", substr($2, length($2), 1)) - 1
		if (length($2) > 1) c += 16 * (index("0123456789abcdef", substr($2, 1, 1)) - 1)
		start = 3 + !bit(c, 64) + !bit(c, 4)
		if (which ~ /s/) $start = 0
		if (which ~ /t/) $(start + 1) = 0
		if (which ~ /c/) $NF = 0
		print
	}' "$dir/bare"
}

row() { # text, what it is, zstd's options
	bytes=$(zstd -q -c --single-thread $3 <"$1" | wc -c)
	awk -v what="$2" -v options="$3" -v bytes="$bytes" -v n="$n" \
		'BEGIN { printf "| %s | `zstd %s` | %.2f |\n", what, options, bytes / n }'
}

framed() { # sync, level
	"$B/iotrace" cat --sync="$1" --level="$2" -o "$dir/t.zst" --compress=zstd "$dir/hex"
	awk -v sync="$1" -v level="$2" -v bytes="$(wc -c <"$dir/t.zst")" -v n="$n" \
		'BEGIN { printf "| a `%%sync` every %d | level %d | %.2f |\n", sync, level, bytes / n }'
}

echo '| text | compression | bytes/record |'
echo '|---|---|---|'
awk -v n="$n" -v h="$(wc -c <"$dir/hex")" -v d="$(wc -c <"$dir/dec")" \
	'BEGIN { printf "| hexadecimal | none | %.2f |\n| decimal | none | %.2f |\n", h / n, d / n }'
for options in -1 -3 -6 -9 -12 -19; do
	row "$dir/hex" hexadecimal "$options"
done
for options in -3 -19; do
	row "$dir/dec" decimal "$options"
done
for options in '-3 --long=27' '-19 --long=27' '-3 --zstd=wlog=17' '-3 --zstd=wlog=24'; do
	row "$dir/hex" hexadecimal "$options"
done
for sync in 65536 262144 524288; do
	framed $sync 3
done
framed 262144 19
framed 524288 19
zero s >"$dir/zero" && row "$dir/zero" 'startTime as 0' -3
zero t >"$dir/zero" && row "$dir/zero" 'completionTime as 0' -3
zero c >"$dir/zero" && row "$dir/zero" 'processTime as 0' -3
zero stc >"$dir/zero" && row "$dir/zero" 'all three times as 0' -3 && row "$dir/zero" 'all three times as 0' -19
