# SPDX-License-Identifier: BSD-2-Clause
# Processes and threads do I/O and send packets through a FIFO: the trace of the packets has the same
# records that each process logged directly. Also if processes are killed, if the collector is
# killed and restarted, and while they are running.
build=${IOTRACE%/iotrace}
sh "$TOOLS/built.sh" packet_demo || exit 77
mkfifo fifo

compare() {
	"$IOTRACE" cat --format=csv --columns=raw "$1" 2>cat.err | python3 "$TOOLS/packet_compare.py" $2 work |
		sed 's/^[0-9]* of [0-9]* processes/records/'
}

# Sent packets appear in a file that is being written soon, not immediately.
soon() {
	for i in $(seq 300); do
		"$@" >so_far
		! grep -q '^records: as they were' so_far || break
		sleep 0.2
	done
	cat so_far
}

compare_collected() {
	"$IOTRACE" convert -q -o trace.iot packets.bin || echo "convert: exit status $?"
	compare trace.iot --killed
}

begin() {
	rm -rf work packets.bin
	mkdir work
	echo "$1"
}

begin 'the packets, and what was logged:'
timeout 600 "$IOTRACE" procstat -q -o packets.bin fifo &
timeout 600 "$build/packet_demo" fifo work || echo "demo: exit status $?"
wait
"$IOTRACE" convert -o trace.iot packets.bin || echo "convert: exit status $?"
compare trace.iot
"$IOTRACE" cat --format-version=1 trace.iot | grep -c '%process'

begin 'killed in the middle:'
timeout 600 "$IOTRACE" procstat -q -o packets.bin fifo &
timeout 600 "$build/packet_demo" --kill fifo work 2>killed || echo "demo: exit status $?"
wait
"$IOTRACE" convert -o trace.iot packets.bin || echo "convert: exit status $?"
compare trace.iot --killed

begin 'the collector killed:'
exec 3<>fifo
"$IOTRACE" procstat -q -o packets.bin fifo 3>&- &
collector=$!
timeout 600 "$build/packet_demo" --pause fifo work &
demo=$!
for i in $(seq 3000); do [ -e work/paused ] || sleep 0.1; done
soon compare_collected >before
kill -KILL $collector
wait $collector 2>killed
compare_collected
timeout 600 "$IOTRACE" procstat -q -o packets.bin fifo 3>&- &
collector=$!
touch work/go
wait $demo
exec 3>&-
wait $collector
"$IOTRACE" convert -o trace.iot packets.bin || echo "convert: exit status $?"
compare trace.iot

begin 'live:'
timeout 600 "$IOTRACE" convert fifo >live.iot &
timeout 600 "$build/packet_demo" --pause fifo work &
for i in $(seq 3000); do [ -e work/paused ] || sleep 0.1; done
soon compare live.iot --killed
touch work/go
wait
compare live.iot
