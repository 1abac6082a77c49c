# SPDX-License-Identifier: BSD-2-Clause
# Processes and threads do I/O and send packets through a FIFO: the trace of the packets has the same
# records that each process has logged directly. Also when processes are killed, when the collector
# is and begins again, and while they are running.
build=${IOTRACE%/iotrace}
[ -x "$build/packet_demo" ] || { echo 'packet_demo is not built'; exit 77; }
mkfifo fifo

compare() {
	"$IOTRACE" cat --format=csv "$1" 2>cat.err | python3 "$TOOLS/packet_compare.py" $2 work |
		sed 's/^[0-9]* of [0-9]* processes/records/'
}

begin() {
	rm -rf work packets.bin
	mkdir work
	echo "$1"
}

begin 'the packets, and what was logged:'
timeout 60 "$IOTRACE" procstat -q -o packets.bin fifo &
timeout 60 "$build/packet_demo" fifo work || echo "demo: exit status $?"
wait
"$IOTRACE" convert -o trace.iot packets.bin || echo "convert: exit status $?"
compare trace.iot
"$IOTRACE" cat trace.iot | grep -c '%process'

begin 'killed in the middle:'
timeout 60 "$IOTRACE" procstat -q -o packets.bin fifo &
timeout 60 "$build/packet_demo" --kill fifo work 2>killed || echo "demo: exit status $?"
wait
"$IOTRACE" convert -o trace.iot packets.bin || echo "convert: exit status $?"
compare trace.iot --killed

begin 'the collector killed:'
exec 3<>fifo
"$IOTRACE" procstat -q -o packets.bin fifo 3>&- &
collector=$!
timeout 60 "$build/packet_demo" --pause fifo work &
demo=$!
for i in $(seq 100); do [ -e work/paused ] || sleep 0.1; done
sleep 0.3
kill -KILL $collector
wait $collector 2>killed
"$IOTRACE" convert -o trace.iot packets.bin || echo "convert: exit status $?"
compare trace.iot --killed
timeout 60 "$IOTRACE" procstat -q -o packets.bin fifo 3>&- &
collector=$!
touch work/go
wait $demo
exec 3>&-
wait $collector
"$IOTRACE" convert -o trace.iot packets.bin || echo "convert: exit status $?"
compare trace.iot

begin 'live:'
timeout 60 "$IOTRACE" convert fifo >live.iot &
timeout 60 "$build/packet_demo" --pause fifo work &
for i in $(seq 100); do [ -e work/paused ] || sleep 0.1; done
sleep 0.5
compare live.iot --killed
touch work/go
wait
compare live.iot
