# SPDX-License-Identifier: BSD-2-Clause
# The text of all sections is one screen: findings first, then the time by kind of call, and who took it.
"$IOTRACE" analyze -q "$TESTDATA/strace/sqlite.strace.gz" >screen
cat screen
"$IOTRACE" analyze -q "$TESTDATA/darshan/mpi4_dxt.darshan" | tail -n 5
for input in "$TESTDATA"/strace/sqlite.strace.gz "$TESTDATA"/darshan/*.darshan "$TESTDATA"/format/*.iot "$TESTDATA"/perf/trace.txt; do
	"$IOTRACE" analyze -q "$input" 2>/dev/null >screen || [ $? = 2 ] || continue
	awk -v input="${input##*/}" 'length($0) > 100 { print input ": a line of", length($0) } END { if (NR > 30) print input ":", NR, "lines" }' screen
done
echo "numbers of sections"
"$IOTRACE" analyze -q --section=totals,sizes,order,time,cycles,metadata,files,processes,reuse,classes "$TESTDATA/strace/sqlite.strace.gz"
