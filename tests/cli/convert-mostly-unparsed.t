# SPDX-License-Identifier: BSD-2-Clause
# A log of which most lines were not understood: status 1 and the number of lines, with -q, too. A signal: the output that is missing.
{
	echo '7 1.5 openat(AT_FDCWD, "/f", O_RDONLY) = 3 <0.000001>'
	seq -f '7 2.%04.0f read(3, "", 9) = 9 <0.000001>' 1999
} >log
cp log half
seq -f 'line %g' 2000 >>half
seq -f 'line %g' 2001 >>log
for command in "convert -o x.iot" "cat -o y.iot" "merge -o z.iot" reorder stat analyze check; do
	for file in half log; do
		"$IOTRACE" $command -q $file >out 2>err
		echo "$command $file: status $? $(tail -n 1 err)"
	done
done
cmp x.iot y.iot
sh "$TOOLS/strace_log.sh" 100000 >large
cat >signalled.py <<'END'
import os, signal, subprocess, sys

sys.path.insert(0, os.environ["TOOLS"])
from waiting import signalled_while_writing

for number in signal.SIGINT, signal.SIGTERM:
    signal.signal(number, signal.SIG_DFL)


def start():
    if os.path.exists("x.iot.zst"):
        os.remove("x.iot.zst")
    return subprocess.Popen([os.environ["IOTRACE"], command, "-q", "--level=19", "-o", "x.iot.zst", "large"], stderr=open("err", "w"))


# A signal that comes while the complete output gets its name does not discard it.
for command in "convert", "cat", "merge":
    for number in signal.SIGINT, signal.SIGTERM:
        status = signalled_while_writing(start, number)
        written = os.path.exists("x.iot.zst")
        expected = "" if written else "iotrace: interrupted: x.iot.zst has not been written\n"
        print(command, number.name, status, open("err").read() == expected)
END
python3 signalled.py
