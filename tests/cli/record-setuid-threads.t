# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: threads of a process that changes its user, and its children, remain in the trace in both ways to see calls.
sh "$TOOLS/built.sh" libiotrace-record.so || exit 77
[ "$(id -u)" = 0 ] || {
	echo 'only root can change its user'
	exit 77
}
chmod go+x . && : >main && : >thread && : >child && chmod 666 main thread child
cat >changes.py <<'END'
import os, threading

def write(name, data):
    fd = os.open(name, os.O_WRONLY)
    os.write(fd, data)
    os.close(fd)

changed = threading.Event()
def other():
    changed.wait()
    write("thread", b"thread")

thread = threading.Thread(target=other)
thread.start()
os.setuid(65534)
changed.set()
thread.join()
write("main", b"main")
pid = os.fork()
if pid == 0:
    write("child", b"child")
    os._exit(0)
os.waitpid(pid, 0)
END
for way in calls syscalls; do
	echo "--seen=$way:"
	"$IOTRACE" record -q --seen=$way -o a.iot python3 changes.py
	"$IOTRACE" cat -q --format=csv --columns=op,length,path a.iot | grep '^write' | sed "s|$PWD/||"
	"$IOTRACE" info a.iot | head -1
done
