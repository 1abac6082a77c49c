#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each public header compiles alone, as C and as C++; the examples do what they are for.
#
#	sh tests/tools/check_examples.sh

cd "$(dirname "$0")/../.." || exit 2
build=build/${MODE:-release}
. tests/tools/verdict.sh

for header in include/iotrace/*.h; do
	echo "#include <iotrace/${header##*/}>" >"$scratch/header.c"
	${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$scratch/header.c"
	verdict $? "$header as C"
	${CXX:-c++} -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only \
		"$scratch/header.c"
	verdict $? "$header as C++"
done

"$build/examples/tracer" README.md "$scratch/copy" >"$scratch/tracer.iot"
verdict $? 'tracer'
cmp -s README.md "$scratch/copy"
verdict $? 'tracer copies'
"$build/iotrace" check -q "$scratch/tracer.iot" >"$scratch/err" 2>&1
verdict $? 'the trace of tracer is valid'
size=$(wc -c <README.md)
"$build/iotrace" cat -f csv --columns=raw "$scratch/tracer.iot" |
	awk -F, -v size="$size" 'NR > 1 { n[$1] += $6 } END { exit n["128"] != size || n["192"] != size }'
verdict $? 'the bytes that tracer reports'

# Three times the same files, in one cache that is large enough: two of three accesses hit.
"$build/examples/simulator" 1000 "$scratch/tracer.iot" "$scratch/tracer.iot" "$scratch/tracer.iot" \
	>"$scratch/merged"
awk '{ exit $1 != 2 * $3 }' "$scratch/merged"
verdict $? "simulator: $(cat "$scratch/merged")"
"$build/iotrace" convert -q -o "$scratch/sorted.iot" testdata/strace/sqlite.strace.gz &&
	"$build/iotrace" convert -q --unsorted -o "$scratch/unsorted.iot" testdata/strace/sqlite.strace.gz
verdict $? 'convert'
"$build/examples/simulator" 64 "$scratch/sorted.iot" >"$scratch/of_sorted" &&
	"$build/examples/simulator" 64 "$scratch/unsorted.iot" >"$scratch/of_unsorted" &&
	cmp -s "$scratch/of_sorted" "$scratch/of_unsorted"
verdict $? "simulator: $(cat "$scratch/of_sorted"), unsorted $(cat "$scratch/of_unsorted")"

"$build/examples/lru" 64 "$scratch/sorted.iot" >"$scratch/of_trace" &&
	"$build/examples/lru" 64 testdata/strace/sqlite.strace.gz >"$scratch/of_log" &&
	cmp -s "$scratch/of_trace" "$scratch/of_log" && cmp -s "$scratch/of_trace" "$scratch/of_sorted"
verdict $? "lru: $(cat "$scratch/of_trace"), of the log $(cat "$scratch/of_log"), simulator $(cat "$scratch/of_sorted")"
"$build/examples/lru" 64 testdata/darshan/mpi4_dxt.darshan >"$scratch/of_darshan"
verdict $? "lru: of Darshan $(cat "$scratch/of_darshan")"

if [ -x "$build/examples/http_range" ] && command -v python3 >/dev/null; then
	awk 'BEGIN { for (i = 0; i < 900000; i++) printf "%s 20 %x %x 80000 %x 1 1 0\n", rand() < .5 ? "80" : "c0",
		int(rand() * 2 ^ 40), int(rand() * 2 ^ 20), int(rand() * 2 ^ 20) }' |
		"$build/iotrace" cat -q --framed --sync=4096 --no-fsync -o "$scratch/served.iot" &&
		python3 tests/tools/http_range.py "$build/examples/http_range" "$build/iotrace" "$scratch/served.iot"
	verdict $? 'http_range'
else
	echo 'http_range: skipped, as libcurl (libcurl4-openssl-dev) or python3 is not installed'
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
