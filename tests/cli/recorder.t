# SPDX-License-Identifier: BSD-2-Clause
# Traces of every version compared with their records, and one complete trace.
traces=$TESTDATA/recorder/traces.tar.xz
records() { # TRACE [OPTION]...
	name=$1
	shift
	"$IOTRACE" convert --format-version=1 -q --trace="$name" "$@" "$traces" | "$IOTRACE" cat --format=csv --columns=raw --names --ns -
}
for name in sem mixed8_both neg_both userfunc idle_ranks old_2.2.1; do
	records $name | cmp - "$TESTDATA/recorder/$name.csv" && echo "$name: same"
done
records mpiio --layer=both | cmp - "$TESTDATA/recorder/mpiio.csv" && echo "mpiio, both layers: same"
# The same trace, compressed differently.
records n1_both >n1_both.csv
records derived_dat_n1_both | cmp - n1_both.csv && echo "a container: same"
records noicomp >noicomp.csv
records derived_multi_noicomp | cmp - noicomp.csv && echo "without VERSION: same"
# One program, traced by each version: offsets and lengths of POSIX calls by rank.
transfers() {
	awk -F, 'NR > 1 && /shared.dat|out\./ {print $9, $1, $5, $6, $11}' | sort -s -n -k 1,1
}
records old_2.2.1 | transfers >2.2
for name in old_2.1.6 old_2.2.1_text old_2.3.3 old_2.5.0; do
	records $name | transfers | cmp - 2.2 && echo "$name: as 2.2.1"
done
records old_2.4.0_ic | transfers | wc -l
records threads_neg | awk -F, 'NR > 1 {n[$11]++; if ($2 < last) print "not in order"; last = $2} END {for (f in n) print n[f], f}' | sort
"$IOTRACE" convert --format-version=1 -q --trace=idle_ranks "$traces"
"$IOTRACE" convert --format-version=1 --trace=sem --ops=names --base=10 "$traces" | grep '%op' | cut -d' ' -f3,6-
# The files whose offsets are not certain.
"$IOTRACE" convert --format-version=1 --trace=sem "$traces" 2>&1 | grep -a 'ambiguous\|not certain'
