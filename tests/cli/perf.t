# SPDX-License-Identifier: BSD-2-Clause
# Texts of perf and bpftrace have the reads and writes of the strace log of the same run, in its order.
records() { # INPUT
	"$IOTRACE" convert -q "$1" | "$IOTRACE" cat --format=csv --columns=raw --names --ns - | cut -d, -f 1,5,6,11
}
compare() { # TEXT LOG
	records "$TESTDATA/perf/$1.txt" >text
	records "$TESTDATA/perf/$2.strace" >log
	echo "$1: $(wc -l <text) rows; other offsets:"
	cut -d, -f 1-3 log >a
	cut -d, -f 1-3 text | diff a - | grep '^[<>]'
}
compare script script
compare script_pids script
compare trace trace
compare bpftrace bpftrace
for text in script script_pids trace bpftrace; do
	"$IOTRACE" convert "$TESTDATA/perf/$text.txt" -o $text.iot 2>&1
	"$IOTRACE" cat $text.iot | grep -a '%trace\|%process\|%counter'
done
"$IOTRACE" cat --format=csv --columns=raw --names --ns bpftrace.iot | cut -d, -f 1,3,5,6,8,9,11
# Lost events: positions are unknown from there on.
{
	head -n 45 "$TESTDATA/perf/trace.txt"
	echo 'LOST 12 events!'
	sed 1,45d "$TESTDATA/perf/trace.txt"
} >lost.txt
"$IOTRACE" convert lost.txt 2>&1 | grep -a '%lost\|warning'
for message in 'LOST 3 events!' 'Lost 4 events' 'Processed 90 events and lost 5 chunks!'; do
	for text in script bpftrace; do
		{ cat "$TESTDATA/perf/$text.txt" && echo "$message"; } >lost.txt
		"$IOTRACE" convert lost.txt 2>&1 | grep -a '%lost\|tracer lost\|not understood'
	done
done
# Other events, and text.
{
	cat "$TESTDATA/perf/script.txt"
	echo '  my [odd] name  77 [002]  99.123456: sched:sched_switch: prev_comm=a'
	echo '  my [odd] name  77/78 [002] d..1. 99.123456: syscalls:sys_exit_read: 0x10'
	echo 'something else'
} >other.txt
"$IOTRACE" convert --report=report other.txt -o other.iot 2>&1
grep '"unparsed"' report
# Cut within a line.
head -c 2000 "$TESTDATA/perf/bpftrace.txt" >cut.txt
"$IOTRACE" convert cut.txt -o cut.iot 2>&1
echo "exit status $?"
"$IOTRACE" cat cut.iot | grep -a %lost
# A rename that exchanges two names, by a word and by a number.
{
	head -n 3 "$TESTDATA/perf/trace.txt"
	echo '    12.164 ( 0.031 ms): io_calls/11116 renameat2(olddfd: CWD, oldname: 0x5f "/a", newdfd: CWD, newname: 0x60 "/b", flags: EXCHANGE) = 0'
	echo '    12.200 ( 0.031 ms): io_calls/11116 renameat2(olddfd: CWD, oldname: 0x5f "/c", newdfd: CWD, newname: 0x60 "/d", flags: NOREPLACE) = 0'
	echo '    12.264 ( 0.031 ms): io_calls/11116 renameat2(olddfd: CWD, oldname: 0x5f "/e", newdfd: CWD, newname: 0x60 "/f", flags: 2) = 0'
} >exchange.txt
"$IOTRACE" convert -q --from=perf exchange.txt -o exchange.iot
"$IOTRACE" cat --format-version=1 exchange.iot | grep -o 'name=.*/[a-f].*'
