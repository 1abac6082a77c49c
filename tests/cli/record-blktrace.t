# SPDX-License-Identifier: BSD-2-Clause
# record --blktrace also traces the disks, and ties each disk I/O to the call that caused it.
PATH=$PATH:/usr/sbin:/sbin
echo "what cannot be"
"$IOTRACE" record --blktrace=raw.0 -o - true 2>&1; echo "exit $?"
"$IOTRACE" record --blktrace=raw.0 --rotate=1M -o x.iot true 2>&1; echo "exit $?"
"$IOTRACE" record -q -o trace.iot true
"$IOTRACE" record --blktrace=trace.iot -o x.iot true 2>&1; echo "exit $?"
"$IOTRACE" record --blktrace=same -o same true 2>&1; echo "exit $?"
rm trace.iot
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$IOTRACE" record --blktrace=raw.0 -o x.iot touch ran
else
	"$IOTRACE" record --blktrace=raw.0 -o x.iot touch ran
fi 2>&1 | sed 's/: \(Permission denied\|No such file or directory\|Operation not permitted\);/: WHY;/'
ls

command -v mkfs.ext4 >/dev/null || { echo "no mkfs.ext4 here"; exit 77; }
truncate -s 64M disk && mkfs.ext4 -q -b 4096 disk && mkdir m
mount -o loop disk m 2>err || { echo "nothing can be mounted here: $(head -n 1 err)"; exit 77; }
trap 'umount m' EXIT
head -c 1048576 /dev/urandom >m/read
sync m/read; dd of=m/read oflag=nocache conv=notrunc,fdatasync count=0 status=none
"$IOTRACE" record --blktrace=raw.0 -o t.iot sh -c '
	dd if=/dev/zero of=m/late bs=64k count=20 status=none
	dd if=/dev/zero of=m/synced bs=4k count=50 conv=fsync status=none
	dd if=/dev/zero of=m/direct bs=16k count=10 oflag=direct status=none
	dd if=m/read of=/dev/null bs=4k count=100 status=none
	exit 3' 2>err
status=$?
[ $status = 125 ] && { echo "the disks cannot be traced here: $(head -n 1 err)"; exit 77; }
echo "exit $status"; cat err
"$IOTRACE" cat --format-version=1 t.iot >text
counter() { sed -n "s/^ff %counter source=ties $1 //p" text; }
echo "each direct transfer has one I/O; the fsync is tied to its writes"
counter kind=direct; counter kind=flush
echo "files: bytes written by the program and by the disk"
for name in late synced direct; do
	object=$(sed -n "s|^ff %file .* object=\([0-9]*\) path=$PWD/m/$name\( .*\)\?\$|\1|p" text | head -n 1)
	echo "$name: $(counter "object=$object" | sed 's/.*\(logical.written-bytes=[0-9]*\).* \(physical.written-bytes=[0-9]*\).*/\1 \2/')"
done
echo "tied and untied are all"
tied=$(sed -n 's/.*source=ties kind=.* read-bytes=\([0-9]*\) .*written-bytes=\([0-9]*\).*/\1 \2/p' text | awk '{ n += $1 + $2 } END { print n }')
all=$("$IOTRACE" cat -q --format=csv --columns=kind,length t.iot | awk -F, '$1 ~ /^disk/ { n += $2 } END { print n }')
[ "$tied" = "$all" ] || echo "$tied bytes in ties, $all in records"
"$IOTRACE" merge -q --physical=raw.0 -o again.iot t.iot; echo "the file can be merged again: $?"
"$IOTRACE" check -q t.iot | sed 's/;.*//'

echo "a killed record leaves no tracer behind"
"$IOTRACE" record -q --blktrace=killed.0 -o killed.iot sleep 2 &
until [ -s killed.0 ]; do sleep 0.05; done
sleep 0.2
kill -KILL $!
wait $! 2>/dev/null
for try in 1 2 3 4 5 6 7 8 9 10; do
	"$IOTRACE" record -q --blktrace=after.0 -o after.iot true 2>err && break
	sleep 0.2
done
grep 'in use' err || echo "the next one begins"
