# SPDX-License-Identifier: BSD-2-Clause
# Periods of a trace's time, in full, by process, host and file, and of a pipe that is still open.
cat >t <<'TRACE'
ff %trace source=test ranks=2 tick=1000
ff %process id=1 rank=0 host=n1 name=a
ff %process id=2 rank=1 host=n2 name=b
ff %file process=1 id=1 object=7 path=/x
ff %file process=2 id=1 object=8 path=/y
80 20 0 1000 0 2710 1 1 0
c0 20 1000 2000 2710 0 1 2 0
80 20 1000 100000 f4240 9c40 1 1 0
80 20 2000 40 f4240 9c40 1 2 0
82 20 2000 40 10 9c40 1 2 0
80 20 3000 100000 4c4b40 9c40 1 1 0
TRACE
for by in '' --by=process --by=host --by=file '--by=file --top=1' --tsv '--tsv --by=file'; do
	echo "every 1s $by"
	"$IOTRACE" analyze --every=1s $by t
	echo "exit $?"
done
for option in --json --section=totals --by=op --threads=2 --html=h --state=s; do
	"$IOTRACE" analyze --every=1s $option t
	echo "exit $?"
done
"$IOTRACE" analyze --every=1s t t
echo "exit $?"

# The first period is printed as soon as a request of the next one has arrived.
"$IOTRACE" cat --framed t >framed
mkfifo pipe
"$IOTRACE" analyze -q --every=1s - <pipe >live &
exec 3>pipe
head -9 framed >&3
sh "$TOOLS/until.sh" '[ "$(wc -l <live)" -eq 2 ]'
cat live
tail -n +10 framed >&3
exec 3>&-
wait
tail -n +3 live
