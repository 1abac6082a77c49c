# SPDX-License-Identifier: BSD-2-Clause
# iotrace record --check: programs whose I/O is in the trace equal the kernel's counters, sockets and splice included, and what libc reads
# itself is named.
sh "$TOOLS/built.sh" libiotrace-record.so || exit 77
cat >moves.py <<'END'
import os, socket
data = bytes(1000)
os.system("cat /dev/null")
one, other = socket.socketpair()
for i in range(100):
    one.send(data), other.recv(5000)
    one.sendmsg([data]), other.recvmsg(5000)
    os.write(one.fileno(), data), os.read(other.fileno(), 5000)
with open("file", "wb") as f:
    f.write(data)
source, pipe, to = os.open("file", os.O_RDONLY), os.pipe(), os.open("copy", os.O_CREAT | os.O_WRONLY)
os.splice(source, pipe[1], 1000), os.splice(pipe[0], to, 1000)
os.sendfile(to, source, 0, 500)
END
python=$(python3 -c 'import sys; print(sys.executable)')
LC_ALL=C "$IOTRACE" record -q --check -o a.iot "$python" -S moves.py 2>&1 | sed -n 's/: [0-9]* bytes$/: N bytes/; 1,2p'
"$IOTRACE" cat -q --format-version=1 a.iot | grep -o 'uncounted[^ ]*'
echo 'a program that reads users:'
LC_ALL=C "$IOTRACE" record -q --check -o b.iot id -un 2>&1 >/dev/null | sed -n 's/: [0-9]* bytes$/: N bytes/; 1,2p'
echo 'a program that writes without libc:'
python3 "$TOOLS/static_program.py" static 'static
' 0
LC_ALL=C "$IOTRACE" record -q --check -o c.iot sh -c './static >file; echo >>file' 2>&1 | sed -n 1p
