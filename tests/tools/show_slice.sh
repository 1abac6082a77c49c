#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a slice costs: the last percent of a large .iot.zst, against a reading of the whole.
#
#	sh tests/tools/show_slice.sh [RECORDS]        of the workload mixed; 100000000
#
# It has to read at most 3 % of the bytes (as /proc/self/io counts them), and to take less than a 20th of the time.
# DIR: where the trace is made (and kept, if it is given), 8 bytes a record.
set -eu

B=$PWD/build/${MODE:-release}
n=${1:-100000000}
if [ -z "${DIR-}" ]; then
	DIR=$(mktemp -d)
	trap 'rm -rf "$DIR"' EXIT INT TERM
fi
trace=$DIR/$n.iot.zst
[ -e "$trace" ] || "$B/bench/make_trace" mixed "$n" 1 "$trace"
size=$(wc -c <"$trace")

# Seconds of a command, the best of $1 tries.
seconds() {
	tries=$1
	shift
	for i in $(seq "$tries"); do
		from=$(date +%s%N)
		"$@" >/dev/null
		echo $(($(date +%s%N) - from))
	done | sort -n | awk 'NR == 1 { printf "%.3f\n", $1 / 1e9 }'
}

# Bytes that a command reads: it takes the place of a shell that has told its own count.
bytes_read() {
	python3 - "$@" <<'END'
import os, sys
reading, writing = os.pipe()
pid = os.fork()
if pid == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
with open(f"/proc/{pid}/io") as f:
    print(f.read().split()[1])
os.waitpid(pid, 0)
END
}

last=$((n / 100))
status=0
whole=$(seconds 1 "$B/iotrace" cat "$trace")
info=$(seconds 1 "$B/iotrace" info "$trace")
printf '%-34s %12s bytes  %s s (cat), %s s (info)\n' "the whole of $n records" "$size" "$whole" "$info"
for range in "--records=$((n - last))-" --from=99%; do
	took=$(seconds 3 "$B/iotrace" slice "$range" "$trace")
	bytes=$(bytes_read "$B/iotrace" slice "$range" "$trace")
	"$B/iotrace" slice "$range" "$trace" | "$B/iotrace" info --json - | grep -q '"state":"complete"'
	awk -v range="$range" -v bytes="$bytes" -v size="$size" -v took="$took" -v whole="$whole" 'BEGIN {
		printf "%-34s %12d bytes, %.2f %%  %s s, 1/%.0f of cat\n",
		       "slice " range, bytes, 100 * bytes / size, took, whole / took
		exit bytes > 0.03 * size || took > whole / 20
	}' || status=1
done
[ $status = 0 ] || echo 'more than 3 % of the bytes, or a 20th of the time'
exit $status
