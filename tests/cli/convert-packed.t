# SPDX-License-Identifier: BSD-2-Clause
# A log gives the same trace however it is compressed: from a file and through a pipe.
sh "$TOOLS/strace_log.sh" 2000 >log
"$IOTRACE" convert -o plain.iot log || exit
gzip -c log >log.gz && bzip2 -c log >log.bz2 && xz -c log >log.xz
zstd -q log -o log.zst && lz4 -q log log.lz4
tar cf log.tar log && zstd -q log.tar -o log.tar.zst && xz -c log.tar >log.tar.xz
mkdir folder && cp log.gz folder/
tar cf gz.tar -C folder log.gz
ln -s ../log folder/link
for in in log.gz log.bz2 log.xz log.zst log.lz4 log.tar log.tar.zst log.tar.xz gz.tar folder; do
	"$IOTRACE" convert -o x.iot $in && cmp plain.iot x.iot && echo "$in: the same"
	[ -d $in ] && continue
	"$IOTRACE" convert - <$in | cmp plain.iot - && echo "$in, standard input: the same"
	cat $in | "$IOTRACE" convert - | cmp plain.iot - && echo "$in, pipe: the same"
done
# If damage leaves no usable line, the message says so.
for in in log.bz2 log.xz log.lz4 log.zst; do
	head -c 20 $in >cut-$in
	"$IOTRACE" convert -o cut.iot cut-$in 2>err
	echo "$in: $? $(grep -c "^iotrace: cut-$in: " err) $(grep -c empty err)"
	"$IOTRACE" convert -o cut.iot - <cut-$in 2>err
	echo "$in, pipe: $? $(grep -c empty err)"
done
[ ! -e cut.iot ] || echo 'a trace of nothing'
