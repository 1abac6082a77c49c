# SPDX-License-Identifier: BSD-2-Clause
# fsstats: states are written, added and compared; parts add up to the whole; csv is read; nothing has names.
python3 "$TOOLS/fsstats_list.py" earlier >earlier.list
python3 "$TOOLS/fsstats_list.py" later >later.list
columns=type,size,blocks,links,mtime,ctime,atime,uid,gid,device,inode,path
"$IOTRACE" fsstats --from=find --by=owner --now=1260000000 -s earlier.state earlier.list >/dev/null
"$IOTRACE" fsstats --from=list --columns=$columns --by=owner --now=1265184000 -s later.state later.list
echo "-- growth"
"$IOTRACE" fsstats --against=earlier.state --reach=1000000 later.state
"$IOTRACE" fsstats --against=earlier.state --reach=100000 --json later.state | grep -E 'days_between|reached_s'
echo "-- without ids"
"$IOTRACE" fsstats --share --tsv later.state | cut -f 1-3
echo "-- cells of few files"
"$IOTRACE" fsstats --json later.state >few.json
"$IOTRACE" fsstats --json --min-count=500 later.state >many.json
python3 -c '
import json
for file, least in ("few.json", 5), ("many.json", 500):
    d = json.load(open(file))
    for time in "modified", "accessed":
        cells = [c for c in d["joint"] if c["age_of"] == time]
        assert min(c["regular_files"] for c in cells) >= least
        assert sum(c["regular_files"] for c in cells) == d["regular_files"]
        assert all(a["class_to"] < b["class_from"] or a["days_to"] < b["days_from"] for a, b in zip(cells, cells[1:]))
        print(time, len(cells))'
echo "-- plots"
"$IOTRACE" fsstats --plots=plots --without=1001 later.state >/dev/null
ls plots
cat plots/atime.tsv
grep -c 'files without' plots/sizes.tsv
head -n 3 plots/owners.tsv
grep -c '<rect' plots/owners.svg
"$IOTRACE" fsstats --plots=few --top=2 later.state >/dev/null
wc -l <few/owners.tsv
echo "-- refusals"
"$IOTRACE" fsstats earlier.state later.state
"$IOTRACE" fsstats --allow-ages --tsv earlier.state later.state
mkdir -p tree/a/b tree/c
head -c 3000 /dev/zero >tree/a/b/file
"$IOTRACE" fsstats -s tree.state --now=0 tree >/dev/null
"$IOTRACE" fsstats -s a.state --now=0 tree/a >/dev/null
"$IOTRACE" fsstats tree.state a.state
"$IOTRACE" fsstats tree a.state
"$IOTRACE" fsstats later.list
"$IOTRACE" fsstats --from=list --columns=size,colour later.list
printf '1 2\nx\n3 4\n' | "$IOTRACE" fsstats --from=list --columns=size,blocks --tsv - | grep '^file size'
head -c 900 tree.state >cut
"$IOTRACE" fsstats cut
"$IOTRACE" fsstats --csv=tree.csv --now=0 tree >/dev/null
"$IOTRACE" fsstats --csv=- tree.csv | cmp - tree.csv
"$IOTRACE" fsstats --json tree.csv | grep -E 'data_bytes|regular_files|file_median|vanished'
echo "-- links in several parts"
mkdir -p linked/1/a linked/2/b linked/3/c outside
head -c 5000 /dev/zero >linked/1/a/whole
ln linked/1/a/whole linked/2/b/w
ln linked/1/a/whole linked/3/c/whole-again
echo text >linked/1/a/half
ln linked/1/a/half outside/half
for by in owner dir; do
	"$IOTRACE" fsstats --now=0 --by=$by -s linked.state --tsv linked >linked.tsv
	for part in 1 2 3 4; do
		"$IOTRACE" fsstats --now=0 --by=$by --part=$part/4 -s $part.part linked >/dev/null
	done
	"$IOTRACE" fsstats -s sum.state --tsv 3.part 1.part 4.part 2.part >sum.tsv
	cmp sum.state linked.state && cmp sum.tsv linked.tsv && echo "--by=$by: the same bytes"
done
"$IOTRACE" fsstats --now=0 --by=owner --share -s shared.state --json linked | grep -E 'regular_files|duplicate_links'
"$IOTRACE" cat linked.state | grep -c 'kind=link '
"$IOTRACE" cat shared.state | grep -c 'kind=link '
grep -l 'a/b\|project-\|owner-' tree.state later.state tree.csv
exit 0
