# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: a file that is opened through the path of a descriptor has its own name, and a file without a name not that of its
# directory.
sh "$TOOLS/built.sh" libiotrace-record.so || exit 77
python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_RDWR)' 2>/dev/null || {
	echo 'this file system has no O_TMPFILE'
	exit 77
}
cat >opens.py <<'END'
import os
fd = os.open("file", os.O_CREAT | os.O_RDWR)
os.write(fd, b"data")
for i, path in enumerate((f"/proc/self/fd/{fd}", f"/dev/fd/{fd}", f"/proc/{os.getpid()}/fd/{fd}", f"/proc/thread-self/fd/{fd}")):
    again = os.open(path, os.O_RDWR)
    os.write(again, b"data" * (i + 1))
    os.close(again)
os.write(os.open(".", os.O_TMPFILE | os.O_RDWR), b"unnamed")
END
for transport in ring pipe; do
	"$IOTRACE" record -q --transport=$transport -o a.iot python3 opens.py
	"$IOTRACE" cat -q -f csv --columns=op,offset,length,path a.iot | grep "write.*$PWD/" | sed "s|$PWD|.|; s|/#[0-9]*.*|/#N|"
	rm file
done

# A child of fork has the name of its parent until it runs a program of its own, even if it does nothing before.
cat >children.py <<'END'
import os, shutil
program = shutil.which("cp")
for before in False, True:
    if os.fork() == 0:
        if before:
            open("before", "w").close()
        os.execv(program, ["cp", "known", "copy"])
    os.wait()
END
seq 9 >known
for transport in ring pipe; do
	"$IOTRACE" record -q --transport=$transport -o e.iot "$(python3 -c 'import sys; print(sys.executable)')" children.py
	"$IOTRACE" cat -q --format-version=1 e.iot | sed -n 's/^ff %process id=[0-9]* name=[^ ]*\/\([a-z]*\)[0-9.]* parent=.*/\1/p'
done

# A call that exchanges two names is no rename, and the paths of directory descriptors are asked for again.
cat >exchange.py <<'PY'
import ctypes, os
libc = ctypes.CDLL(None)
for name in "one", "other":
    os.mkdir(name)
    open(f"{name}/{name}", "w").close()
fd = os.open("one", os.O_RDONLY)
os.access("before", os.F_OK, dir_fd=fd)
for flags, a, b in (2, b"one", b"other"), (2, b"one/other", b"other/one"), (1, b"other/one", b"moved"), (2, b"none", b"one"):
    libc.renameat2(-100, a, -100, b, flags)
os.access("after", os.F_OK, dir_fd=fd)
PY
for seen in calls auto; do
	"$IOTRACE" record -q --seen=$seen -o x.iot python3 exchange.py
	"$IOTRACE" cat -q --format-version=1 x.iot | sed -n "s|$PWD/||g; s/^ff %op name=\(exchange\|rename\|access\) .* path=\(.*\(before\|after\|to=.*\)\)/\1 \2/p"
	"$IOTRACE" stat --by=object x.iot | grep 'was' | sed "s|$PWD/||g; s/^.* \([a-z/]* (was\)/\1/" | sort
	rm -r one other moved
done
