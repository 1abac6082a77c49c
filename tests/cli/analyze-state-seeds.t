# SPDX-License-Identifier: BSD-2-Clause
# The states that fuzzing of states begins with are valid, so that it gets beyond their first lines.
for state in "$TESTDATA"/../fuzz/corpus/load/*; do
	csplit -s -z -f part. --suppress-matched "$state" '/^--$/' '{*}'
	echo "${state##*/}: states: $(ls part.* | wc -l), values: $("$IOTRACE" analyze -q --tsv part.* | grep -c .)"
	rm part.*
done
