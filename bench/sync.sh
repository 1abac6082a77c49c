#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How often a %sync should stand in a trace: what it costs on disk, and what a slice then costs. A table in Markdown.
#
#	sh bench/sync.sh [RECORDS [RECORDS19]]        of the workload mixed; 4000000, 1000000 at level 19
#
# The slices are of 1000 records, at 16 places of the trace: what is read and decoded to get to a place.
set -eu

B=build/${MODE:-release}
n=${1:-4000000}
small=${2:-1000000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
"$B/bench/make_trace" mixed "$n" 1 "$dir/whole"
"$B/bench/make_trace" mixed "$small" 1 "$dir/small"

# Bytes per record with a %sync every $1 records, at level $2, of trace $3 with $4 records.
packed() {
	"$B/iotrace" cat --sync="$1" --level="$2" --compress=zstd -o "$dir/t.iot.zst" "$dir/$3"
	echo "$(wc -c <"$dir/t.iot.zst") $4" | awk '{ printf "%.3f", $1 / $2 }'
}

echo '| `%sync` every | zstd -19 | zstd -3 | a slice reads | and takes (CPU) |'
echo '|---|---|---|---|---|'
for sync in 16384 32768 65536 131072 262144 524288 1048576; do
	high=$(packed $sync 19 small "$small")
	low=$(packed $sync 3 whole "$n")
	python3 - "$B/iotrace" "$dir/t.iot.zst" "$n" "$sync" "$high" "$low" <<'END'
import os, sys
program, trace, n, sync, high, low = sys.argv[1:]
read = took = 0
for i in range(16):
    first = int(n) // 16 * i + int(n) // 37
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(program, [program, "slice", f"--records={first}-{first + 999}", trace])
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    with open(f"/proc/{pid}/io") as f:
        read += int(f.read().split()[1])
    usage = os.wait4(pid, 0)[2]
    took += usage.ru_utime + usage.ru_stime
print(f"| {sync} records | {high} B/record | {low} B/record | {read / 16 / 1e6:.2f} MB | {took / 16 * 1000:.1f} ms |", flush=True)
END
done
