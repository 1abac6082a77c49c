# SPDX-License-Identifier: BSD-2-Clause
# Slices of traces with directives of any total size between the records.
for count in 0 1 10 15 16 17 18 25 50; do
	awk -v count=$count 'BEGIN {
		path = sprintf("/%04000d", 7)
		for (i = 0; i < 10; i++) {
			for (j = 0; j < count; j++)
				print "ff %op name=stat time=" (i * 10) " took=1 process=1 path=" path
			print "80 0 0 1 " (i > 0 ? "a" : 0) " 1 0 1 1 0"
		}
	}' >trace
	for part in --from=30% --from=50us --to=50us --records=7-8 --records=0-0 --every=3 \
		"--from=20us --records=4-6" "--from=10us --rebase"; do
		timeout 60 "$IOTRACE" slice -q --in-base=16 $part -o slice trace
		echo "$count $part: $? $("$IOTRACE" cat --format=csv --columns=raw slice | tail -n +2 | wc -l)"
	done
done | awk '{ sub(/^[0-9]+ /, ""); seen[$0]++ } END { for (s in seen) print s, seen[s] }' | sort
