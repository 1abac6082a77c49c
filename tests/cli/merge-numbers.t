# SPDX-License-Identifier: BSD-2-Clause
# Numbers at the ends of their ranges: the output can be read, what cannot be written is rejected.
try() {
	echo "$ $*"
	"$IOTRACE" "$@" >out 2>err
	echo "exit $?"
	cat err
	[ -s out ] && "$IOTRACE" check out | tail -n 1
	"$IOTRACE" cat -f csv --columns=raw --ns out 2>/dev/null | sed 1d | cut -d, -f2,3,9
	"$IOTRACE" cat --format-version=1 out 2>/dev/null | sed -n 's/^ff \(%trace.*\|%op.*\|%lost.*\)/ \1/p'
}
make() { # NAME TICK LINE...
	name=$1 tick=$2
	shift 2
	printf '%s\n' "$@" | "$IOTRACE" cat --in-base=16 --in-tick="$tick" --framed -o "$name" -
}
most=9223372036854775807
make last 1 "ff %trace epoch=1000" "80 0 0 200 7ffffffffffffffe 1 0 1 1 0" \
	"ff %op name=stat time=$most process=1"
make first 1 "ff %trace epoch=0" "80 0 0 200 0 7fffffffffffffff 0 1 1 0"
make wide $most "80 0 0 200 1 0 0 1 1 0" "80 0 0 200 0 0 0 1 1 0"
make far 1 "ff %op name=stat time=$most process=1" "80 0 0 200 5 1 0 1 1 0"
make took 1 "ff %op name=stat time=1 took=9223372036854775806 process=1" "80 0 0 200 5 1 0 1 1 0"
make ids 1 "80 0 0 200 5 1 0 ffffffff ffffffff 0" "80 0 0 200 5 1 0 fffffffe fffffffe 0"
make lost 1 "ff %lost time=$most records=18446744073709551615 bytes=18446744073709551615 why=x" \
	"80 0 0 200 5 1 0 1 1 0"
printf '%s\n' "ff %trace epoch=18446744073709551615" "80 0 0 200 5 1 0 1 1 0" >epoch
for one in last first wide far took ids lost epoch; do
	try merge $one
	try reorder $one
done
try merge last first
try merge first wide
try merge -q far first
try merge far --shift=far=1ns first
try merge --shift=took=1ns took ids
try merge --shift=ids=9223372036s ids wide
try merge -q --shift=ids=-9223372036s ids wide
try merge ids ids
try merge --keep-ids lost lost
try merge -q epoch lost
try reorder --window=9223372036s far
"$IOTRACE" merge --format-version=1 -q --keep-ids -o twice lost lost
"$IOTRACE" info twice | grep -i 'lost\|gaps'
"$IOTRACE" info --json twice | grep -o '"lost[^,]*'
