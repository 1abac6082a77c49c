# SPDX-License-Identifier: BSD-2-Clause
# Samples of counters stay, without the names of hosts, targets and jobs.
printf 'a key of enough bytes\n' >key
chmod 600 key
"$IOTRACE" convert -q -o jobs.iot "$TESTDATA/lustre/jobs.lustre"
"$IOTRACE" anonymize -q --key key --map map.tsv -o anonymous.iot jobs.iot
# TRACE KEY: the values of a key of samples
values() { "$IOTRACE" cat --format-version=1 "$1" | sed -n "s/^ff %sample .* $2=\([^ ]*\).*/\1/p"; }
for key in took read-bytes written-bytes reads writes; do
	values jobs.iot $key >was
	values anonymous.iot $key | cmp - was && echo "$key: $(wc -l <was) equal"
done
echo "== as many names as before, all of them replaced"
for key in host target job; do
	values jobs.iot $key | sort | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' '
	values anonymous.iot $key | sort | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' '
	values jobs.iot $key | sort -u >names
	"$IOTRACE" cat --format-version=1 anonymous.iot | grep -c -F -f names
done
cut -f 1 map.tsv | sort | uniq -c
echo "== what is lost"
printf 'ff %%trace source=sample epoch=0\nff %%lost time=1 source=diskstats host=node1 target=sda why=unreadable\n' >lost.iot
"$IOTRACE" anonymize -q --key key -o anonymous.iot lost.iot
"$IOTRACE" cat --format-version=1 anonymous.iot | sed -n 's/^ff %lost //p'
echo "== rounded"
"$IOTRACE" convert -q -o disks.iot "$TESTDATA/diskstats/node1.diskstats"
"$IOTRACE" anonymize -q --key key --time-grain=7000000000 --size-grain=1000000 -o rounded.iot disks.iot
for key in took written-bytes busy-ns; do
	echo $key: $(values disks.iot $key | head -n 3), $(values rounded.iot $key | head -n 3)
done
echo "== rounded to nothing"
"$IOTRACE" anonymize -v --key key --time-grain=3600000000000 -o rounded.iot disks.iot 2>&1
values rounded.iot took
