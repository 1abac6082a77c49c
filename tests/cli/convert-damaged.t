# SPDX-License-Identifier: BSD-2-Clause
# Damaged or truncated input: the valid part is kept, with %lost and %end; exit status 1.
sh "$TOOLS/strace_log.sh" 30000 >log
gzip -c log >log.gz && xz -c log >log.xz && zstd -q log -o log.zst && tar cf log.tar log
for in in log.gz log.xz log.zst log.tar; do
	size=$(wc -c <$in)
	head -c $((size / 2)) $in >cut
	"$IOTRACE" convert -q -o x.iot cut 2>message
	echo "$in: exit status $?, $(grep -c '^iotrace: cut: ' message) message"
	tail -n 2 x.iot | sed 's/=.*//'
	"$IOTRACE" cat x.iot | cmp - x.iot
	"$IOTRACE" cat --bare x.iot | grep -v '^ff' >records
	[ $(wc -l <records) -gt 5000 ] || wc -l records
	rm x.iot
	"$IOTRACE" convert -q --strict -o x.iot cut 2>message
	echo "strict: exit status $?"
	tail -n 1 message
	[ -e x.iot ] && echo "kept"
done
true
