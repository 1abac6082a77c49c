# SPDX-License-Identifier: BSD-2-Clause
# Damage and losses: what can be verified is kept, with %lost; exit status 1.
small=$TESTDATA/blktrace/v7.blktrace
try() {
	"$IOTRACE" convert -o x.iot "$@" 2>&1
	echo "exit status $?"
	"$IOTRACE" cat --base=10 x.iot | grep '%lost'
	"$IOTRACE" cat --bare x.iot | grep -vc '^ff'
	rm -f x.iot
}
# Missing records of one CPU
{ head -c 515 $small.1; tail -c +612 $small.1; } >gap.1
try $small.0 gap.1
# Bytes that are no record, in the middle
{ head -c 2091 $small.0; printf 'thirty bytes that are no record'; tail -c +2092 $small.0; } >bent.0
try bent.0 $small.1
# The end of a file is missing
head -c 990 $small.1 >cut.1
try $small.0 cut.1
# A compressed file is damaged
gzip -c "$small.0" | head -c 300 >cut.gz
try cut.gz $small.1
# A version that is not known
printf '\006tae%060d' 0 >old
try old
# Text: a line that is cut, lines that are no actions, skipped records
head -c 3000 "$TESTDATA/blktrace/v7.blkparse.txt" >cut.txt
try cut.txt
sed -e '5s/.*/this is no action/' -e 's/^Skips: .*/Skips: 2 forward (7 -   9.0%)/' "$TESTDATA/blktrace/v7.blkparse.txt" >odd.txt
try odd.txt
