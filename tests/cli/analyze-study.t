# SPDX-License-Identifier: BSD-2-Clause
# Traces of known rates: five applications, and cases with round numbers; check-analysis has the two with more records.
python3 "$TOOLS/study_table.py" "$IOTRACE" ccm gcm les upw venus
for name in input-output checkpoint-one checkpoint-many staging; do
	echo "$name"
	python3 "$TOOLS/study_traces.py" $name | "$IOTRACE" analyze --tsv -q >values
	grep -E '^totals	(requests|bytes|running_time_s|bytes_per_running_s|files)	' values | cut -f 2,5
	grep -E '^classes	(reason_share|reason_bytes_per_running_s)	' values | grep -v '	0	$' | cut -f 2,3,5
done
