# SPDX-License-Identifier: BSD-2-Clause
# Standard input that is a file can be read again, and from a part on; a pipe, and a file that is not at its beginning, cannot.
awk 'BEGIN { for (i = 0; i < 400; i++) printf "80 20 %x 1000 1 1 1 1 0\n", i % 90 * 4096 }' >plain.iot
"$IOTRACE" cat -q --framed --sync=50 --no-fsync -o a.iot plain.iot
for k in 1 2; do
	"$IOTRACE" analyze -q --no-fsync --part=$k/2 -s a.$k a.iot
	"$IOTRACE" analyze -q --no-fsync --part=$k/2 -s b.$k - <a.iot
	cmp a.$k b.$k && echo "part $k: the same"
done
"$IOTRACE" analyze -t a.iot >whole
"$IOTRACE" analyze -t b.2 b.1 | cmp - whole && echo "joined: the same"
cat a.iot | "$IOTRACE" analyze -q --part=1/2 -s c - 2>&1
echo "exit status $?"
{ read -r _; "$IOTRACE" analyze -q --part=1/2 -s c - 2>&1; } <a.iot
echo "exit status $?"
for options in "simulate --cache=64KiB,50% --policy=lru,opt" "mrc --policy=opt --points=3"; do
	"$IOTRACE" $options a.iot | sed "s/a\.iot/IN/" >named
	"$IOTRACE" $options - <a.iot | sed "s/standard input/IN/" >standard
	diff named standard && echo "$options: the same"
	cat a.iot | "$IOTRACE" $options - 2>&1
	echo "exit status $?"
done
