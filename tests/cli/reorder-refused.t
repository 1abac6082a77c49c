# SPDX-License-Identifier: BSD-2-Clause
# What reorder rejects, and its output for damaged input.
"$IOTRACE" cat "$TESTDATA/format/sync.iot" >whole
show() {
	"$IOTRACE" reorder "$@" >out 2>err
	echo "$?: $*"
	sed 's/^/	/' err
}
cp whole same
show -o same same
cmp whole same
ln -s same link
show -o link same
show whole whole
show --window=soon whole
show --memory=1 whole
show --bare --framed whole
show nowhere
show --report=same same
show -o trace --report=trace whole
cp "$TESTDATA/strace/sqlite.strace.gz" log
show log
head -n 7 whole >cut
sed '3s/^/x/' whole >spoilt
for bad in cut spoilt; do
	show -q $bad
	grep '%lost' out
	"$IOTRACE" info out | grep '^  records'
done
show -q --recover spoilt
grep '%lost' out
: >empty
show empty
awk 'BEGIN { for (i = 0; i < 40000; i++) printf "80 0 %x 200 %x 1 0 3 1 0\n", i, (i * 7919) % 40000 }' |
	"$IOTRACE" cat --framed --in-base=16 -o many -
TMPDIR=/nonexistent show --memory=64K -o full many
ls full 2>/dev/null
mkdir tmp
TMPDIR=$PWD/tmp show --memory=64K -o sorted many
ls tmp
"$IOTRACE" reorder -o memory many && cmp memory sorted && echo same
