# SPDX-License-Identifier: BSD-2-Clause
# A signal ends a piped input, also within a line, and the trace gets its end; with a file nothing is
# left behind.
sh "$TOOLS/strace_log.sh" 2 >log
sh "$TOOLS/strace_log.sh" 100000 >large
cat >signalled.py <<'END'
import os, signal, subprocess, sys, time


def start(*words):
    return subprocess.Popen([os.environ["IOTRACE"], "convert", "-o", "x.iot.zst", *words],
                            stdin=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


for number in signal.SIGINT, signal.SIGTERM:
    p = start("-")
    p.stdin.write(open("log", "rb").read() + b"1234  170000")
    p.stdin.flush()
    time.sleep(0.5)
    p.send_signal(number)
    print(number.name, "pipe:", p.wait(20))
    os.rename("x.iot.zst", number.name + ".iot.zst")
for number in signal.SIGINT, signal.SIGTERM:
    p = start("--level=19", "large")
    # its output has no name yet: an open file that can be written
    fds = "/proc/%d/fd" % p.pid
    def writes():
        try:
            return any("(deleted)" in os.readlink(fds + "/" + fd) for fd in os.listdir(fds))
        except OSError:
            return False
    while not writes() and p.poll() is None:
        time.sleep(0.001)
    p.send_signal(number)
    print(number.name, "file:", p.wait(20))
END
python3 signalled.py
"$IOTRACE" convert log | "$IOTRACE" cat --format=csv >whole.csv
for name in SIGINT SIGTERM; do
	"$IOTRACE" cat --format=csv $name.iot.zst | cmp - whole.csv
done
ls -A
