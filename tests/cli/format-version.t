# SPDX-License-Identifier: BSD-2-Clause
# Version 2 of the format encodes directives. Every command gives the same results for both versions of a trace.
for log in cp.strace sqlite.strace.gz; do
	for version in 1 2; do
		"$IOTRACE" convert -q --sync=20 --format-version=$version -o ${log%%.*}.$version "$TESTDATA/strace/$log"
		head -n 1 ${log%%.*}.$version
	done
done
for log in cp sqlite; do
	"$IOTRACE" check --strict $log.2
	"$IOTRACE" cat $log.2 | cmp - $log.2 && "$IOTRACE" cat --format-version=1 $log.2 | cmp - $log.1 &&
		"$IOTRACE" cat --format-version=2 $log.1 | cmp - $log.2 && echo "cat"
done
cat cp.2

printf 'a key of the test, long enough' >key
# both COMMAND...: reads a trace from standard input and writes one.
both() {
	for version in 1 2; do
		"$IOTRACE" "$@" <sqlite.$version | "$IOTRACE" cat --format-version=1 - >out.$version
	done
	cmp out.1 out.2 && echo "$*: $(grep -vc '^ff' out.1) records, $(grep -c '^ff %op' out.1) operations"
}
both slice --records=100-200 -
both slice --from=2ms -
both anonymize --key key -
both reorder --window=1s -
both merge - cp.1
both merge --keep-ids - cp.2
both check -q --repair -
for how in csv jsonl text chrome; do
	"$IOTRACE" cat -f $how sqlite.1 >out.$how
	"$IOTRACE" cat -f $how sqlite.2 | cmp - out.$how && echo $how
done
for command in "stat" "stat --by=op" "analyze --json"; do
	"$IOTRACE" $command - <sqlite.1 >out.1
	"$IOTRACE" $command - <sqlite.2 | cmp - out.1 && echo "$command"
done
"$IOTRACE" analyze --json --threads=1 sqlite.1 >out.1
"$IOTRACE" analyze --json --threads=4 sqlite.2 | cmp - out.1 && echo "threads"

# A reader that ignores directives gets the same records.
grep -v '^ff' sqlite.1 >out.1
grep -v '^ff' sqlite.2 | cmp - out.1 && echo "records"

# Damage in one interval: the others are read.
sed '0,/^ff %[0-9]/s/^ff %[0-9][0-9]*/ff %9999/' sqlite.2 >damaged
"$IOTRACE" cat --recover damaged 2>&1 >out | sed 's/; .*//'
grep -c '%lost' out
"$IOTRACE" check damaged
"$IOTRACE" check -q --repair -o repaired damaged
"$IOTRACE" check repaired
