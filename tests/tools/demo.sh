#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A log becomes a trace, and what can be seen in it: make demo.
#
#	sh tests/tools/demo.sh LOG
set -eu
cd "$(dirname "$0")/../.."
PATH=$PWD/build/${MODE:-release}:$PATH
trace=build/demo.iot.zst

show() {
	printf '\n$ %s\n' "$*"
	eval "$*"
}

echo "A log of sqlite3 filling a small database, made with: strace -f -ttt -T"
show "gzip -dc $1 | tail -n +200 | head -n 4"
show "iotrace convert -o $trace $1"
show "iotrace info $trace"
show "iotrace stat $trace"
show "iotrace cat --format=text $trace | tail -n +100 | head -n 12"
show "iotrace cat $trace | tail -n 12"
