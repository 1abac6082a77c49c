# SPDX-License-Identifier: BSD-2-Clause
# Slices of a small trace: their contents, and that they fit together.
cat >t <<'EOF'
ff first of all
ff %iotrace-like text is no header
ff %trace source=test epoch=1700000000000000000
ff %process id=7 name=mpirun
ff %process id=9 name=helper
ff %file process=7 id=3 object=1 path=/scratch/out.bin
ff %file process=9 id=4 object=2 path=/etc/conf
c0 22 0 8 0 1f4 3 7 5
ff of the second record
c0 ec 3e8 1f5 3e8
ff %op name=stat time=1000900 process=9 path=/etc/passwd
80 23 2 8 f4240 64 4 9 9
80 c4 f4240 64 3 7 10
ff %op name=close time=2002000 process=7 file=3
ff the last one
80 c4 f4240 64 4 9 11
ff at the end
EOF
"$IOTRACE" cat --framed --format-version=1 --sync=2 --in-base=16 t >whole
"$IOTRACE" cat --compress=zstd whole >whole.iot.zst
"$IOTRACE" cat --compress=gzip whole >whole.iot.gz
slice() {
	echo "--- $*"
	"$IOTRACE" slice "$@"
}
"$IOTRACE" slice whole | cmp - whole && echo same
slice --from=1.001s --to=3s whole.iot.zst
slice --records=3- whole.iot.gz
"$IOTRACE" slice --from=10% --to=90% whole >share && "$IOTRACE" slice --from=10% --to=90% - <whole | cmp - share && echo "a share of standard input"
slice --from=1s --to=2001ms --rebase whole
slice --from=2023-11-14T22:13:21Z --to=@1700000002.5 -o part.iot whole.iot.zst
grep -c '^[8c]0' part.iot
printf 'ff %%op name=stat time=9 process=1\n80 0 0 1 5 1 0 1 1 0\n80 0 0 1 4 1 0 1 1 0\n' >early
slice --rebase early
printf '80 0 0 1 5 1 0 1 1 0\nff %%op name=stat time=2 process=1\n80 0 0 1 4 1 0 1 1 0\n' >early
slice --rebase early 2>&1
echo "exit $?"
slice --rebase --from=1us --in-base=16 early
slice --from=22:13:21 --to=22:13:22.5Z -o day.iot whole.iot.zst && cmp part.iot day.iot
slice --process=mpi* --op=read whole
slice --file='*conf' --file='/nothing*' whole
cat >names <<'END'
ff %process id=7 name=/usr/bin/make
ff %process id=8 name=/usr/bin/makedepend
ff %file process=7 id=1 object=1 path=/src/Makefile
ff %file process=8 id=2 object=2 path=/src/Makefile/old
c0 22 0 1 0 1 1 7 0
c0 22 0 1 1 1 2 8 0
END
slice --process=make names | grep -v '^ff'
slice --file='Make*' names | grep -v '^ff'
slice --file=/Makefile names 2>&1 | grep -v '^ff'
slice --every=2 whole | grep -v '^ff'
slice --from=50% whole.iot.zst | grep -v '^ff'
"$IOTRACE" slice --to=100% whole | cmp - whole && echo same

# A pipe gives the same, and the CPU times of consecutive parts match.
for args in --records=1-3 --from=1.5s '--process=9 --records=3-'; do
	"$IOTRACE" slice $args whole.iot.zst >a
	cat whole.iot.zst | "$IOTRACE" slice $args >b
	cmp a b && echo same
done
for parts in '0-0 1-1 2-2 3-3 4-' '0-2 3-' '-1 2-3 4-4'; do
	for part in $parts; do
		"$IOTRACE" slice --records=$part whole.iot.zst | "$IOTRACE" cat --format=csv --columns=raw | tail -n +2
	done >parts
	"$IOTRACE" cat --format=csv --columns=raw whole | tail -n +2 | cmp - parts && echo fits
done
# An %op has its file, too: stat of a slice lists each file once.
cat >opened <<'END'
ff %process id=7 name=app
ff %file process=7 id=1 object=1 path=/a
ff %op name=open time=0 process=7 file=1 path=/a result=0
c0 20 0 1000 0 a 1 7 0
80 20 0 1000 a a 1 7 0
ff %file process=7 id=2 object=1 path=/a
ff %op name=open time=30 process=7 file=2 path=/a result=0
c0 20 0 1000 a a 2 7 0
END
"$IOTRACE" slice --op=read opened
"$IOTRACE" slice --op=read opened | "$IOTRACE" stat | head -n 3
# By MPI rank, which is not the process number.
cat >ranks <<'END'
ff %process id=7 name=app rank=0
ff %process id=8 name=app rank=1
ff %process id=9 name=tool
c0 20 0 1000 0 a 1 7 0
c0 20 0 1000 a a 1 8 0
c0 20 0 1000 a a 1 9 0
END
"$IOTRACE" slice --rank=1-3 ranks | "$IOTRACE" stat --by=process | head -n 3
"$IOTRACE" slice --rank=0 --process=tool ranks | "$IOTRACE" stat --by=process --tsv | cut -f 1,15
"$IOTRACE" slice --rank=app ranks 2>&1
