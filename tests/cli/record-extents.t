# SPDX-License-Identifier: BSD-2-Clause
# record --extents states where the bytes of files are on disks, as filefrag shows it, and merge --physical
# ties by it.
PATH=$PATH:/usr/sbin:/sbin
command -v mkfs.ext4 >/dev/null && command -v filefrag >/dev/null || { echo "no mkfs.ext4 and filefrag here"; exit 77; }
[ -d /sys/dev/block ] || { echo "/sys is not mounted here"; exit 77; }
truncate -s 64M disk && mkfs.ext4 -q -b 4096 disk && mkdir m
mount -o loop disk m 2>err || { echo "nothing can be mounted here: $(head -n 1 err)"; exit 77; }
trap 'umount m' EXIT
device=$(stat -c '%Hd,%Ld' m)
extents() { "$IOTRACE" cat --format-version=1 "$1" | grep -a '^ff %extent'; }
# NAME: its extents as filefrag shows them, in bytes and sectors
shown() {
	filefrag -v -b4096 "m/$1" | sed -n 's/^ *[0-9]*: *\([0-9]*\)\.\. *[0-9]*: *\([0-9]*\)\.\. *[0-9]*: *\([0-9]*\):.*/\1 \2 \3/p' |
		while read -r at block n; do echo "offset=$((at * 4096)) length=$((n * 4096)) device=$device sector=$((block * 8))"; done
}
# TRACE NAME: those of the trace
of_file() {
	object=$("$IOTRACE" cat --format-version=1 "$1" | sed -n "s|^ff %file .* object=\([0-9]*\) path=$PWD/m/$2\$|\1|p" | head -n 1)
	extents "$1" | sed -n "s/^ff %extent object=$object //p"
}

echo "closed before its bytes have a place; synced; with a hole; renamed; read only"
head -c 300000 /dev/urandom >m/old
sync m/old
"$IOTRACE" record --extents -o t.iot sh -c '
	dd if=/dev/zero of=m/late bs=64k count=20 status=none
	dd if=/dev/zero of=m/synced bs=4k count=5 conv=fsync status=none
	dd if=/dev/zero of=m/hole bs=4k count=2 seek=100 status=none
	dd if=/dev/zero of=m/hole bs=4k count=2 conv=notrunc status=none
	dd if=/dev/zero of=m/before bs=4k count=1 status=none; mv m/before m/after
	cat m/old >/dev/null'
for name in late synced hole old; do
	shown $name >wanted
	of_file t.iot $name | cmp - wanted && echo "$name: $(wc -l <wanted)"
done
shown after >wanted; of_file t.iot before | cmp - wanted && echo "after: $(wc -l <wanted)"
"$IOTRACE" check -q t.iot >checked; echo "check: $?"

echo "a file that cannot be mapped is counted, and needs no map of another one"
"$IOTRACE" record --extents -o s.iot sh -c 'exec 3>m/gone; rm m/gone; echo still >&3; echo other >m/gone' 2>&1
extents s.iot | wc -l

echo "without the option"
"$IOTRACE" record -o n.iot dd if=m/old of=/dev/null status=none
extents n.iot | wc -l
"$IOTRACE" record --extents --transport=pipe -o n.iot true; echo "exit $?"

echo "the kernel's worker writes a file later: by map"
of_file t.iot late >late
sector=$(sed -n 's/.*sector=//p' late)
cat >physical.txt <<END
255 %trace source=blktrace epoch=0 lacks=cpu
255 %process id=77777 name=kworker
255 %file process=77777 id=1 object=1 path=/dev/disk kind=disk source-id=$device
64 0 $sector 2560 9000000000000000000 10 0 1 77777 0
END
"$IOTRACE" cat --in-base=10 --in-tick=1 --framed -o physical.iot physical.txt
"$IOTRACE" merge --physical=physical.iot -o tied.iot t.iot
"$IOTRACE" cat --format-version=1 tied.iot | sed -n 's/^ff %counter source=ties \(kind=map.*\)/\1/p'
