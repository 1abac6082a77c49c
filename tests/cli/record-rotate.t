# SPDX-License-Identifier: BSD-2-Clause
# iotrace record --rotate: parts that are complete traces, and that merge to the trace without parts.
XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run

# A file stays open, and is inherited by children, while parts end; processes begin and end.
cat >writes.sh <<'END'
exec 3>held
for i in 1 2 3 4 5 6 7 8; do
	echo "$i" >&3
	(echo "child $i" >&3; cat held >copy.$i)
	sleep 0.1
done
END

rows() { "$IOTRACE" cat -q --format=csv "$1" | sed 1d | cut -d, -f3,5,6,10 | sort; }
counts() {
	"$IOTRACE" stat --tsv "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		{ print $column["name"], $column["opens"], $column["reads"], $column["writes"], $column["written_bytes"] }' | sort
}

"$IOTRACE" record --cpu=none --path="$PWD/*" -o whole.iot.zst sh writes.sh
"$IOTRACE" record --cpu=none --path="$PWD/*" --rotate=200ms -o parts.iot.zst sh writes.sh
n=$(ls parts.*.iot.zst | wc -l)
[ "$n" -ge 3 ] || echo "$n parts"
[ -e parts.0001.iot.zst ] && [ ! -e parts.iot.zst ] || ls
for part in parts.*.iot.zst; do
	"$IOTRACE" check -q "$part" >log || echo "check: exit status $?"
done
"$IOTRACE" merge -q --keep-ids -o joined.iot.zst parts.*.iot.zst
"$IOTRACE" check joined.iot.zst | sed 's/valid.*/valid/'
rows whole.iot.zst >whole
rows joined.iot.zst | diff whole - && echo 'the records are equal'
counts whole.iot.zst >whole
counts joined.iot.zst | diff whole - && echo 'and the counts'
echo 'each part names its files:'
for part in parts.*.iot.zst; do rows "$part"; done | cut -d, -f4 | sed 's|.*/||; s/[.][0-9]//' | sort -u

echo 'another run adds parts, and replaces none:'
cksum parts.*.iot.zst >before
"$IOTRACE" record --rotate=1h -o parts.iot.zst true
cksum parts.*.iot.zst | diff before - | sed -n "s/.* parts[.]000$((n + 1))[.]iot[.]zst/one part more/p"

echo 'the newest parts:'
"$IOTRACE" record --rotate=100ms --keep-parts=2 -o new.iot sh writes.sh
ls new.*.iot | wc -l
[ ! -e new.0001.iot ] || ls

echo 'by size:'
"$IOTRACE" record --rotate=1K -o size.iot sh -c 'for i in 1 2 3 4 5 6; do echo >x; sleep 0.25; done'
[ -e size.0003.iot ] || ls

echo 'record is killed:'
sh -c 'echo $$ >pid; exec "$0" record -q --rotate=1s -o killed.iot sh -c "$1"' "$IOTRACE" \
	'until [ -e stop ]; do echo x >>data; sleep 0.05; done' 2>log &
for i in $(seq 3000); do "$IOTRACE" stat -q killed.0002.iot 2>log | grep -q data && break; sleep 0.01; done
kill -KILL "$(cat pid)"
: >stop
wait $! 2>log
last=$(ls killed.*.iot | tail -n 1)
for part in killed.*.iot; do
	[ "$part" = "$last" ] || "$IOTRACE" check -q "$part" >log || echo "$part: exit status $?"
done
"$IOTRACE" check -q --repair -o end.iot "$last" >log 2>&1 || echo "repair: exit status $?"
"$IOTRACE" merge -q --keep-ids -o killed.iot $(ls killed.*.iot | grep -v "$last") end.iot
rows killed.iot | grep -c data | awk '$1 > 5 { print "records before and after the last part began" }'

echo 'the directory of the parts is removed:'
mkdir gone
"$IOTRACE" record --rotate=100ms -o gone/x.iot sh -c 'echo >x; rm -r gone; for i in 1 2 3 4; do echo >x; sleep 0.1; done' 2>&1
echo "exit status $?"

for wrong in --rotate=5 --rotate=x --rotate=0s '--rotate=1G -o -' '--rotate=1G -o |cat' --keep-parts=3; do
	"$IOTRACE" record $wrong true 2>&1 | head -n 1
done
