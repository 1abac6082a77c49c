# SPDX-License-Identifier: BSD-2-Clause
# Write errors: a message and exit status 1.
sh "$TOOLS/strace_log.sh" 2 >log
"$IOTRACE" convert --format-version=1 -o /dev/full log 2>&1
echo "exit status $?"
"$IOTRACE" convert --format-version=1 log 2>&1 >/dev/full
echo "exit status $?"
"$IOTRACE" convert --format-version=1 -o absent/x.iot log 2>&1
echo "exit status $?"
"$IOTRACE" convert --format-version=1 -o x.iot --report=/dev/full log 2>&1
echo "exit status $?"
sh "$TOOLS/strace_log.sh" 20000 >large
"$IOTRACE" convert --format-version=1 large 2>&1 | head -n 1
(ulimit -f 100; "$IOTRACE" convert --format-version=1 -o y.iot large) 2>&1
echo "exit status $?"
ls -A
