# SPDX-License-Identifier: BSD-2-Clause
# Plots of a trace of two processes: their data, one of them in full, and that all are well-formed XML.
cat >t <<'TRACE'
ff %trace source=test ranks=2
ff %process id=1 rank=1
ff %process id=2 rank=0
80 20 0 1000 2710 2710 1 1 0
c0 20 1000 40 2710 0 1 2 0
ff %op name=close time=30000 took=1000 process=1 file=1 result=0
80 20 1000 20000 9c40 9c40 1 1 0
TRACE
"$IOTRACE" analyze -q --plots=plots t
ls plots
echo "bursts $(awk -F '\t' '{ n += $12 } END { print n }' plots/rate.tsv) of $("$IOTRACE" analyze -q -t t | awk -F '\t' '$2 == "bursts" { print $5 }')"
for plot in rate requests concurrency; do
	echo "$plot"
	awk 'NR == 1 || NR == 2 || NR == 61' plots/$plot.tsv
done
for plot in heat offset sizes classes10 cdf processes cost; do
	echo "$plot"
	cut -c 1-80 plots/$plot.tsv | head -5
done
cat plots/cost.svg

if command -v xmllint >/dev/null; then
	xmllint --noout plots/*.svg
else
	: # the plots were not parsed
fi
for plot in plots/*.svg; do
	[ "$(grep -o '<title>' "$plot" | wc -l)" -le 2000 ] || echo "$plot has more than 2000 marks"
done

"$IOTRACE" analyze -q --plots=again t && diff -r plots again && echo 'the same bytes'
"$IOTRACE" analyze -q --state=t.state t && "$IOTRACE" analyze -q --plots=joined t.state && diff -r plots joined &&
	echo 'the same bytes from a state'
# Files with equal bytes are in the order of their paths.
log=$TESTDATA/darshan/mpi4_dxt.darshan
"$IOTRACE" analyze -q --plots=ties "$log" && "$IOTRACE" analyze -q --state=log.state "$log" &&
	"$IOTRACE" analyze -q --plots=state log.state && diff -r ties state && cut -f 1 state/offset.tsv | uniq
"$IOTRACE" analyze -q --plots=t t
echo "exit $?"
PATH=/nonexistent "$IOTRACE" analyze -q --plots=png --png t
echo "exit $?"
ls png
"$IOTRACE" analyze --plots=plots --tsv t
echo "exit $?"
