# SPDX-License-Identifier: BSD-2-Clause
# A signal ends a pipe; the events so far are written, and %lost. A second signal leaves no output.
mkfifo in
for window in --window=1s ''; do
	"$IOTRACE" reorder --in-base=16 $window -o out in &
	pid=$!
	exec 3>in
	echo '80 0 0 200 2 1 0 3 1 0' >&3
	echo '80 0 0 200 -1 1 0 3 1 0' >&3
	python3 "$TOOLS/waiting.py" in
	kill -TERM $pid
	wait $pid
	echo "exit $?"
	exec 3>&-
	"$IOTRACE" cat --in-base=16 out
	rm out
done
ls -A
