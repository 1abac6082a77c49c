# SPDX-License-Identifier: BSD-2-Clause
# Files of each generation have the records of the strace log that they were made from; all events of a small one.
records() { # INPUT
	"$IOTRACE" convert --format-version=1 -q "$1" | "$IOTRACE" cat --format=csv --columns=raw --names --ns - | cut -d, -f 1-3,5,6,9,11
}
records "$TESTDATA/strace/cp.strace" >cp
for name in 2023 1.0 1.1; do
	records "$TESTDATA/dftracer/cp-$name.pfw" | cmp - cp && echo "$name: as strace"
done
gzip -c "$TESTDATA/dftracer/cp-1.0.pfw" >cp.pfw.gz
records cp.pfw.gz | cmp - cp && echo "compressed: as strace"
# Descriptors that are copied: an offset is that of strace, or unknown. A name is relative to another directory.
records "$TESTDATA/dftracer/offsets" | sort >here
records "$TESTDATA/strace/offsets.strace" | sort | comm -13 - here
# Hashes from a pipe have no names if they are defined later.
"$IOTRACE" convert --format-version=1 - <"$TESTDATA/dftracer/cp-1.1.pfw" -o pipe.iot 2>&1
cp "$TESTDATA/dftracer/stdio.pfw" .
"$IOTRACE" convert --format-version=1 stdio.pfw 2>&1
"$IOTRACE" convert --format-version=1 -q --ops=none --report=report "$TESTDATA/dftracer/stdio.pfw" -o none.iot
grep '"lines": [0-9]' report
# A directory with another file.
mkdir all
cp "$TESTDATA/dftracer/stdio.pfw" all
echo other >all/other
"$IOTRACE" convert --format-version=1 all -o all.iot 2>&1
# Cut in a line, or after one.
for size in 2000 "$(head -n 9 "$TESTDATA/dftracer/stdio.pfw" | wc -c)"; do
	head -c "$size" "$TESTDATA/dftracer/stdio.pfw" >cut.pfw
	"$IOTRACE" convert --format-version=1 -q -o cut.iot cut.pfw
	echo "exit $?, $(grep -ac '^ff %lost' cut.iot) lost"
done
echo "== no name occurs twice in a report"
"$IOTRACE" convert --format-version=1 -q --report=report.json -o t.iot stdio.pfw 2>err.txt
python3 -c '
import json
def check(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)
r = json.load(open("report.json"), object_pairs_hook=check)
print(r["lines"] == sum(r["parsed"].values()) + r["unparsed"])'
