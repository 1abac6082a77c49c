# SPDX-License-Identifier: BSD-2-Clause
# Records with nothing left out, as written by hand beside the traces.
for trace in "$TESTDATA"/format/*.iot; do
	"$IOTRACE" cat -q --format=csv "$trace" | cmp - "${trace%.iot}.csv"
done
