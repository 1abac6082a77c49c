# SPDX-License-Identifier: BSD-2-Clause
# Several inputs are counted as the trace that merge makes of them; rows with ids name their input.
cat >a.iot <<'EOF'
ff %trace host=login epoch=1000000000000000000
ff %process id=1 rank=0 host=n1
ff %process id=2 rank=1
ff %file process=1 id=1 object=1 path=/data/shared
ff %file process=2 id=1 object=2 path=/data/a
ff %file process=2 id=2 path=/data/unnumbered
ff %op name=open time=0 process=1 file=1 result=0
80 20 0 1000 0 a 1 1 0
80 20 1000 1000 a 14 1 1 0
c0 20 0 10 a 1e 1 2 0
c0 20 0 20 a 1e 2 2 0
EOF
cat >b.iot <<'EOF'
ff %trace host=n3 epoch=1000000002000000000
ff %process id=1 rank=1
ff %file process=1 id=1 object=7 path=/data/shared
ff %file process=1 id=2 object=8 path=/b
ff %op name=open time=0 process=1 file=1 took=50 result=0
ff %op name=stat time=0 process=1 path=/b took=100 result=ENOENT
c0 20 0 100 a a 1 1 0
c0 20 100 100 a 14 1 1 0
c0 20 0 7 a 1e 2 1 0
EOF
"$IOTRACE" stat a.iot b.iot
for by in object file process input op; do
	echo "by $by"
	"$IOTRACE" stat --by=$by --tsv a.iot b.iot
done
"$IOTRACE" stat --by=process --sort=reads --top=2 a.iot b.iot | head -n 5
"$IOTRACE" stat --by=object --top=4 --json a.iot b.iot
"$IOTRACE" stat --by=input --json a.iot | grep -o '"by".*"opens":[0-9]*'
# The rows of merge, whose ids are other ones.
sed 's/host=[^ ]*//' a.iot >a1.iot
sed 's/host=[^ ]*//' b.iot >b1.iot
"$IOTRACE" merge -q --join-paths a1.iot b1.iot >merged.iot
for by in object rank dir; do
	"$IOTRACE" stat --by=$by --tsv a1.iot b1.iot | cut -f 4-19 | sort >several
	"$IOTRACE" stat --by=$by --tsv merged.iot | cut -f 4-19 | sort | diff - several
done
"$IOTRACE" stat --by=op --tsv merged.iot >merged
"$IOTRACE" stat --by=op --tsv a.iot b.iot | cmp - merged
"$IOTRACE" stat --by=host --tsv a.iot b.iot | cut -f 4-8,14,20
total() {
	"$IOTRACE" stat -q --json "$@" | grep -o '"total":.*'
}
total a1.iot b1.iot >several
total merged.iot | cmp - several && echo the totals are those of the merged trace
# The order of the inputs, and the threads that count, make no difference.
total b1.iot a1.iot | cmp - several
"$IOTRACE" cat --framed --sync=2 -o framed.iot.zst a1.iot
total framed.iot.zst b1.iot | cmp - several
# Traces without an epoch begin at the same time.
sed 's/ epoch=[0-9]*//' b.iot >undated.iot
"$IOTRACE" stat --tsv --by=input a.iot undated.iot 2>&1 | cut -f 18-20
# Other sources; one that has only counters; one that is damaged; one that is missing.
"$IOTRACE" stat --by=input --tsv "$TESTDATA/strace/cp.strace" a.iot 2>&1 | cut -f 4-8,20 | sed "s|$TESTDATA/||g"
"$IOTRACE" stat --by=input --tsv "$TESTDATA/darshan/mpi4_nodxt.darshan" a.iot 2>&1 | cut -f 4-8,20 | sed "s|$TESTDATA/||g"
{ cat b.iot; echo damage; } >damaged.iot
"$IOTRACE" stat --by=input --tsv a.iot damaged.iot | cut -f 4-8,20
"$IOTRACE" stat --by=input damaged.iot a.iot >/dev/null
echo "exit status $?"
"$IOTRACE" stat a.iot missing.iot 2>&1
echo "exit status $?"
"$IOTRACE" stat - a.iot - <b.iot 2>&1
echo "exit status $?"
"$IOTRACE" stat --by=input --tsv - a.iot <b.iot | cut -f 4-8,20
# Disks alone
"$IOTRACE" stat --by=input "$TESTDATA/blktrace/v7.blkparse.txt" "$TESTDATA/blktrace/v7.blkparse.txt" 2>&1 | sed "s|$TESTDATA/||g" | tail -n +10 | head -n 4
