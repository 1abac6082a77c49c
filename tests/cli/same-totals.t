# SPDX-License-Identifier: BSD-2-Clause
# One question has one answer: opens, requests and bytes of stat, analyze, top and info, and the sums of all tables.
# Files and directories that are only opened have rows, too; a successful create is an open.
"$IOTRACE" convert -q -o t.iot "$TESTDATA/strace/sqlite.strace.gz"
for by in object file process rank host dir; do
	"$IOTRACE" stat -q --tsv --by=$by t.iot | awk -F '\t' -v by=$by '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ o += $at["opens"]; r += $at["reads"]; w += $at["writes"]; b += $at["read_bytes"] + $at["written_bytes"] }
	END { print "stat by " by ":", o, r, w, b }'
done
for by in file process rank host dir; do
	"$IOTRACE" analyze -q --tsv --by=$by t.iot | awk -F '\t' -v by=$by '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ o += $at["opens"]; r += $at["reads"]; w += $at["writes"]; b += $at["read_bytes"] + $at["written_bytes"] }
	END { print "analyze by " by ":", o, r, w, b }'
done
python3 "$TOOLS/same_totals.py" "$IOTRACE" t.iot "$TESTDATA/strace/cp.strace" | sed 's/[0-9]* figures/N figures/'

echo "without operations, opens are unknown"
cp "$TESTDATA/format/bare.iot" .
"$IOTRACE" stat -q --json bare.iot | grep -o '"total":{"opens":[^,]*'
"$IOTRACE" analyze -q --json --section=totals bare.iot | grep '"opens"'
"$IOTRACE" analyze -q --by=file bare.iot
"$IOTRACE" stat -q bare.iot | head -n 2

echo "operations beyond 64 names are one row, in each form"
{ echo 'ff %process id=1'
  i=0; while [ $((i += 1)) -le 70 ]; do echo "ff %op name=call$i time=$i took=1 process=1 result=0"; done; } >ops.iot
"$IOTRACE" stat -q --by=op ops.iot | grep others
"$IOTRACE" stat -q --tsv --by=op ops.iot | grep others
"$IOTRACE" stat -q --json --by=op ops.iot | grep -o '{"name":"others"[^}]*}'
