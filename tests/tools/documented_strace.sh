#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every strace command that a user is shown, one a line, after the place: README, manuals, --help.
# Needs IOTRACE and TESTDATA.
root=$TESTDATA/..
for place in README.md man/iotrace.1 man/iotrace-convert.1; do
	sed -n "s:^ *\(strace -.*\):$place	\1:p" "$root/$place"
done
"$IOTRACE" --help | sed -n 's:^ *\(strace -.*\):iotrace --help	\1:p'
"$IOTRACE" help convert | sed -n 's:^ *\(strace -.*\):iotrace help convert	\1:p'
