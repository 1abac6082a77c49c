# SPDX-License-Identifier: BSD-2-Clause
# A trace is found at any depth; one of several is selected by name; the text of recorder2text is one, too.
traces=$TESTDATA/recorder/traces.tar.xz
python3 -m tarfile -e "$traces" .
"$IOTRACE" convert --format-version=1 -o sem.iot sem 2>&1
same() {
	"$IOTRACE" convert --format-version=1 -q -o a.iot "$@" && cmp a.iot sem.iot && echo same
}
mkdir -p deep/er
cp -r sem deep/er/
same deep
tar -cf sem.tar sem
same sem.tar
gzip -c sem.tar >sem.tar.gz
same sem.tar.gz
same - <sem.tar
(cd sem && tar -cf ../top.tar *)
same top.tar
same --from=recorder sem/*
same --trace=sem "$traces"
same --memory=64K sem
mkdir sem/_text
echo 'no trace' >sem/_text/0.txt
same sem
mkdir two
cp -r sem idle_ranks two/
"$IOTRACE" convert --format-version=1 -q -o two.iot two
echo "exit status $?"
"$IOTRACE" convert --format-version=1 -q -o two.iot --trace=three two
echo "exit status $?"
same --trace=sem two
same --trace=two/sem/ two
"$IOTRACE" convert --format-version=1 -q --layer=all sem 2>&1 | head -n 1
# Text, in both grammars.
mkdir text old
cat >text/0.txt <<'X'
0.0318729 0.0318830 open 0 0 ( /d/a.dat 577 384 )
0.0319038 0.0319139 write 0 0 ( /d/a.dat %p 1000 )
0.0319188 0.0319197 MPI_Barrier 0 2 ( MPI_COMM_WORLD )
0.0319218 0.0319228 pwrite 0 0 ( /d/a.dat %p 10 4*r+7 )
X
cat >text/1.txt <<'X'
0.0118729 0.0118830 fopen 1 0 ( /d/b.dat a )
0.0119038 0.0119139 fwrite 0 0 ( %p 5 3 /d/b.dat )
X
"$IOTRACE" convert --format-version=1 -q text
cat >old/0.txt <<'X'
0.000748 0.000752 29 open ( /d/c.dat 66 420 )
0.000759 0.000788 0 pwrite ( 29 %p 65536 131072 )
0.000790 0.000818 0 read ( 29 %p 100 )
this is not a call
0.000819 0.000848 -1 open ( /d/none 0 )
X
"$IOTRACE" convert --format-version=1 old
# More ranks than are decoded at the same time: sorted from the start, never restarted.
python3 "$TOOLS/recorder_make.py" --ranks 140 --calls 40 many
"$IOTRACE" convert --format-version=1 -q --memory=64K --report=report.json -o many.iot many
grep restarted report.json
"$IOTRACE" cat --format=csv --columns=raw many.iot | awk -F, 'NR > 1 {if ($2 < last) print "not in order"; last = $2; n++} END {print n}'
# One file of a trace, a name that no directory has, and other files in the directory of a trace.
mkdir one more
tar xJf "$TESTDATA/recorder/traces.tar.xz" -C more sem
cp more/sem/recorder.cst one
"$IOTRACE" convert --format-version=1 one/recorder.cst 2>&1
"$IOTRACE" convert --format-version=1 --trace=nosuch more 2>&1
echo hello >more/notes
"$IOTRACE" convert --format-version=1 -o out.iot more 2>&1
# Options of other formats, and a layer that was not traced.
"$IOTRACE" convert --format-version=1 --layer=mpiio --per-thread -o out.iot sem 2>&1
# The comparison is reported on request, and never in the trace.
"$IOTRACE" convert --format-version=1 -v --check -o checked.iot sem 2>&1 | grep check
cmp checked.iot sem.iot
