# SPDX-License-Identifier: BSD-2-Clause
# Consecutive slices merge to the original trace, byte for byte.
"$IOTRACE" convert -q --sync=50 -o t.iot.zst "$TESTDATA/strace/sqlite.strace.gz"
"$IOTRACE" cat t.iot.zst >whole

# The parts together are the whole.
together() {
	"$IOTRACE" merge -q --keep-ids p.* | "$IOTRACE" cat --sync=50 | cmp - whole && echo "$*: the whole"
	rm p.*
}

for size in 33 50 200; do
	from=0 i=100
	while [ $from -lt 696 ]; do
		"$IOTRACE" slice --records=$from-$((from + size - 1)) -o p.$i t.iot.zst
		from=$((from + size)) i=$((i + 1))
	done
	together $size records each
done
from=
i=100
for to in 2ms 15.5% 9500us 50% 0.02; do
	"$IOTRACE" slice $from --to=$to -o p.$i t.iot.zst
	from=--from=$to i=$((i + 1))
done
"$IOTRACE" slice $from -o p.rest t.iot.zst
together cut by time
"$IOTRACE" slice --process=11676 --every=100 t.iot.zst | "$IOTRACE" info - | grep -E '^.stdin|complete|records|processes'
