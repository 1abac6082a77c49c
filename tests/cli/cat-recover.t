# SPDX-License-Identifier: BSD-2-Clause
# Repeated intervals are delivered once; blank lines have a limit.
"$IOTRACE" cat --sync=2 "$TESTDATA/format/sync.iot" >whole
grep -n '%sync' whole | cut -d: -f1 >syncs
first=$(sed -n 1p syncs) second=$(sed -n 2p syncs)
sed -n "$first,$((second - 1))p" whole >interval
{ head -n $((second - 1)) whole; cat interval; tail -n +$second whole; } >twice
"$IOTRACE" cat --format=csv --columns=raw whole >whole.csv
"$IOTRACE" cat --recover --format=csv --columns=raw twice | cmp - whole.csv
"$IOTRACE" cat --recover twice >again
echo "twice: $?"
grep '%lost' again
"$IOTRACE" info --recover twice | grep -e 'records ' -e gaps
printf '%65000s\n' >line
for i in 1 2 3 4 5 6 7 8 9 10; do
	cat line line >lines
	mv lines line
done
{ cat line; head -n 40 line; } | gzip -1 >blank.gz
for command in cat check; do
	"$IOTRACE" $command blank.gz
	echo "$command: $?"
done

# Blank lines below the limit are cheap, whether empty or with blanks and CRs.
{ echo 'ff %trace source=test'; yes '' | head -c 30000000; yes ' 	' | head -c 30000000; printf '\r\n80 0 0 1 1 1 0 1 1 0\n'; } |
	gzip -1 >blank.gz
for command in 'cat --format=csv --columns=raw' check 'slice --records=0' 'slice --from=1us'; do
	# shellcheck disable=SC2086
	(ulimit -t 1 && "$IOTRACE" $command blank.gz 2>/dev/null) | grep -v 'not canonical' | tail -n 1
done
