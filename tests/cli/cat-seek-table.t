# SPDX-License-Identifier: BSD-2-Clause
# The seek table of .zst: read by other programs, used with few reads, and not believed if it is wrong.
command -v zstd >/dev/null || { echo "no zstd"; exit 77; }
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
"$IOTRACE" convert -q --sync=20 -o app.iot.zst "$TESTDATA/strace/sqlite.strace.gz"
"$IOTRACE" cat --sync=20 --no-index -o plain.iot.zst app.iot.zst
zstd -tq app.iot.zst && python3 "$TOOLS/seekable.py" app.iot.zst 100
echo "$(($(wc -c <app.iot.zst) - $(wc -c <plain.iot.zst))) bytes more"
echo "check: $("$IOTRACE" check app.iot.zst)"
"$IOTRACE" slice -q --records=300-310 app.iot.zst >a
"$IOTRACE" slice -q --records=300-310 plain.iot.zst >b
cmp a b && echo "equal slices"
echo "== moved boundaries"
python3 - <<'END'
data = bytearray(open("app.iot.zst", "rb").read())
count = int.from_bytes(data[-9:-5], "little")
first = len(data) - 9 - 8 * count
for i in range(0, count - 1, 2):
    at = first + 8 * i
    a, b = (int.from_bytes(data[x:x + 4], "little") for x in (at, at + 8))
    data[at:at + 4], data[at + 8:at + 12] = (a - 3).to_bytes(4, "little"), (b + 3).to_bytes(4, "little")
open("moved.iot.zst", "wb").write(data)
END
"$IOTRACE" check moved.iot.zst
"$IOTRACE" slice -q --records=300-310 moved.iot.zst | cmp - a && echo "equal slices"
for k in 1 2 3; do "$IOTRACE" analyze -q --part=$k/3 -s $k.state moved.iot.zst; done
"$IOTRACE" analyze -q --tsv 3.state 1.state 2.state | grep -E '^(totals|sizes|order)' >joined
"$IOTRACE" analyze -q --tsv plain.iot.zst | grep -E '^(totals|sizes|order)' >whole
cmp joined whole && [ "$(wc -l <whole)" -gt 100 ] && echo "equal values of parts"
