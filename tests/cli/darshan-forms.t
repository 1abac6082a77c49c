# SPDX-License-Identifier: BSD-2-Clause
# The same log in both byte orders, with zlib, bzip2 and without compression; from a pipe, in
# a tar; one layer, the other, both; and the output of Darshan's own tools.
cd "$TESTDATA/darshan" || exit 1
csv() { "$IOTRACE" convert --format-version=1 -q "$@" 2>&1 | "$IOTRACE" cat --format=csv --columns=raw --names --ns -; }
csv mpi4_dxt.darshan >"$OLDPWD/wanted"
cd "$OLDPWD" || exit 1
sum() { awk -F, 'NR > 1 { n++; w = $1 == 192; r += !w * $5 * 0 + !w * $6; b += w * $6 } END { print n + 0, r + 0, b + 0 }'; }
for log in mpi4_dxt_bigendian mpi4_dxt_bzip2 mpi4_dxt_nocomp; do
	csv "$TESTDATA/darshan/$log.darshan" | cmp - wanted && echo "$log: same"
done
csv - <"$TESTDATA/darshan/mpi4_dxt.darshan" | cmp - wanted && echo "pipe: same"
mkdir logs
cp "$TESTDATA/darshan/mpi4_dxt.darshan" logs
echo hello >logs/notes
tar cJf logs.tar.xz logs
csv logs.tar.xz | cmp - wanted && echo "tar: same"
for layer in posix mpiio both; do
	echo "$layer: $(csv --layer=$layer "$TESTDATA/darshan/mpi4_dxt.darshan" | sum)"
done
"$IOTRACE" convert --format-version=1 -q --layer=hdf5 "$TESTDATA/darshan/mpi4_dxt.darshan"
echo "exit status $?"
echo "quirks: $(csv "$TESTDATA/darshan/quirks_dxt.darshan" | sum)"
echo "text:   $(csv "$TESTDATA/darshan/quirks_dxt.dxt.txt" | sum)"
cd "$TESTDATA/darshan" || exit 1
counters() { "$IOTRACE" convert --format-version=1 -q "$1" 2>/dev/null | grep '%counter source=POSIX' | tr ' ' '\n' | grep '^POSIX_[A-EG-Z]'; }
counters dd_dxt_rt340.darshan | grep -v '=0$' | sort >"$OLDPWD/a"
counters dd_dxt_rt340.parser.txt | grep -v '=0$' | sort >"$OLDPWD/b"
cmp "$OLDPWD/a" "$OLDPWD/b" && wc -l <"$OLDPWD/a"
"$IOTRACE" convert --format-version=1 --per-thread -q threads_dxt.darshan | grep '%process'
# The first of two jobs may have nothing except its %trace.
sed -n '1,/^# nprocs/p' quirks_dxt.dxt.txt >"$OLDPWD/nothing.txt"
"$IOTRACE" convert --format-version=1 -q "$OLDPWD/nothing.txt" mpi4_dxt.darshan | grep -c '%trace\|^c0'
# The tick is that of the most precise source.
"$IOTRACE" convert --format-version=1 -q "$TESTDATA/darshan/quirks_dxt.dxt.txt" "$TESTDATA/darshan/mpi4_dxt.darshan" | head -n 1
"$IOTRACE" convert --format-version=1 -q "$TESTDATA/darshan/quirks_dxt.dxt.txt" | head -n 1
# Files that are not logs are reported and counted.
cd "$OLDPWD" || exit 1
"$IOTRACE" convert --format-version=1 --report=report.json -o out.iot logs nothing.txt wanted 2>&1
python3 -c 'import json; r = json.load(open("report.json")); print(r["input_files"], r["ignored"], r["damage"])'
