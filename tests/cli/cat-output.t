# SPDX-License-Identifier: BSD-2-Clause
# A file appears complete or not at all, without temporary files.
cp "$TESTDATA/format/example.iot" .
for name in x.iot x.iot.gz x.iot.zst; do
	"$IOTRACE" cat -o $name example.iot || echo "$name: $?"
	"$IOTRACE" cat $name | cmp - example.iot
	od -An -tx1 -N2 $name
done
"$IOTRACE" cat --compress=gzip example.iot | gzip -dc | cmp - example.iot
"$IOTRACE" cat --format=csv --columns=raw -o x.csv.gz example.iot && gzip -dc x.csv.gz | cmp - "$TESTDATA/format/example.csv"
echo before >kept
"$IOTRACE" cat -o kept nowhere 2>/dev/null
cat kept
"$IOTRACE" cat -o nodir/x example.iot
echo "no folder: $?"
"$IOTRACE" cat -o example.iot example.iot
echo "same file: $?"
"$IOTRACE" cat -o ./example.iot - <example.iot
echo "same file, redirected: $?"
"$IOTRACE" cat -o x.gz --level=12 example.iot
echo "level: $?"
for format in iot csv; do
	"$IOTRACE" cat --format=$format -o x.xz example.iot
	echo "suffix: $?"
done
"$IOTRACE" cat --compress=zstd -o x.zstd example.iot
ls
