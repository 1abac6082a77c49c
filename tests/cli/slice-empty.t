# SPDX-License-Identifier: BSD-2-Clause
# An empty slice reports what the trace has: its span, and if names were given, some that exist.
"$IOTRACE" convert -q -o db.iot "$TESTDATA/strace/sqlite.strace.gz"
"$IOTRACE" convert -q -o mpi.iot "$TESTDATA/darshan/mpi4_dxt.darshan"
empty() {
	echo "\$ slice $*"
	"$IOTRACE" slice -o out.iot "$@" 2>&1
	echo "exit status $?"
}
for option in --from=90s --to=1us --records=1000- --process=alice '--file=*.xyz' --rank=3; do
	empty $option db.iot
done
empty --rank=7 mpi.iot
# The same from a file on standard input, and from a pipe.
empty --process=alice db.iot >named
for input in file pipe; do
	if [ $input = file ]; then
		empty --process=alice - <db.iot
	else
		# shellcheck disable=SC2002
		cat db.iot | empty --process=alice -
	fi | sed 's/standard input/db.iot/; s/ -$/ db.iot/' | cmp - named && echo "$input: the same"
done
empty -q --from=90s db.iot
printf 'ff %%trace source=test\n' >none
empty none
# Without names, without starts.
printf 'c0 20 0 8 5 1 1 7 0\n' >bare
empty --process=8 --in-base=16 bare
{ echo 'ff %trace lacks=start' && cat bare; } >timeless
empty --process=8 timeless
empty --from=1s timeless
empty --to=50% timeless
# Many processes.
awk 'BEGIN {
	for (i = 1; i <= 40; i++)
		printf "ff %%process id=%d name=rank%%20%d rank=%d\nff %%file process=%d id=1 path=/same\nc0 20 0 1 1 1 1 %x 0\n", i, i, i + 2, i, i
}' >many
empty --process=0 many
# Wall clock times are answered with wall clock times.
empty --from=2099-01-01T00:00:00Z db.iot
