# SPDX-License-Identifier: BSD-2-Clause
# Records with all fields, compared with CSV files written by hand.
for trace in "$TESTDATA"/format/*.iot; do
	"$IOTRACE" cat -q --format=csv --columns=raw "$trace" | cmp - "${trace%.iot}.csv"
done
