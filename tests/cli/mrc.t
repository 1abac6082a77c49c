# SPDX-License-Identifier: BSD-2-Clause
# Curves that can be checked by hand: blocks 0 1 2 0 1 2 2.
{ for block in 0 1 2 0 1 2 2; do echo "80 20 ${block}000 1000 1 a 1 1 0"; done; } >loop
"$IOTRACE" mrc loop
"$IOTRACE" mrc --tsv --all --by=op loop
"$IOTRACE" mrc --json --points=1 loop | jq -c '[.distinct_blocks, .points]'
"$IOTRACE" mrc --tsv --method=shards --sample=1 loop
"$IOTRACE" mrc --method=aet loop
"$IOTRACE" mrc --policy=opt loop
"$IOTRACE" mrc --svg=plot.svg loop >/dev/null
python3 -c 'import xml.dom.minidom as x; print(len(x.parse("plot.svg").getElementsByTagName("circle")), "marks")'
printf '\n' | "$IOTRACE" mrc 2>&1
for wrong in --sample=0 --sample=2 --points=0 --policy=lru,arc; do
	"$IOTRACE" mrc $wrong loop 2>&1 | head -n 1
done
"$IOTRACE" mrc --policy=arc --all loop 2>&1 | head -n 1
"$IOTRACE" mrc --policy=arc --method=shards --by=op loop 2>&1 | head -n 1
# Reads and writes have curves of their own, also in an estimate from times.
{ for block in 0 1 2 0 1 2 2; do echo "80 20 ${block}000 1000 1 a 1 1 0"; echo "c0 20 ${block}000 1000 1 a 1 1 0"; done; } >writes
"$IOTRACE" mrc --points=4 writes
"$IOTRACE" mrc --points=4 --method=aet --by=op --tsv writes
# Another policy, simulated with half of 4,000 blocks that are used twice in a cycle: caches of 2,000 blocks and more.
awk 'BEGIN { for (i = 0; i < 8000; i++) printf "80 20 %x000 1000 1 a 1 1 0\n", i % 4000 }' >cycle
"$IOTRACE" mrc -q --policy=fifo --method=shards --sample=0.5 --points=3 cycle
"$IOTRACE" mrc -q --policy=fifo --method=shards --sample=0.2 cycle 2>&1
"$IOTRACE" mrc -q --policy=fifo --method=shards --points=2 --json cycle | jq -c '[.parameters.method, .points[].misses]'
cat loop | "$IOTRACE" mrc --policy=arc 2>&1
# More distinct blocks than the memory holds; they are far apart.
awk 'BEGIN { for (i = 0; i < 40000; i++) printf "80 20 %x000 1000 1 a 1 1 0\n", i * 64 }' >scan
"$IOTRACE" mrc --memory=1M scan 2>&1
"$IOTRACE" mrc --memory=1M --method=shards --samples=64 --json scan | jq '.points | length > 20'
"$IOTRACE" simulate --memory=1M -c 1b scan | head -n 3
# 131 blocks, each twice in a loop: a size in the middle of a bin, at which rows, reads and estimates with all keys hit, too.
awk 'BEGIN { for (i = 0; i < 262; i++) printf "80 20 %x000 1000 1 a 1 1 0\n", i % 131 }' >loop
"$IOTRACE" mrc -q --points=1 --by=op --tsv loop
"$IOTRACE" mrc -q --points=1 --method=shards --sample=1 --tsv loop

# Half of the references are to one block, which the sample may have or lack: the other half misses in small caches.
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "80 20 %x000 1000 1 a 1 1 0\n", i % 2 ? 0 : 1 + i * 7919 % 20000 }' >popular
for seed in 1 2 3; do
	"$IOTRACE" mrc -q --tsv --points=16 --method=shards --sample=0.05 --seed=$seed popular |
		awk 'NR == 5 { print ($4 > 0.47 && $4 < 0.53 ? "half of the references miss" : $0) }'
done
# A loop over 3000 blocks: half of the sizes enclose the one at which all references hit.
awk 'BEGIN { for (i = 0; i < 9000; i++) printf "80 20 %x000 1000 1 a 1 1 0\n", i % 3000 }' >cliff
"$IOTRACE" mrc -q --points=20 --tsv cliff | cut -f 1,4 | tail -n 6
