# SPDX-License-Identifier: BSD-2-Clause
# A trace of operations alone has %syncs, so that it has parts, can be entered, and survives damage.
{
	echo "ff %process id=1 name=find"
	awk 'BEGIN { for (i = 1; i <= 1060000; i++) printf "ff %%op name=stat time=%d took=1 process=1 path=/d%d\n", i, i % 100 }'
} | "$IOTRACE" cat -q --in-base=16 --in-tick=1000 --framed -o all.iot -
operations() { "$IOTRACE" cat -q --format-version=1 "$@" | grep -c '%op'; }
grep -ac '%sync' all.iot
"$IOTRACE" analyze -q -s whole all.iot
for k in 1 2; do "$IOTRACE" analyze -q -s $k --part=$k/2 all.iot; done
"$IOTRACE" analyze -q -s joined 2 1
cmp joined whole && echo "parts: the same"
echo "from 0.95 s, in a file and in a pipe: $("$IOTRACE" slice -q --from=0.95 all.iot | operations) $(cat all.iot | "$IOTRACE" slice -q --from=0.95 - | operations)"
head -n 1040000 all.iot >cut.iot
operations cut.iot
sed '300000s/^ff/gg/' all.iot >spoilt.iot
operations --recover spoilt.iot
