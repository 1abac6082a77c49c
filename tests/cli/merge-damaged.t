# SPDX-License-Identifier: BSD-2-Clause
# A damaged input ends with %lost and exit status 1; the others are complete.
"$IOTRACE" cat "$TESTDATA/format/sync.iot" >whole
head -n 7 whole >cut
sed '3s/^/x/' whole >spoilt
head -n 1 whole >head
: >empty
for bad in cut spoilt head empty; do
	"$IOTRACE" merge -q whole $bad >out
	echo "$bad: $?"
	grep '%lost' out
	"$IOTRACE" cat out | cmp - out
	"$IOTRACE" info out | grep '^  records'
done
"$IOTRACE" merge -q --recover whole spoilt >out
echo "recovered: $?"
grep '%lost' out
echo "out of order, in the middle of the output:"
{
	for i in 1 2 3 4 5 6 7 8; do
		for k in 1 2 3 4 5 6 7 8 9 0 a b c d e f; do
			for l in 1 2 3 4 5 6 7 8 9 0 a b c d e f; do
				echo "80 0 0 200 8 1 0 1 1 0"
			done
		done
	done
	echo "80 0 0 200 -1 1 0 1 1 0"
} >unsorted
"$IOTRACE" merge -q -o out2 unsorted whole
echo "$?"
ls
"$IOTRACE" merge -q --reorder -o out2 unsorted whole
echo "$?"
"$IOTRACE" cat --format=csv --columns=raw out2 | sed 1d | cut -d, -f2 | sort -nc
"$IOTRACE" info out2 | grep '^  records'
