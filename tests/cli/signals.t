#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Signals in the middle of each command, a pipe that nobody reads, four runs with one output.
"$IOTRACE" convert -q -o t.iot "$TESTDATA/strace/sqlite.strace.gz" || exit 1
python3 "$TOOLS/signals.py" "$IOTRACE" t.iot >out.txt
status=$?
grep -v '^/' out.txt
exit $status
