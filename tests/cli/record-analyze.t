# SPDX-License-Identifier: BSD-2-Clause
# record --analyze: modules get the records of all transports, of all parts as one trace, and of programs that join.
build=${IOTRACE%/*}
sh "$TOOLS/built.sh" module_test_1.so module_test_2.so || exit 77
umask 022
cp "$build/module_test_1.so" m.so; cp "$build/module_test_2.so" n.so
XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run
# kept TRACE...: the records in them
kept() { for trace; do "$IOTRACE" check "$trace" | sed 's/, comments.*//; s/.*records: //'; done | awk '{ n += $1 } END { print n " records" }'; }

for transport in ring pipe; do
	echo "$transport, two modules:"
	"$IOTRACE" record -q --transport=$transport --analyze=m.so:traces --analyze=second=n.so -o $transport.iot \
		dd if=/dev/zero of=d bs=512 count=3000 status=none 2>&1 | sort
	kept $transport.iot
done

echo 'parts:'
"$IOTRACE" record -q --rotate=64K --analyze=m.so:traces -o p.iot sh -c '
	for i in 1 2 3 4 5 6; do dd if=/dev/zero of=d bs=512 count=3000 status=none; sleep 0.2; done' 2>&1
kept p.0*.iot
[ -e p.0002.iot ] && echo 'several parts'

echo 'programs that join:'
mkfifo go
"$IOTRACE" record -q --join=job --analyze=m.so -o both.iot sh -c 'read line <go; dd if=/dev/zero of=d bs=512 count=1000 status=none' 2>log &
first=$!
until [ -e run/iotrace-join-* ] && [ -s run/iotrace-join-* ] && [ -s both.iot ]; do sleep 0.1; done
"$IOTRACE" record -q --join=job --analyze=m.so dd if=/dev/zero of=e bs=512 count=2000 status=none
echo >go; wait $first; echo "record: $?"
cat log
kept both.iot

echo 'names of modules:'
for wrong in m.so:other x/m.so =n.so; do "$IOTRACE" record -q --analyze=m.so --analyze=$wrong -o w.iot true 2>&1 | head -n 1; done
"$IOTRACE" record -q --analyze=m.so --analyze=second=none.so -o w.iot true 2>&1; echo "record: $?"
