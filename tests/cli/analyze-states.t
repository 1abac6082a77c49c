# SPDX-License-Identifier: BSD-2-Clause
# Parts of a trace, analyzed by separate processes and joined in any order and tree, have the state of the whole, byte for byte.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - >text <<'CODE'
import random
r = random.Random(2)
end = {}
print("ff %trace epoch=1700000000123456789 ranks=9")
for thread in range(6, 9):
    print("ff %%process id=%d thread-of=5" % thread)
for i in range(10000):
    process, file = r.randrange(1, 9), r.randrange(1, 5)
    offset = end.get((process, file), 0)
    if r.random() < .2:
        offset = r.randrange(40) * 4096
    length = r.choice((4096, 4096, 65536, r.randrange(1, 100)))
    end[process, file] = offset + length
    print("%x 20 %x %x %x %x %x %x %x" % (r.choice((0x80, 0xc0, 0xc0, 0x88, 0x81)), offset, length, r.randrange(200),
                                          r.choice((1, 5, 100, 5000)), file, process, r.randrange(20)))
    if r.random() < .002:
        print("ff %%op name=close process=%d file=%d result=0" % (process, file))
CODE
for name in trace.iot trace.iot.gz trace.iot.zst; do
	"$IOTRACE" cat -q --framed --sync=300 --no-fsync -o $name text
	"$IOTRACE" analyze -q --no-fsync -s whole $name
	for n in $(test $name = trace.iot && echo 9 2 || echo 4); do
		for k in $(seq $n); do
			"$IOTRACE" analyze -q --no-fsync --part=$k/$n -s $k.state $name
		done
		"$IOTRACE" analyze -q --no-fsync -s joined $(ls -r *.state)
		cmp joined whole && echo "$name: $n parts"
		test $n != 9 || for pair in "1 2" "4 5" "6 7" "8 9" "6 8" "3 4" "1 3" "1 6"; do
			set -- $pair
			"$IOTRACE" analyze -q --no-fsync -s both $2.state $1.state && mv both $1.state && rm $2.state
		done
		test $n != 9 || cmp 1.state whole
		rm *.state
	done
done
"$IOTRACE" analyze -q --json trace.iot >expected
"$IOTRACE" analyze -q --json whole | cmp - expected
"$IOTRACE" analyze -q --json - <whole | cmp - expected
"$IOTRACE" analyze trace.iot >expected
"$IOTRACE" analyze whole | cmp - expected
for section in sizes time,files findings; do
	"$IOTRACE" analyze -q --section=$section --tsv trace.iot >expected.tsv
	"$IOTRACE" analyze -q --section=$section --tsv whole | cmp - expected.tsv && echo "$section: $(cut -f 1 expected.tsv | sort -u | xargs)"
done
"$IOTRACE" analyze -q --threads=2 -s - trace.iot | cmp - whole
"$IOTRACE" check whole | sed "s/, comments.*//"
# Parts that are not all there, or not neighbours
for k in 1 2 3 4; do "$IOTRACE" analyze -q --no-fsync --part=$k/4 -s $k.state.zst trace.iot.zst; done
"$IOTRACE" analyze -q --section=sizes --tsv trace.iot >expected.tsv
"$IOTRACE" analyze -q --section=sizes --tsv [1-4].state.zst | cmp - expected.tsv
run() {
	"$IOTRACE" analyze -q "$@" >out 2>err
	echo "exit $?"
	sed 's/[0-9][0-9][0-9][0-9]*/N/g' err
}
run 1.state.zst 2.state.zst 3.state.zst
run 1.state.zst 3.state.zst 4.state.zst
run --allow-gaps -s gap.state 1.state.zst 3.state.zst 4.state.zst
"$IOTRACE" analyze -q -t gap.state | grep "^trace.gaps"
cp 2.state.zst again.state.zst
run 4.state.zst 3.state.zst 2.state.zst again.state.zst 1.state.zst
run -s - 2.state.zst 3.state.zst
run 1.state.zst whole
run 1.state.zst trace.iot
run whole trace.iot.zst
run --part=2/3 -
run --part=4/3 trace.iot
"$IOTRACE" analyze --part=1/3 -s bare.state text 2>&1
"$IOTRACE" analyze --part=2/3 -s - text | "$IOTRACE" analyze -q - | head -n 1
"$IOTRACE" analyze bare.state | cmp - expected
run --part=2/3 --threads=2 trace.iot
# Not valid
"$IOTRACE" cat --bare whole | sed 's/ version=[0-9]* trace/ version=4 trace/' >version.state
run version.state
sed '/kind=pair /s/ f=[^ ]/ f=AAA1/' "$TESTDATA/../fuzz/corpus/load/parts" >pair.state
run pair.state
"$IOTRACE" cat --bare whole | head -n 20 >short.state
run short.state
bad() {
	"$IOTRACE" cat --bare whole | sed "$1" >bad.state
	run bad.state
}
bad '/kind=events.directive /s/ text=%25trace/ text=%25state/'
bad '/kind=events.directive /s/ text=%25trace/ text=%25/'
bad '/kind=events.record /s/ fileid=[^ ]/ fileid=ZZZZZZZZ1/'
bad '/kind=events.record /s/ took_ns=[^ ]*/ took_ns=0/'
bad '/kind=events /s/ epoch=0/ epoch=7/'
bad '/kind=events /{p;}'
head -c 3000 whole >cut.state
run cut.state
# A trace that cannot be cut is part 1, which the other parts, without bytes, join.
head -n 30 text | "$IOTRACE" cat -q --framed -o short.iot
for k in 1 2 3; do "$IOTRACE" analyze --no-fsync --part=$k/3 -s $k.short short.iot 2>&1; done
"$IOTRACE" analyze --no-fsync -s whole.short short.iot
run -s joined.short 3.short 1.short 2.short && cmp joined.short whole.short && echo 'joined = whole'
