#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Signals in the middle of each command, a pipe that nobody reads, four runs with one output.
sh "$TOOLS/built.sh" packet_make || exit 77
sh "$TOOLS/strace_log.sh" 60000 >large.log
python3 "$TOOLS/signals.py" "$IOTRACE" "$TESTDATA/strace/sqlite.strace.gz" large.log >out.txt
status=$?
grep -v '^/' out.txt
exit $status
