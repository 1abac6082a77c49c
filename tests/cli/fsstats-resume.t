# SPDX-License-Identifier: BSD-2-Clause
# fsstats: an interrupted walk leaves a checkpoint that only its owner may read, and goes on with the same bytes.
for i in 1 2 3 4 5 6 7 8 9; do
	mkdir -p tree/$i/a/b tree/$i/c other
	echo text >tree/$i/a/file
	ln tree/$i/a/file tree/$i/c/longer-name
done
options="-q --now=1700000000 --by=dir --depth=2"
"$IOTRACE" fsstats $options -s whole.state tree >/dev/null
"$IOTRACE" fsstats $options --threads=1 --rate=20 --checkpoint=kept tree >/dev/null 2>err &
sleep 0.7
kill -TERM $!
wait $!
echo "status $?"
cat err
stat -c '%a' kept
"$IOTRACE" fsstats kept 2>&1 | cut -c 1-60
"$IOTRACE" fsstats $options --resume=kept other
"$IOTRACE" fsstats -q --now=1700000000 --resume=kept tree
"$IOTRACE" fsstats $options --part=1/2 --resume=kept tree
head -c 300 kept >cut
"$IOTRACE" fsstats $options --resume=cut tree 2>&1 | sed "s/cut:[0-9]*/cut:N/"
"$IOTRACE" fsstats $options --resume=none tree
mv tree/5 moved
"$IOTRACE" fsstats $options --resume=kept -s later.state tree >/dev/null && ls kept
mv moved tree/5
echo notes >notes
"$IOTRACE" fsstats $options --checkpoint=notes tree >/dev/null && cat notes
"$IOTRACE" fsstats $options --every=1ns --checkpoint=none/kept tree 2>&1 >/dev/null | sort -u
rm -f kept
"$IOTRACE" fsstats $options --threads=1 --rate=20 --checkpoint=kept tree >/dev/null 2>&1 &
sleep 0.7
kill -TERM $!
wait $!
"$IOTRACE" fsstats $options --resume=kept -s resumed.state tree >/dev/null
cmp resumed.state whole.state && echo "the same bytes"
ls kept
exit 0
