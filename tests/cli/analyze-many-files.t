# SPDX-License-Identifier: BSD-2-Clause
# More files than the statistics of files keep: their sums are exact nevertheless, as in stat, and no file is missing.
awk 'BEGIN {
	for (p = 1; p <= 4; p++) printf "ff %%process id=%x rank=%d host=h%d\n", p, p - 1, p % 2
	for (i = 1; i <= 70000; i++) {
		p = i % 4 + 1
		printf "ff %%file process=%d id=%d object=%d path=/d%d/f%d\n", p, i, i, i % 7, i
		if (i % 2) printf "ff %%op name=open time=%d took=2 process=%d file=%d result=0\n", 10 * i, p, i
		printf "%s 20 0 %x 3 %d %x %x 0\n", i % 3 ? "80" : "c0", i == 54321 ? 1048576 : i % 999, i == 1 ? 0 : 10, i, p
	}
}' >many.iot
"$IOTRACE" analyze -q --json --section=totals,files many.iot >json
grep -E '"(files|requests|bytes|opens|io_ns|extent_max)":' json
grep -A 2 '"top_bytes"' json
for by in file dir process rank host; do
	"$IOTRACE" analyze -q --tsv --by=$by many.iot | awk -F '\t' -v by=$by '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ n++; o += $at["opens"]; r += $at["reads"] + $at["writes"]; b += $at["read_bytes"] + $at["written_bytes"]; d += $at["io_ns"] }
	END { print by ":", n, "rows", o, r, b, d }'
done
"$IOTRACE" analyze -q --by=file --top=2 many.iot
python3 "$TOOLS/same_totals.py" "$IOTRACE" many.iot | sed 's/[0-9]* figures/N figures/'
echo "of parts, the same"
"$IOTRACE" cat -q --framed -o framed.iot.zst many.iot
"$IOTRACE" analyze -q -s whole.state framed.iot.zst
for k in 1 2 3; do "$IOTRACE" analyze -q --part=$k/3 -s $k.state framed.iot.zst; done
"$IOTRACE" analyze -q -s joined.state 1.state 2.state 3.state
"$IOTRACE" cat -q --bare whole.state >whole && "$IOTRACE" cat -q --bare joined.state >joined && cmp whole joined && echo equal
