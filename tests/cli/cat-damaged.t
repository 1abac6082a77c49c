# SPDX-License-Identifier: BSD-2-Clause
# A trace output contains verified records only, text output everything read; the message states the position, exit status 1.
"$IOTRACE" cat "$TESTDATA/format/sync.iot" >whole
head -n 7 whole >cut
for format in iot csv; do
	"$IOTRACE" cat --format=$format cut
	echo "$format: $?"
done
head -n 14 whole >later
"$IOTRACE" cat later
echo "later: $?"
"$IOTRACE" cat -o kept.iot later
echo "file: $?"
"$IOTRACE" cat --no-verify later
echo "not verified: $?"
"$IOTRACE" cat kept.iot | cmp - kept.iot
sed '2s/^/x/' whole >spoilt
"$IOTRACE" cat --format=csv --columns=raw spoilt
echo "damaged: $?"
"$IOTRACE" cat --recover --format=csv --columns=raw spoilt
echo "recovered: $?"
"$IOTRACE" cat --recover spoilt
echo "recovered: $?"
"$IOTRACE" cat --no-verify --format=csv --columns=raw whole | cmp - "$TESTDATA/format/sync.csv"
