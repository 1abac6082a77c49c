# SPDX-License-Identifier: BSD-2-Clause
# Rejected inputs and options leave no output.
try() {
	echo "$ merge $*" >&2
	"$IOTRACE" merge --format-version=1 "$@" </dev/null
	echo "$? $(ls)"
}
cp "$TESTDATA/format/example.iot" a
cp a b
try
try a missing -o out
try a . -o out
printf 'nonsense\n' >c && try a c -o out && rm c
printf 'ff %%iotrace version=9 tick=1\n' >c && try a c -o out && rm c
try a b -o b
cmp a b
try - a -
try --keep-ids --join-paths a b
try --tick=0 a
try --memory=1 a
try --base=8 a
printf '80 0 0 200 8 1 0 1 1 0\n\nff x\n80 0 0 200 -1 1 0 1 1 0\n' >c
try a c -o out
"$IOTRACE" merge --format-version=1 -q -o out a - <c
echo "$? $(ls)"
"$IOTRACE" cat --framed -o d c && try a d -o out
