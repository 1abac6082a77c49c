# SPDX-License-Identifier: BSD-2-Clause
# Laws: the result depends neither on the order of the inputs, nor on how many may be open, nor on the reader; the
# merge of one trace is that trace; the merge of its parts is the whole.
for tool in python3 zstd taskset; do
	command -v $tool >/dev/null || { echo "there is no $tool"; exit 77; }
done
processor=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')

make_inputs() { # SEED COUNT RECORDS
	rm -f in-*
	python3 "$TOOLS/merge_truth.py" make "$@"
	for text in in-*.txt; do
		name=${text%.txt}
		case $name in
		in-*[036].*) suffix=.gz base=10 ;;
		in-*[147].*) suffix=.zst base=16 ;;
		*) suffix= base=10 ;;
		esac
		"$IOTRACE" cat --in-base=16 --in-tick="${name#in-*.}" --base=$base --sync=100 --framed \
			-o "$name.iot$suffix" "$text"
		rm "$text"
	done
}

mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR
for seed in 1 2; do
	make_inputs $seed 7 200
	"$IOTRACE" merge --format-version=1 -o out in-* && python3 "$TOOLS/merge_truth.py" check out in-*
	"$IOTRACE" merge --format-version=1 $(ls -r in-*) | cmp - out
	taskset -c "$processor" "$IOTRACE" merge --format-version=1 in-[3-9]* in-[0-2]* | cmp - out
	(ulimit -n 14 && "$IOTRACE" merge --format-version=1 $(ls -r in-*)) | cmp - out
	cat in-4* | "$IOTRACE" merge --format-version=1 in-[0-3]* - in-[56]* >piped
	cmp piped out
	"$IOTRACE" merge --format-version=1 --reorder --memory=64K $(ls -r in-*) | cmp - out
	"$IOTRACE" merge --format-version=1 out | cmp - out
done

echo "directives with times anywhere, and runs of them"
for seed in 11; do
	make_inputs $seed 4 100 1100
	"$IOTRACE" merge --format-version=1 -o out in-* && python3 "$TOOLS/merge_truth.py" check out in-*
	(ulimit -n 14 && "$IOTRACE" merge --format-version=1 $(ls -r in-*)) | cmp - out
	for one in in-*; do
		"$IOTRACE" cat --framed --format-version=1 --base=16 --sync=100 "$one" >cat
		"$IOTRACE" merge --format-version=1 --sync=100 "$one" | cmp - cat
	done
	"$IOTRACE" merge --format-version=1 --reorder -o sorted in-* && "$IOTRACE" reorder sorted | cmp - sorted
	"$IOTRACE" cat -f csv --columns=raw sorted | sed 1d | cut -d, -f2 | sort -c -n && echo "in order"
done

echo "a run too long to be held"
make_inputs 17 1 2 100
for one in in-0.*; do mv "$one" "kept${one#in-0}"; done
make_inputs 16 1 2 66000
for one in kept.*; do mv "$one" "in-1${one#kept}"; done
"$IOTRACE" merge --format-version=1 -o out in-* && python3 "$TOOLS/merge_truth.py" check out in-*
cat in-1* | "$IOTRACE" merge --format-version=1 in-0* - >piped
"$IOTRACE" cat -f csv --columns=raw piped | sed 1d | cut -d, -f2 | sort -c -n && echo "in order"

echo "many, with few descriptors"
make_inputs 4 40 30
"$IOTRACE" merge --format-version=1 -o out in-* && python3 "$TOOLS/merge_truth.py" check out in-*
(ulimit -n 14 && "$IOTRACE" merge --format-version=1 $(ls -r in-*)) | cmp - out
(ulimit -n 20 && "$IOTRACE" merge --format-version=1 --reorder --memory=64K $(ls -r in-*)) | cmp - out
ls -A tmp

echo "one"
for one in "$TESTDATA"/format/sync.iot "$TESTDATA"/format/example.iot; do
	"$IOTRACE" cat --framed --format-version=1 --base=16 --sync=100 "$one" >cat
	"$IOTRACE" merge --format-version=1 --sync=100 "$one" | cmp - cat
done

printf 'ff %%trace\n80 0 0 1 64 1 0 1 1 0\nff %%op name=stat time=5 process=1 path=/a\n' >late
"$IOTRACE" merge --format-version=1 --bare late
printf 'ff of the record\nff %%op name=stat time=900 process=1\n80 0 0 1 64 1 0 1 1 0\n' >early
"$IOTRACE" merge --format-version=1 --bare --reorder early

echo "slices"
"$IOTRACE" convert --format-version=1 -q -o sqlite.iot "$TESTDATA/strace/sqlite.strace.gz"
for whole in out sqlite.iot; do
	for at in 20 57 200; do
		"$IOTRACE" slice --records=0-$((at - 1)) -o 1.iot $whole
		"$IOTRACE" slice --records=$at-$((2 * at)) -o 2.iot.zst $whole
		"$IOTRACE" slice --records=$((2 * at + 1))- -o 3.iot $whole
		"$IOTRACE" merge --format-version=1 --keep-ids 2.iot.zst 3.iot 1.iot | cmp - $whole
	done
done
