# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: programs that damage the recording, or may not create files, end as they would, and so does the recording.
sh "$TOOLS/built.sh" record_hostile || exit 77
hostile=${IOTRACE%/iotrace}/record_hostile XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run

# record COMMAND [ARG]...
record() {
	timeout -s KILL 60 "$IOTRACE" record -q $transport -o hostile.iot "$@"
	echo "exit status $?"
	records=$("$IOTRACE" cat -q --format=csv hostile.iot | grep -c '/hostile.data$')
	lost=$("$IOTRACE" cat -q hostile.iot | grep -c 'unrecorded=\|why=damaged\|why=unsent')
	[ $records -eq 50010 ] || [ $lost -gt 0 ] || echo "$records records, nothing reported"
}

for transport in --transport=ring --transport=pipe; do
	for damage in delete 'head 0' 'head 999999999992' 'tail 0' 'tail 999999999992' 'mark 2' 'mark 0xfffffffffffffff0' 'join 1'; do
		echo "$transport: $damage"
		record "$hostile" $damage
	done
	for limit in 1024 140 100; do # in blocks of 512 bytes
		echo "$transport: files of $limit blocks"
		record sh -c 'ulimit -f $1 && exec "$0"' "$hostile" $limit
	done
done

transport=
echo 'the directory of the recording is removed:'
timeout -s KILL 60 "$IOTRACE" record -q -o hostile.iot "$hostile" remove
echo "exit status $?"

echo 'a process stops in a call:'
timeout -s KILL 60 "$IOTRACE" record -q -o stop.iot sh -c 'echo $$ >pid; exec "$0" stop 2' "$hostile" &
for i in $(seq 500); do
	[ "$("$IOTRACE" cat -q --format=csv stop.iot 2>log | grep -c '/hostile.data$')" -ge 1000 ] && break
	sleep 0.01
done
"$IOTRACE" cat -q --format=csv stop.iot 2>log | grep -c '/hostile.data$'
kill -CONT "$(cat pid)"
wait $!
echo "exit status $?"
"$IOTRACE" check -q stop.iot
ls run
