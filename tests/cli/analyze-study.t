# SPDX-License-Identifier: BSD-2-Clause
# Traces of known rates: five applications, and cases with round numbers; check-analysis has the two with more records.
python3 "$TOOLS/study_table.py" "$IOTRACE" ccm gcm les upw venus
for name in input-output checkpoint-one checkpoint-many staging; do
	echo "$name"
	python3 "$TOOLS/study_traces.py" $name | "$IOTRACE" analyze --tsv -q >values
	grep -E '^totals	(N|S|running_time|MB_s|files)	' values | cut -f 2,5
	grep -E '^classes	(share|MB_s)	' values | grep -v '	0	$' | cut -f 2,3,5
done
