# SPDX-License-Identifier: BSD-2-Clause
# What was good is written, the message says where it ended, the exit status is 1.
"$IOTRACE" cat "$TESTDATA/format/sync.iot" >whole
head -n 7 whole >cut
for format in iot csv; do
	"$IOTRACE" cat --format=$format cut
	echo "$format: $?"
done
"$IOTRACE" cat -o kept.iot cut
echo "file: $?"
"$IOTRACE" cat kept.iot | cmp - kept.iot
sed '2s/^/x/' whole >spoilt
"$IOTRACE" cat --format=csv spoilt
echo "damaged: $?"
"$IOTRACE" cat --recover --format=csv spoilt
echo "recovered: $?"
"$IOTRACE" cat --recover spoilt
echo "recovered: $?"
"$IOTRACE" cat --no-verify --format=csv whole | cmp - "$TESTDATA/format/sync.csv"
