# SPDX-License-Identifier: BSD-2-Clause
# A pipe that is named as an operand is read once, and wholly; where an input is read twice, a pipe is refused.
"$IOTRACE" convert -q "$TESTDATA/strace/cp.strace" -o a.iot
"$IOTRACE" convert -q "$TESTDATA/strace/offsets.strace" -o b.iot
"$IOTRACE" analyze -q -s a.state --no-fsync a.iot
mkfifo pipe
of_pipe() { # FILE OPTION...: analyze of the pipe that FILE comes through
	timeout 20 cat "$1" >pipe 2>/dev/null &
	shift
	timeout 20 "$IOTRACE" analyze -q "$@"
	status=$?
	kill $! 2>/dev/null
	wait
	return $status
}
compare() { # FILE OPTION...: analyze of the pipe and of the file
	file=$1
	shift
	of_pipe "$file" "$@" pipe >found && "$IOTRACE" analyze -q "$@" "$file" >expected &&
		cmp found expected && echo "the same: $file $*"
}
compare a.iot
compare a.iot -j
compare a.iot --against=b.iot
compare a.state
of_pipe a.iot b.iot --against=pipe | sed s/pipe/a.iot/ >found && "$IOTRACE" analyze -q b.iot --against=a.iot >expected &&
	cmp found expected && echo "the same: --against"
echo "== several inputs are read twice"
of_pipe a.iot pipe b.iot 2>&1
echo "exit status $?"
of_pipe a.iot --group=user pipe 2>&1
echo "exit status $?"
