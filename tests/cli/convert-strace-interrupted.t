# SPDX-License-Identifier: BSD-2-Clause
# Ctrl-C while strace writes into convert, both in one process group: the last lines of strace are in the
# trace, which is complete and has all records of the log.
if ! strace -o /dev/null true 2>/dev/null; then
	echo "strace cannot trace here"
	exit 77
fi
cat >interrupted.py <<'END'
import os, signal, subprocess, sys, time

sys.path.insert(0, os.environ["TOOLS"])
from waiting import LONG

PROGRAM = "i=0; while :; do i=$((i + 1)); echo $i >>written; done"
words = ["strace", "-f", "-ttt", "-T", "-y", "-o",
         "|tee -i log | " + os.environ["IOTRACE"] + " convert -o t.iot -",
         "sh", "-c", PROGRAM]
child = subprocess.Popen(words, start_new_session=True, stderr=subprocess.DEVNULL,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
until = time.monotonic() + LONG
while time.monotonic() < until and not (os.path.exists("log") and os.path.getsize("log") > 200000):
    time.sleep(0.01)
os.killpg(child.pid, signal.SIGINT)
child.wait(LONG)
END
python3 interrupted.py
sh "$TOOLS/until.sh" '[ -e t.iot ]'
"$IOTRACE" info t.iot | head -n 1
"$IOTRACE" convert -q -o again.iot log
cmp t.iot again.iot && echo same
tail -n 1 log | grep -o 'killed by SIGINT\|exited with'
