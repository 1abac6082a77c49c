#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Input whose work or memory could grow faster than its size: much is open, waiting or alive at
# the same time. CPU time is limited so that quadratic work fails.

cat >made.py <<'P'
import os, subprocess, sys, zlib
N = 50000
def when(i): return "17%08d.%06d" % (i // 1000000, i % 1000000)
def log(name, lines):
    with open(name, "w") as f:
        for i, (pid, call) in enumerate(lines):
            f.write("%d %s %s\n" % (pid, when(i), call))
READ, EXEC = 'read(3, "", 9) = 9 <0.000001>', 'execve("/a", ["a"], 0x7 /* 2 vars */) = 0 <0.000001>'
def opens(n): return ((1, 'open("/f%d", O_RDONLY) = %d <0.000001>' % (i, i + 3)) for i in range(n))
def forks():
    yield 1, EXEC
    for i in range(N):
        yield 1, "clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>"
        yield 10 + i, READ
        yield 1, "<... clone resumed>) = %d <0.000010>" % (10 + i)
def execs():
    for i in range(N): yield 1 + i, READ
    for i in range(N): yield 1 + i, EXEC
def copies():
    yield from opens(10000)
    for i in range(10000):
        yield 1, "fork() = %d <0.000001>" % (2 + i)
        yield 2 + i, EXEC
        yield 2 + i, "+++ exited with 0 +++"
def cloexecs():
    for i in range(30000): yield 1, 'open("/f%d", O_RDONLY|O_CLOEXEC) = %d <0.000001>' % (i, i + 3)
    for i in range(30000):
        yield 1, "fork() = %d <0.000001>" % (2 + i)
        yield 2 + i, EXEC
        yield 2 + i, "+++ exited with 0 +++"
def closes():
    yield from opens(N)
    yield 1, "fork() = 2 <0.000001>"
    for i in range(N): yield 2, "close(%d) = 0 <0.000001>" % (i + 3)
def folders():
    for i in range(N): yield 1 + i, 'openat(AT_FDCWD</d%d>, "f%d", O_RDONLY) = 3 <0.000001>' % (i, i)
def waiting():
    for i in range(N): yield 1 + i, "read(3,  <unfinished ...>"
    for i in range(4 * N): yield 1 + N, 'write(4, "", 9) = 9 <0.000001>'
def pairs():
    for i in range(N): yield 1, "pipe(0x7ff) = 0 <0.000001>"
def high():
    for i in range(N // 5): yield 1 + i, "dup2(1, 1048575) = 1048575 <0.000001>"
def renames():
    for i in range(N // 5):
        yield 1, 'open("/b/d%d/f", O_RDWR|O_CREAT) = 3 <0.000001>' % i
        yield 1, 'rename("/b/d%d", "/b/e%d") = 0 <0.000001>' % (i, i)
        yield 1, 'rename("/%s", "/%s") = 0 <0.000001>' % (("b", "c") if i % 2 == 0 else ("c", "b"))
        yield 1, 'write(3, "", 9) = 9 <0.000001>'
# Lines without a process number among those of many processes.
with open("nobody.log", "w") as f:
    for i in range(N): f.write("[pid %d] %s %s\n" % (10 + i, when(i), READ))
    for i in range(N): f.write("%s %s\n" % (when(N + i), READ))
for f in forks, execs, copies, cloexecs, closes, folders, waiting, pairs, high, renames:
    log(f.__name__ + ".log", f())

def packed(text):
    z = zlib.compressobj(9, zlib.DEFLATED, 31)
    return z.compress(text) + z.flush()
# Calls that do not return, of 4 MB each: 1.2 GB of text in a small file.
with open("texts.log.gz", "wb") as f:
    long = packed(b"x" * (4 << 20))
    f.write(packed(b"1 %s %s\n" % (when(0).encode(), READ.encode())))
    for i in range(300):
        f.write(packed(b"%d %s read(3, " % (2 + i, when(i).encode())) + long + packed(b" <unfinished ...>\n"))
# Comments before the first record.
with open("comments.iot.gz", "wb") as f:
    comments = packed((b"ff " + b"x" * 60000 + b"\n") * 100)
    f.write(packed(b"ff %iotrace version=1 tick=1000\n"))
    for i in range(70):
        f.write(comments)
    f.write(packed(b"c0 0 0 8 0 1 1 1 1 0\n"))
# More comments before each record than merge holds.
with open("runs.iot.gz", "wb") as f:
    comments = packed(b"ff x\n" * 66000)
    for i in range(250):
        f.write(comments)
        f.write(packed(b"c0 0 0 8 0 1 1 1 %d 0\n" % (1 if i == 0 else 0)))
# Many processes, followed by many intervals.
with open("bare.iot", "w") as f:
    for i in range(N): f.write("c0 0 0 8 0 1 0 1 %x 0\n" % (i + 1))
    for i in range(10000): f.write("c0 0 0 8 0 1 0 1 1 0\n")
# Each line opens a quoted field that is not closed, also if the line is in a quoted field.
with open("quotes.csv", "w") as f:
    f.write("time_ns,op,offset,length\n" + '"a","\n' * 400000)
# One byte after 65 GiB of zeros.
with open("sparse.log", "wb") as f:
    f.truncate(65 << 30)
    f.seek(65 << 30)
    f.write(b"x")
subprocess.run(["tar", "-S", "-cf", "sparse.tar", "sparse.log"], check=True)
os.remove("sparse.log")
P
python3 made.py || exit 1

# try COMMAND...: in bounded memory and 40 seconds of CPU time.
try() {
	(
		case ${MODE-release} in
		release | debug) ulimit -v ${MEMORY:-1572864} ;; # sanitizers want all of it
		esac
		ulimit -f 819200
		ulimit -t 40
		"$IOTRACE" "$@" >out.txt 2>err.txt
	)
	echo "$(echo "$*" | cut -c 1-60): $?"
	grep -v '^iotrace: warning' err.txt | head -n 1 | cut -c 1-150
}
export TMPDIR="$PWD"
echo "== much alive, open or waiting"
for log in *.log; do
	try convert -q "$log"
	grep -c '^[c8]' out.txt
done
try convert -q quotes.csv
rm -f quotes.csv
echo "== memory"
try convert -q texts.log.gz
(MEMORY=393216; try slice --file=x comments.iot.gz)
try merge -q runs.iot.gz
grep -c '^c0' out.txt
rm -f out.txt
echo "== damage"
"$IOTRACE" cat --framed --sync=1 bare.iot |
	awk '/%sync/ && ++n > 50000 && n % 2 { sub("xxh3=.", "xxh3=0") } { print }' >intervals.iot
try cat -q --recover intervals.iot
grep -c '^[c8]' out.txt
rm -f out.txt bare.iot intervals.iot
echo "== temporary files"
try convert --from=strace sparse.tar
echo "== pipes"
i=0
while [ $i -le 256 ]; do
	set -- "$@" pipe.$i
	i=$((i + 1))
done
try procstat -o out.bin "$@"
echo "== a signal within a line that has no end"
truncate -s 1T endless.txt
timeout -k 100 1 "$IOTRACE" convert -q --from=strace -o out.iot endless.txt
echo $?
echo "== left here"
ls -A | grep -v '^made\.py$\|\.txt$\|\.log$\|\.gz$\|\.tar$'
