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
cat loop | "$IOTRACE" mrc --policy=arc 2>&1
# More distinct blocks than the memory holds.
awk 'BEGIN { for (i = 0; i < 40000; i++) printf "80 20 %x000 1000 1 a 1 1 0\n", i }' >scan
"$IOTRACE" mrc --memory=1M scan 2>&1
"$IOTRACE" mrc --memory=1M --method=shards --samples=64 --json scan | jq '.points | length > 40'
"$IOTRACE" simulate --memory=1M -c 1b scan | head -n 3
