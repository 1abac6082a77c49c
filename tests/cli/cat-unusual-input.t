# SPDX-License-Identifier: BSD-2-Clause
# Nothing, blanks alone, comments alone; something that is no trace; a file that is not there.
"$IOTRACE" cat </dev/null
echo "empty: $?"
echo '   ' | "$IOTRACE" cat
echo "blank: $?"
echo 'ff only this' | "$IOTRACE" cat
echo "comment: $?"
for format in csv jsonl text; do
	"$IOTRACE" cat --format=$format </dev/null
	echo "$format: $?"
done
printf 'this is no trace\n' | "$IOTRACE" cat
echo "words: $?"
"$IOTRACE" cat nowhere
echo "absent: $?"
mkdir folder
"$IOTRACE" cat folder
echo "folder: $?"
