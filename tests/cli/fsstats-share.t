# SPDX-License-Identifier: BSD-2-Clause
# fsstats for others: with a key, owners and directories have the pseudonyms of anonymize, so surveys can be added and compared.
printf 'a key of enough bytes\n' >key
printf 'another key of bytes\n' >other
chmod 600 key other
python3 "$TOOLS/fsstats_list.py" earlier >earlier.list
python3 "$TOOLS/fsstats_list.py" later >later.list
"$IOTRACE" fsstats --from=find --by=owner --now=1260000000 --share --key=key -s earlier.state earlier.list >/dev/null
"$IOTRACE" fsstats --from=find --by=owner --now=1265184000 -s private.state later.list >/dev/null
"$IOTRACE" fsstats --share --key=key -s later.state --tsv private.state | cut -f 1-3
echo "-- growth, of states with one key and of hidden ones"
"$IOTRACE" fsstats --against=earlier.state later.state >shared
sed -n '/new files/,$p' shared
"$IOTRACE" fsstats --from=find --by=owner --now=1260000000 -s was.state earlier.list >/dev/null
"$IOTRACE" fsstats --share --key=key --against=was.state private.state | cmp - shared
echo "-- another key: no name in common"
"$IOTRACE" fsstats --share --key=other --tsv private.state | cut -f 1 | sed 1d >names
grep -c -f names shared
echo "-- sums"
printf '1 7\n2 8\n' | "$IOTRACE" fsstats --from=list --columns=size,uid --by=owner --now=0 --share --key=key -s a.state - >/dev/null
printf '4 8\n5 9\n' | "$IOTRACE" fsstats --from=list --columns=size,uid --by=owner --now=0 --share --key=key -s b.state - >/dev/null
"$IOTRACE" fsstats --tsv a.state b.state | cut -f 1-3
echo "-- unknown owners stay unknown"
printf '1 7\n3 -\n' | "$IOTRACE" fsstats --from=list --columns=size,- --by=owner --share --key=key --tsv - | cut -f 1-2
echo "-- directories as anonymize has them"
mkdir -p tree/alice/work tree/bob
echo text >tree/alice/work/file
echo more text >tree/bob/file
printf 'ff %%file process=1 id=1 path=tree/alice\nff %%file process=1 id=2 path=tree/bob\n' |
	"$IOTRACE" anonymize -q --key=key --epoch=drop | "$IOTRACE" cat --format-version=1 - | sed -n 's/.*path=//p' | sort >paths
"$IOTRACE" fsstats --by=dir --now=0 --share --key=key --tsv -s tree.state tree | sed 1d | cut -f 1 | sort | cmp - paths
"$IOTRACE" cat tree.state | grep -c 'alice\|bob'
echo "-- a new key"
"$IOTRACE" fsstats --share --key=new --new-key tree >/dev/null
stat -c '%a %s' new
"$IOTRACE" fsstats --share --key=new --new-key tree
echo "-- states whose names differ: of numbers, of another key, and not shared"
printf '4 8\n' | "$IOTRACE" fsstats --from=list --columns=size,uid --by=owner --now=0 --share -s numbers.state - >/dev/null
printf '4 8\n' | "$IOTRACE" fsstats --from=list --columns=size,uid --by=owner --now=0 --share --key=other -s c.state - >/dev/null
printf '4 8\n' | "$IOTRACE" fsstats --from=list --columns=size,uid --by=owner --now=0 -s open.state - >/dev/null
for state in numbers.state c.state open.state; do
	"$IOTRACE" fsstats a.state $state 2>&1
	"$IOTRACE" fsstats --against=$state a.state 2>&1
done
"$IOTRACE" fsstats -s again.state --share --key=key a.state >/dev/null
"$IOTRACE" fsstats a.state again.state 2>&1
"$IOTRACE" fsstats --tsv numbers.state | cut -f 1-3
echo "-- refusals"
"$IOTRACE" fsstats --key=key tree
"$IOTRACE" fsstats --share --new-key tree
"$IOTRACE" fsstats --share --against=earlier.state later.state
"$IOTRACE" fsstats --share --key=missing tree
"$IOTRACE" fsstats --share --key=key --csv=key tree
exit 0
