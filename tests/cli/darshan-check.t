# SPDX-License-Identifier: BSD-2-Clause
# --check reports nothing if nothing is missing, and reports differences: here of a log that has
# counters of a file for which DXT ran out of memory.
for log in mpi4_dxt quirks_dxt dd_dxt_rt340; do
	"$IOTRACE" convert --format-version=1 --check --layer=both -o out.iot --report=report.json "$TESTDATA/darshan/$log.darshan"
	python3 -c 'import json; r = json.load(open("report.json")); print(r["check"], r.get("differences"))'
done
# Rows of a log with counters of different sizes.
sed -n '1,/^# nprocs/p' "$TESTDATA/darshan/quirks_dxt.dxt.txt" >counters.txt
printf 'POSIX\t0\t17482547655527172628\tPOSIX_%s\t/scratch/d/twofd.dat\t/scratch\text4\n' \
	"READS	9" "WRITES	2" "BYTES_READ	200" "BYTES_WRITTEN	550" >>counters.txt
"$IOTRACE" convert --format-version=1 --check -o out.iot counters.txt "$TESTDATA/darshan/quirks_dxt.dxt.txt" 2>&1 | head -n 3 | sed "s|$TESTDATA|testdata|"
"$IOTRACE" convert --format-version=1 --check -o out.iot "$TESTDATA/darshan/mpi4_nodxt.darshan" 2>&1 | sed "s|$TESTDATA|testdata|"
"$IOTRACE" convert --format-version=1 --check -o out.iot --report=report.json "$TESTDATA/darshan/mpi4_nodxt.darshan" 2>/dev/null
python3 -c 'import json; r = json.load(open("report.json")); print(r["records"], r["counters"], r["first_notes"][0][-44:])'
# Each of several logs is compared with its own counters, even if they share files; the trace does
# not depend on the comparison.
cd "$TESTDATA/darshan" || exit 1
"$IOTRACE" convert --format-version=1 --check -v -o "$OLDPWD/out.iot" mpi4_nodxt.darshan mpi4_dxt.darshan mpi4_dxt_bzip2.darshan 2>&1
"$IOTRACE" convert --format-version=1 -q mpi4_dxt.darshan >"$OLDPWD/without"
"$IOTRACE" convert --format-version=1 -q --check mpi4_dxt.darshan | cmp - "$OLDPWD/without"
# Each job has its own %trace.
"$IOTRACE" info "$OLDPWD/out.iot" | grep traces
"$IOTRACE" cat "$OLDPWD/out.iot" | grep '%trace' | grep -o ' job=[0-9]*'
"$IOTRACE" cat "$OLDPWD/out.iot" | grep '%process id=9' | grep -o ' job=[0-9]*'
# Text of darshan-dxt-parser alone contains nothing to compare with.
"$IOTRACE" convert --format-version=1 --check -o "$OLDPWD/out.iot" quirks_dxt.dxt.txt 2>&1
