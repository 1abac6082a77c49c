# SPDX-License-Identifier: BSD-2-Clause
# fsstats of a made tree: sizes, holes, links, special files, ages; each form; nothing outside the tree is read.
mkdir -p tree/sub/.snapshot tree/empty outside
head -c 1000 /dev/zero >tree/a
head -c 5000 /dev/zero >tree/sub/bb
truncate -s 1M tree/sub/sparse
ln tree/a tree/sub/a
ln -s ../../outside tree/sub/link
mkfifo tree/fifo
head -c 100 /dev/zero >tree/sub/.snapshot/hidden
head -c 100 /dev/zero >outside/other
touch -d @86400 tree/a
touch -d @8640000 tree/sub/bb tree/sub/sparse # day 100
python3 "$TOOLS/fsstats_truth.py" "$IOTRACE" 8640000 tree | sed 's/[0-9]* bins/N bins/'
"$IOTRACE" fsstats --now=8640000 --threads=3 --csv=t.csv --json tree >json
sed -n '1s/fsstats [0-9.]*/fsstats N/;1,5p;/^histogram,mtime (files)/,/^$/p' t.csv
python3 -c '
import json
d = json.load(open("json"))
print(d["regular_files"], d["directories"], d["symlinks"], d["special_files"], d["duplicate_links"], d["snapshot_directories"], d["sparse_files"])
print([(a["age_days"], a["not_modified_files"]) for a in d["age_limits"] if a["age_days"] == 64])'
grep -c '^Filesystem \(total\|used\),[0-9.]* [KMGT]B$' t.csv
"$IOTRACE" fsstats --csv=- --now=8640000 tree | grep -v '^Filesystem used' >again.csv
grep -v '^Filesystem used' t.csv | cmp - again.csv
"$IOTRACE" fsstats --snapshots --json tree | grep snapshot_directories
grep -c "bb\|hidden\|outside" t.csv json
touch -d @0 -a tree/sub tree/empty tree
"$IOTRACE" fsstats tree >/dev/null && stat -c %X tree/sub tree/empty tree
"$IOTRACE" fsstats tree tree/sub
"$IOTRACE" fsstats tree/a
"$IOTRACE" fsstats -jt tree 2>&1 | head -n 1
echo '-- totals of exactly a unit'
mkdir mib
truncate -s 1M mib/file
"$IOTRACE" fsstats -q --csv=- mib | grep '^total user data'
