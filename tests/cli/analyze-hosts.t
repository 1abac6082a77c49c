# SPDX-License-Identifier: BSD-2-Clause
# Several traces of a job: a node-local path of two hosts is two files; of one host, or elsewhere, it is one file, as in the merged trace.
host() {
	printf 'ff %%trace job=7 epoch=1000000000 host=%s\nff %%process id=1 rank=%s\n' "$1" "$2"
	printf 'ff %%file process=1 id=1 object=1 path=/shared\nff %%file process=1 id=2 object=2 path=/tmp/x\nff %%file process=1 id=3 object=3 path=/var/tmp/y%%201\n'
	printf '80 20 0 10 0 a 1 1 0\nc0 20 0 20 5 a 2 1 0\n80 20 0 40 5 a 3 1 0\n'
}
host n1 0 >a0
host n1 1 >a1
host n2 0 >b0
host n2 1 | sed 's/ rank=1/& host=n2/' >b1
show() {
	"$IOTRACE" analyze -q --tsv "$@" | grep -E '	(files|shared_files|compute_nodes|processes|read_bytes|write_bytes)	'
}
for inputs in "a0 a1" "a0 b0" "a0 b0 a1 b1" "b1 a0 a1 b0"; do
	echo "# $inputs"
	"$IOTRACE" merge -q --no-fsync -o merged.iot $inputs
	show merged.iot >expected
	show $inputs | diff expected - && cat expected
done
"$IOTRACE" analyze -q --tsv --by=file a0 b0 a1 b1 | cut -f 1-3
for name in a0 b0 a1 b1; do "$IOTRACE" analyze -q --no-fsync -s $name.state $name; done
show b0.state a1.state b1.state a0.state | cmp - expected && echo "states: equal"
# Without any host, all traces count as one host.
sed 's/ host=n1//' a0 >c0
sed 's/ host=n1//' a1 >c1
show c0 c1
