# SPDX-License-Identifier: BSD-2-Clause
# top --module: a module counts while the trace is written, and is replaced without losing a record.
build=${IOTRACE%/*}
sh "$TOOLS/built.sh" module.so module_test_1.so module_test_2.so module_test_abi.so || exit 77
umask 022
cp "$build/module_test_1.so" m.so
awk 'BEGIN { for (i = 0; i < 3000; i++) print 192, 0, i * 4096, 4096, i * 10, 5, 0, 1, 9, 0 }' >lines
"$IOTRACE" cat --in-base=10 --in-tick=1 -o t.iot lines

echo "a module and analyze print the same figures"
"$IOTRACE" top --module="$build/module.so" t.iot
"$IOTRACE" analyze --json t.iot | jq -c '.totals | [.writes, .bytes]'

# replaced MODULE PATTERN: replaces the module, and waits until the log says so
replaced() {
	cp "$1" next.so && mv next.so m.so
	for try in $(seq 100); do grep -q "$2" log && return; sleep 0.1; done
	echo "no message: $2"
}
# run ARGS [MODULE PATTERN]...: gives a third of the trace before and after each replacement
run() {
	args=$1 part=0
	shift
	cp "$build/module_test_1.so" m.so
	mkfifo in; : >log
	"$IOTRACE" top --module=m.so:"$args" --once <in >out 2>log &
	top=$!
	exec 3>in
	for try in $(seq 100); do grep -q begins log && break; sleep 0.1; done
	for module in "$@" -; do
		part=$((part + 1))
		sed -n "$((part * 1000 - 999)),$((part * 1000))p" parts >&3 2>/dev/null
		sleep 0.3
		[ "$module" = - ] || replaced "${module%%=*}" "${module#*=}"
	done
	sed -n '3001,$p' parts >&3 2>/dev/null
	exec 3>&-
	wait $top
	echo "exit $?"
	sed '/begins/d; s/after [0-9]\{1,4\} records/after N records/' log
	cat out
	rm in
}
"$IOTRACE" cat --format-version=1 -o parts t.iot

echo "the state is handed over"
run state "$build/module_test_2.so=version 2 replaces" "$build/module_test_1.so=version 1 replaces"
echo "each record of the trace goes to exactly one module"
run own "$build/module_test_2.so=version 2 replaces" "$build/module_test_1.so=version 1 replaces" >own
grep -v 'of its own' own
sed -n 's/.* \([0-9]*\) of its own/\1/p' own | awk '{ n += $1 } END { print n, NR }'

echo "a file that is not a module leaves the old one"
head -c 9000 "$build/module_test_2.so" >half.so
run state "half.so=not a complete" "$build/module_test_abi.so=ABI"
echo text >text.so; cp "$build/libiotrace.so" library.so
run state "text.so=not a complete" "library.so=no symbol"

echo "modules that crash or do not return"
run crash "$build/module_test_2.so=version 2 replaces"
run loop "$build/module_test_2.so=version 2 replaces"

echo "what is not loaded"
"$IOTRACE" top --module=none.so t.iot 2>&1; echo "exit $?"
chmod o+w m.so
"$IOTRACE" top --module=m.so t.iot 2>&1; echo "exit $?"
"$IOTRACE" top --module=m.so --json t.iot 2>&1 | head -n 1

command -v python3 >/dev/null || { echo "no python3"; exit 77; }
python3 "$TOOLS/module_replace.py" "$IOTRACE" 100
