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

show "head -n 4 $1"
show "iotrace convert -o $trace $1"
show "ls -l $1 $trace | awk '{ print \$5, \$9 }'"
show "iotrace info $trace"
show "iotrace stat $trace"
show "iotrace cat $trace | head -n 12"
show "iotrace cat --format=text $trace | head -n 12"
