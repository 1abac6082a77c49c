# SPDX-License-Identifier: BSD-2-Clause
# info and stat of a trace that is being written, by a record that was killed, and by one that has ended.
XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run

show() {
	"$IOTRACE" info "$1" | head -n 1
	"$IOTRACE" info --json "$1" | grep -o '"state":"[^"]*"'
	"$IOTRACE" stat --top=1 "$1" >out 2>err
	echo "stat: exit status $?"
	sed '/hint:/d; s/at byte.*//' err
	sed -n 2p out | awk '{ print $3, "writes" }'
}

for end in killed ended; do
	rm -f data go
	mkfifo go
	"$IOTRACE" record -q --path='*/data' -o $end.iot.zst sh -c 'for i in 1 2 3; do echo $i >>data; done; read line <go' &
	for i in $(seq 3000); do
		"$IOTRACE" stat -q --top=1 $end.iot.zst 2>log | grep -q '^ *3 *[0-9]* *3 .*total' && break
		sleep 0.01
	done
	show $end.iot.zst
	[ $end = ended ] || kill -KILL $!
	: >go
	wait $! 2>log
	echo "$end:"
	show $end.iot.zst
done
