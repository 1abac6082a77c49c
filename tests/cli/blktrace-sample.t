# SPDX-License-Identifier: BSD-2-Clause
# A trace recorded elsewhere: its 6,743 records, as blkparse shows them.
sample=$TESTDATA/../../shared/data/blktrace/sample.blktrace.0.zst
[ -e "$sample" ] || { echo "the sample is not there"; exit 77; }
command -v blkparse >/dev/null || { echo "blkparse is not installed"; exit 77; }
zstd -dqc "$sample" >sample.blktrace.0
python3 "$TOOLS/blktrace_compare.py" "$IOTRACE" sample.blktrace.0
"$IOTRACE" convert -v -o x.iot "$sample" 2>&1
"$IOTRACE" convert -q --start=queue "$sample" | grep -vc '^ff'
