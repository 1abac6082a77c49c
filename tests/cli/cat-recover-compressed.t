# SPDX-License-Identifier: BSD-2-Clause
# A trace without framing has no hashes: damage of its compression, whatever that is, makes all of it unproven. The
# checksum of a compressed tar follows the archive.
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "80 0 %x 1000 %x 64 1 3e8 1 0\n", i * 7919 % 65536 * 4096, i * 10 }' >bare
gzip -c bare >bare.gz
zstd -qc bare >bare.zst
bzip2 -1 -c bare >bare.bz2
xz -c bare >bare.xz
mkdir folder
mv bare folder
tar -czf bare.tar.gz folder
for trace in bare.gz bare.zst bare.bz2 bare.xz bare.tar.gz; do
	"$IOTRACE" cat --recover "$trace" | grep -vc '^ff' | sed "s/^/$trace: records /"
	size=$(wc -c <"$trace")
	cp "$trace" flipped
	printf '\377' | dd of=flipped bs=1 seek=$((size - 2)) conv=notrunc 2>dd.err
	head -c $((size * 3 / 4)) "$trace" >cut
	for damaged in flipped cut; do
		"$IOTRACE" cat --recover $damaged >out 2>err
		echo "$damaged: exit status $?, records $(grep -vc '^ff' out), %lost $(grep -c '%lost' out)"
	done
done
echo '== more than 64 MiB after the end of a tar are not read'
{ gzip -dc bare.tar.gz; head -c 70000000 /dev/zero; } | gzip -1 >flipped
printf '\377' | dd of=flipped bs=1 seek=$(($(wc -c <flipped) - 2)) conv=notrunc 2>dd.err
"$IOTRACE" cat flipped >out 2>err
echo "exit status $?, records $(grep -vc '^ff' out)"
