# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: programs whose process ids are those of a container, and children of other users.
sh "$TOOLS/built.sh" libiotrace-record.so || exit 77
unshare -pf true 2>/dev/null || {
	echo 'PID namespaces cannot be created'
	exit 77
}
transfers()
{
	"$IOTRACE" cat -q --format=csv "$1" | grep ",file," | cut -d, -f3,5,6,10 | sed "s|$PWD/||" | sort
}
seq 100 >data
cp data other

echo 'the recording ends when these have ended, even though the system has other processes with the same ids:'
for transport in ring pipe; do
	timeout 60 "$IOTRACE" record -q --transport=$transport -o a.iot unshare -pf sh -c 'cat data; (cat other; cat data >copy) & wait; exit 3' >all
	echo "exit status $?"
	wc -c <all
	transfers a.iot
	"$IOTRACE" check a.iot | sed 's/, [0-9]* notes.*;/;/; s/, comments.*//'
done

echo 'programs of several namespaces that start together, each as process 1:'
cat >together.sh <<'END'
for n in 5 6 7; do
	unshare -pf dd if=/dev/zero of=out.$n bs=10 count=$n 2>/dev/null &
done
wait
END
"$IOTRACE" record -q -o b.iot sh together.sh
"$IOTRACE" info b.iot | sed -n '1p; /^  gaps/p'
"$IOTRACE" stat --tsv --by=process b.iot | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
	NR > 1 && $column["written_bytes"] > 0 { print $column["writes"], $column["written_bytes"] }' | sort -n

[ "$(id -u)" = 0 ] && mkdir -m 777 public || exit 77
echo 'a child of a process that had become that of another user joins:'
cat >users.py <<'END'
import os
if os.fork() == 0:
    os.setresuid(65534, 65534, 65534)
    if os.fork() == 0:
        fd = os.open("public/file", os.O_WRONLY | os.O_CREAT)
        for i in range(5):
            os.write(fd, b"data")
        os._exit(0)
    os.wait()
    os._exit(0)
os.wait()
END
chmod go+x .
"$IOTRACE" record -q -o c.iot python3 users.py
transfers c.iot | grep write
"$IOTRACE" info c.iot | head -n 1
