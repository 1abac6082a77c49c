# SPDX-License-Identifier: BSD-2-Clause
# A signal ends a piped input, also within a line, and the trace gets its end; with a file nothing is
# left behind.
sh "$TOOLS/strace_log.sh" 2 >log
sh "$TOOLS/strace_log.sh" 100000 >large
cat >signalled.py <<'END'
import os, signal, subprocess, sys

sys.path.insert(0, os.environ["TOOLS"])
from waiting import LONG, await_read, signalled_while_writing


def start(*words):
    if os.path.exists("x.iot.zst"):
        os.remove("x.iot.zst")
    return subprocess.Popen([os.environ["IOTRACE"], "convert", "-o", "x.iot.zst", *words],
                            stdin=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


for number in signal.SIGINT, signal.SIGTERM:
    p = start("-")
    p.stdin.write(open("log", "rb").read() + b"1234  170000")
    p.stdin.flush()
    await_read(p.stdin)
    p.send_signal(number)
    print(number.name, "pipe:", p.wait(LONG))
    os.rename("x.iot.zst", number.name + ".iot.zst")
for number in signal.SIGINT, signal.SIGTERM:
    print(number.name, "file:", signalled_while_writing(lambda: start("--level=19", "large"), number))
END
python3 signalled.py
"$IOTRACE" convert log | "$IOTRACE" cat --format=csv >whole.csv
for name in SIGINT SIGTERM; do
	"$IOTRACE" cat --format=csv $name.iot.zst | cmp - whole.csv
done
ls -A
