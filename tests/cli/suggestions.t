# SPDX-License-Identifier: BSD-2-Clause
# Misspelled names get a suggestion; every spelling of the version option gives the same output.
cp "$TESTDATA/strace/cp.strace" log.strace
cp "$TESTDATA/format/example.iot" trace.iot
for words in 'cat --csv' 'cat --json' 'cat -f json' 'cat --format=json' 'cat --text' 'cat -j' \
	'info --format=json' 'info -f json' 'info --format json' 'stat --csv' 'stat --format=csv' \
	'stat --by=obj' 'stat --process' 'cat --format=xml' 'cat --format=CSV' 'simulate --policy=LRU' 'stat --By=file' STAT 'info --version' \
	'convert --from=strac' 'convert --from=Darshan' 'convert --from=xyz' versoin --versio -v 'version x' \
	'convert -f strace' 'cat --process=3' 'cat --from 3' 'stat --limit=4' 'top --intervall=1s' 'analyze --secton=all' watch csv dump validate grep ./log.strace ./trace.iot; do
	echo "\$ iotrace $words"
	# shellcheck disable=SC2086
	"$IOTRACE" $words t 2>&1
	echo "exit status $?"
done
"$IOTRACE" version >version
"$IOTRACE" --version | cmp - version
"$IOTRACE" -V | cmp - version
sed -n '1s/[0-9][0-9.]*$/N/p' version
