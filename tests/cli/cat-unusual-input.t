# SPDX-License-Identifier: BSD-2-Clause
# An empty file, blanks only, comments only; a file that is not a trace; a missing file.
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
