# SPDX-License-Identifier: BSD-2-Clause
# Traces of keys: each id is an object, whatever its size.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
misses() { "$IOTRACE" simulate --unit=object -q -c 3b,5b -p lru,lfu,opt "$@" --json | jq -c '[.simulations[].misses]'; }
echo 'formats of libCacheSim, and the expected misses of a list of keys:'
awk 'BEGIN { x = 1; for (i = 0; i < 500; i++) { x = (x * 16807) % 2147483647; print int(30 ^ (x / 2147483647)) } }' >keys.txt
python3 - <<'CODE'
import struct, sys, os
sys.path.insert(0, os.environ["TOOLS"])
import cache_reference
keys = [int(line) for line in open("keys.txt")]
after, rows, wide = {}, [], []
for i in range(len(keys) - 1, -1, -1):
    rows.append(struct.pack("<IQIq", i // 9, keys[i], 100 * (i % 7), after.get(keys[i], -1)))
    wide.append(struct.pack("<IQIq", i // 9, (keys[i] * 0x9e3779b97f4a7c15) & (1 << 64) - 1, 1, after.get(keys[i], -1)))
    after[keys[i]] = i + 1
open("keys.oracleGeneral.bin", "wb").write(b"".join(reversed(rows)))
open("hashes.oracleGeneral.bin", "wb").write(b"".join(reversed(wide)))
open("keys.csv", "w").write("time:s,op,id,size\n".replace(":s", "") + "".join(f"{i},{'get' if i % 3 else 'set'},{k},{i % 5}\n" for i, k in enumerate(keys)))
caches = [cache_reference.new(policy, size, keys) for policy in ("lru", "lfu", "opt") for size in (3, 5)]
print([sum(not cache.refer(key) for key in keys) for cache in caches])
CODE
misses keys.oracleGeneral.bin
misses hashes.oracleGeneral.bin
misses --in-format=csv --in-option=columns=txt keys.txt
misses keys.txt
misses --in-format=csv --in-option=columns=time:s,op,id,size keys.csv
printf "%s\n" 1 2 >few.txt
"$IOTRACE" simulate -q --unit=object -c 9b few.txt 2>&1 | head -n 1
"$IOTRACE" mrc --unit=object -q --points=3 --json keys.oracleGeneral.bin | jq -c '[.points[] | [.cache_blocks, .misses]]'
echo 'operations of caches:'
printf '%s\n' op,id gets,7 set,8 add,9 replace,7 cas,8 delete,7 get,7 flush,8 >operations.csv
"$IOTRACE" convert -q --from=csv --format-version=1 operations.csv | grep -v '%iotrace\|%end'
"$IOTRACE" simulate --unit=object -q -c 9b --json --in-format=csv operations.csv | jq -c "[.trace.references, .simulations[0].misses]"
echo 'equal keys of several clients are one object; keys may be names that begin with a digit:'
printf '%s\n' 1,7k,5,a,get 2,8k,5,b,set 3,7k,5,b,get 4,8k,5,a,gets 5,7k,5,a,delete 6,7k,5,b,get 7,9k,5,c,get >clients.csv
tr -d k <clients.csv >numbers.csv
for keys in clients numbers; do
	"$IOTRACE" simulate --unit=object -q -c 1b,2b,9b --json --in-format=csv --in-option=columns=time:s,id,size,process,op $keys.csv |
		jq -c '[.trace.references, .simulations[].misses]'
done
"$IOTRACE" convert -q --from=csv --columns=time:s,id,size,process,op --format-version=1 numbers.csv | grep -v '%iotrace\|%end'
echo 'deleted before any is there: by mrc, and by simulate:'
printf '%s\n' op,id delete,7 get,1 get,2 get,3 get,4 delete,1 get,2 get,3 get,4 delete,2 get,3 get,4 >deleted.csv
for method in exact aet; do
	"$IOTRACE" mrc --unit=object --method=$method -q --points=3 --json --in-format=csv deleted.csv | jq -c '[.points[] | [.cache_blocks, .misses]]'
done
"$IOTRACE" simulate --unit=object -q -c 1b,3b,9b --json --in-format=csv deleted.csv | jq -c '[.simulations[].misses]'
echo 'deleted objects that return are not new ones:'
printf '%s\n' op,id get,1 get,2 delete,1 get,1 delete,1 get,1 get,2 >returned.csv
for by in --method=exact --method=shards --method=aet --policy=fifo; do
	"$IOTRACE" mrc --unit=object $by -q --points=3 --json --in-format=csv returned.csv | jq -c '[.distinct_blocks, (.points[] | .misses)]'
done
echo 'options:'
"$IOTRACE" simulate --unit=object -p lru,fifo --by=op keys.oracleGeneral.bin 2>&1
"$IOTRACE" mrc --unit=object --points=3 -q keys.oracleGeneral.bin 2>&1
for command in simulate mrc; do "$IOTRACE" $command -q keys.txt | grep empty; done
"$IOTRACE" simulate --unit=object -c 64M keys.oracleGeneral.bin 2>&1
"$IOTRACE" simulate --unit=object -c 9b --prefetch=request keys.oracleGeneral.bin 2>&1
"$IOTRACE" simulate --unit=object -T -c 9b keys.oracleGeneral.bin 2>&1
