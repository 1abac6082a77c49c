# SPDX-License-Identifier: BSD-2-Clause
# Signals that end conversions: a trace from a pipe gets %lost and %end, a conversion of a file leaves
# no output. A partial last line is dropped.
sh "$TOOLS/strace_log.sh" 2 >log
sh "$TOOLS/strace_log.sh" 100000 >large
cat >signalled.py <<'END'
import os, signal, subprocess, sys

sys.path.insert(0, os.environ["TOOLS"])
from waiting import LONG, await_read, signalled_while_writing

for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:  # nohup and "&" have them ignored
    signal.signal(number, signal.SIG_DFL)


def start(*words):
    if os.path.exists("x.iot.zst"):
        os.remove("x.iot.zst")
    return subprocess.Popen([os.environ["IOTRACE"], "convert", "-o", "x.iot.zst", *words],
                            stdin=subprocess.PIPE)


for number in signal.SIGTERM, signal.SIGHUP:
    p = start("-")
    p.stdin.write(open("log", "rb").read() + b"1234  1700000000.5 read(3, \"\", 9) = 1")
    p.stdin.flush()
    await_read(p.stdin)
    p.send_signal(number)
    print(number.name, "pipe:", p.wait(LONG))
    os.rename("x.iot.zst", number.name + ".iot.zst")
for number in signal.SIGINT, signal.SIGTERM:
    print(number.name, "file:", signalled_while_writing(lambda: start("--level=19", "large"), number))
END
python3 signalled.py 2>err
sort -u err
"$IOTRACE" convert log | "$IOTRACE" cat --format=csv --columns=raw >whole.csv
for name in SIGTERM SIGHUP; do
	"$IOTRACE" cat --format=csv --columns=raw $name.iot.zst | cmp - whole.csv
	"$IOTRACE" cat $name.iot.zst | grep '%lost'
	"$IOTRACE" info $name.iot.zst | head -n 1
	"$IOTRACE" info --json $name.iot.zst | grep -o '"state":"[^"]*"'
done
ls -A
