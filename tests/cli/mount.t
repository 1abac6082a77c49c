# SPDX-License-Identifier: BSD-2-Clause
# A mount: what programs do on it, what its trace has, and how it ends.
"$IOTRACE" mount --help >help && mkdir src mnt
"$IOTRACE" mount -q -o try.iot --run src mnt -- true 2>err || { echo "nothing can be mounted here: $(head -n 1 err)"; exit 77; }

echo 'a program, with its exit status:'
"$IOTRACE" mount -q -o t.iot --run src mnt -- sh -c '
	dd if=/dev/zero of=mnt/a bs=1M count=3 status=none
	dd if=mnt/a of=/dev/null bs=3M status=none
	echo one >>mnt/b; echo two >>mnt/b; mv mnt/b mnt/c; ln mnt/c mnt/d; rm mnt/d
	python3 -c "import ctypes; [ctypes.CDLL(None).renameat2(-100, b\"mnt/a\", -100, b\"mnt/c\", 2) for _ in range(2)]"
	python3 -c "import os; os.writev(os.open(\"mnt/v\", os.O_WRONLY | os.O_CREAT), [b\"buffer\\n\"] * 1000)"
	exit 7'
echo "status $?"
cat src/c
"$IOTRACE" check t.iot | sed 's/;.*//'
echo 'transfers: the reads of dd arrive in pieces, which are joined'
"$IOTRACE" cat -f csv --columns=op,offset,length,path t.iot | sed "s|$PWD/||"
"$IOTRACE" cat -q --format-version=1 t.iot | sed -n 's/^ff %op name=\(rename\|exchange\|link\|unlink\) .* path=/\1 /p' | sed "s|$PWD/||g"

echo 'until it is unmounted:'
"$IOTRACE" mount -q -o u.iot src mnt & pid=$!
until grep -q " $PWD/mnt fuse.iotrace" /proc/mounts; do sleep 0.05; done
exec 3>mnt/unlinked; rm mnt/unlinked; echo still >&3; exec 3>&-
"$IOTRACE" mount --stop mnt; echo "stop: $?"
"$IOTRACE" check u.iot | sed 's/;.*//'
wait $pid; echo "mount: $?"

echo 'killed:'
"$IOTRACE" mount -q -o k.iot src mnt & pid=$!
until grep -q " $PWD/mnt fuse.iotrace" /proc/mounts; do sleep 0.05; done
kill -9 $pid; wait $pid 2>/dev/null
ls mnt 2>&1 | sed 's/.*: //'
"$IOTRACE" mount -q -o l.iot src mnt 2>&1 | sed "s|$PWD/||"
"$IOTRACE" mount --stop mnt; echo "stop: $?"
"$IOTRACE" mount --stop mnt; echo "stop: $?"

echo 'small buffers, four threads of dd:'
"$IOTRACE" mount -q --buffer=64K -o s.iot --run src mnt -- sh -c '
	for i in 1 2 3 4; do dd if=/dev/zero of=mnt/s$i bs=512 count=2000 status=none & done; wait'
"$IOTRACE" stat -q --json s.iot | jq -c '.total.written_bytes'
"$IOTRACE" cat -q -f csv --columns=op,length s.iot | sort | uniq -c | sed 's/^ *//'
"$IOTRACE" mount -q --full=drop -o /dev/full --run src mnt -- true; echo "status $?"
