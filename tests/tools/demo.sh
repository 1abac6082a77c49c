#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program is traced; a log becomes a trace, what that saves, and a question answered: make demo.
#
#	sh tests/tools/demo.sh LOG
set -eu
cd "$(dirname "$0")/../.."
PATH=$PWD/build/${MODE:-release}:$PATH
trace=build/demo.iot.zst
log=$1

show() {
	printf '$ %s\n' "$*"
	eval "$*"
}

size() { # WHAT, with its bytes on standard input
	printf '  %8d bytes  %s\n' "$(wc -c)" "$1"
}

echo
echo 'A program of this system runs, and its I/O is traced:'
show 'iotrace record -o build/tar.iot.zst tar cf build/demo.tar lib'
show 'iotrace stat build/tar.iot.zst | head -n 3'
rm -f build/demo.tar
echo
echo 'Of programs elsewhere there are logs. sqlite3 filled a small database, and strace logged each of its system calls:'
show "gzip -dc $log | grep pwrite64 | tail -n 1 | cut -c 1-60,122-"
printf '\niotrace converts the log into a trace, one short line for each read or write:\n'
show "iotrace convert -q -o $trace $log"
show "iotrace cat --format=text $trace | grep 'write.*sqlite$' | tail -n 1"
printf '\nThe size of both:\n'
gzip -dc "$log" | size 'log of strace'
if command -v zstd >/dev/null; then
	gzip -dc "$log" | zstd -qc | size '... with zstd'
fi
iotrace cat -q "$trace" | size 'trace'
size "... with zstd: $trace" <"$trace"
printf '\nWhich file took the most time?\n'
show "iotrace stat $trace | head -n 4"
iotrace stat --tsv "$trace" | awk -F '\t' '
	$9 ~ /^[0-9]+$/ { all += $9; ns[$14] += $9; files[$14]++; if (ns[$14] > ns[most]) most = $14 }
	END { printf "\nBy name: %s, with %.1f of %.1f ms in reads and writes", most, ns[most] / 1e6, all / 1e6
		if (files[most] > 1) printf "; %d files had this name", files[most]
		print "." }'
cat <<END

Next, type:

    PATH=\$PWD/build/${MODE:-release}:\$PATH
    iotrace info $trace
END
