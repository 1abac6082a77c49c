# SPDX-License-Identifier: BSD-2-Clause
# fsstats with names: the largest files and directories, and unused directories; in parts and resumed, too.
mkdir -p tree/a/b tree/c tree/many
i=0
while [ $i -lt 150 ]; do
	i=$((i + 1))
	head -c $((i * 1000)) /dev/zero >tree/many/f$i
done
truncate -s 3G tree/c/sparse
ln tree/c/sparse tree/a/b/a-first-name
touch -a -d @1000000 tree/many/* tree/c/sparse
echo x >tree/a/new
touch -a -d @8640000 tree/a/new
sync tree/many/* tree/a/new # blocks are allocated later
"$IOTRACE" fsstats --names --by=dir --depth=2 --top=3 --now=9504000 -s one.state tree | sed -n '/unused/,$p'
"$IOTRACE" fsstats --json --names --by=dir --top=200 one.state >json
python3 -c '
import json
d = json.load(open("json"))
print([len(d[k]) for k in ("largest_files", "largest_directories", "unused_keys")])
assert [f["data_bytes"] for f in d["largest_files"]][1:] == [1000 * i for i in range(150, 51, -1)]'
echo "-- the same bytes"
"$IOTRACE" fsstats --names --by=dir --depth=2 --now=9504000 --threads=5 --sort=inode -s five.state tree >/dev/null
cmp one.state five.state
"$IOTRACE" fsstats --names --by=dir --depth=2 --now=9504000 --sort=none -s five.state tree >/dev/null
cmp one.state five.state
for part in 1 2 3; do
	"$IOTRACE" fsstats --names --now=0 --part=$part/3 -s $part.state tree >/dev/null
done
"$IOTRACE" fsstats -s sum.state 3.state 1.state 2.state >/dev/null
"$IOTRACE" fsstats --names --now=0 -s one.state tree >/dev/null
"$IOTRACE" fsstats --top=100 --json sum.state | sed -n '/"largest_files"/,/^  ]/p' >sum.files
"$IOTRACE" fsstats --top=100 --json one.state | sed -n '/"largest_files"/,/^  ]/p' | cmp - sum.files
find tree -mindepth 1 -printf '%y %s %b %n %T@ %C@ %A@ %U %G %D %i %P\0' |
	"$IOTRACE" fsstats --from=find --names --now=0 --json - | grep -A 3 '"largest_files"'
echo "-- a name with the mark of numbers"
mkdir -p plus/+a plus/b
echo x >plus/+a/+file
echo xx >plus/b/file
cd plus && "$IOTRACE" fsstats --names --by=dir --now=0 -s ../plus.state +a b >/dev/null
cd ..
"$IOTRACE" fsstats -s again.state --tsv plus.state | cut -f 1,2
cmp plus.state again.state
echo "-- without names"
"$IOTRACE" fsstats --json tree | grep -c 'largest_files\|sparse"\|a-first-name'
"$IOTRACE" fsstats --names --share tree
echo "-- projects"
"$IOTRACE" fsstats --by=project --tsv tree | cut -f 2
printf '1 7\n2 7\n3 -\n' | "$IOTRACE" fsstats --from=list --columns=size,- --by=project --tsv - | cut -f 1-3
printf '1 7\n2 7\n3 8\n' | "$IOTRACE" fsstats --from=list --columns=size,project --by=project --tsv - | cut -f 1-3
echo "-- a report"
"$IOTRACE" fsstats --html=report.html --names --by=dir --now=9504000 tree >/dev/null
grep -c '<svg' report.html
grep -o '<h2 id="[a-z]*">' report.html
grep -c '<th scope="row">tree/a/b/a-first-name</th><td>3.00 GiB</td>' report.html
grep -c 'http[^s"]*://[^w]' report.html
echo "-- progress"
"$IOTRACE" fsstats --rate=100 tree >/dev/null 2>err &
sleep 0.5
kill -USR1 $!
wait $!
sed 's/[0-9.]* s, [0-9]*/N s, N/; s/[0-9]* entries in/N entries in/; s/; [0-9]* directories/; N directories/; s/level [0-9]/level N/' err
"$IOTRACE" fsstats --progress=always --rate=300 tree 2>&1 >/dev/null | grep -c 'entries  [0-9]*/s'
"$IOTRACE" fsstats --progress=never --rate=300 tree 2>&1 >/dev/null
