# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: every call that completed before SIGKILL is in the trace; and a trace whose collector is
# killed can be read.
sh "$TOOLS/built.sh" record_calls || exit 77
calls=${IOTRACE%/iotrace}/record_calls XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run

for n in 1 2 17 300 4000 50000; do
	done=$("$IOTRACE" record -q -o a.iot "$calls" kill $n)
	"$IOTRACE" check -q a.iot >log || echo "check: exit status $?"
	writes=$("$IOTRACE" cat -q --format=csv a.iot | grep -c killed)
	[ "$writes" -ge "$done" ] && [ "$writes" -le $((done + 1)) ] || echo "$done done, $writes in the trace"
done
echo killed

cat >waits.sh <<'END'
mkfifo go
"$1" known
: >ready
read line <go
"$1" threads
: >finished
END
sh -c 'echo $$ >pid; exec "$0" record -o a.iot sh waits.sh "$1"' "$IOTRACE" "$calls" 2>killed &
for i in $(seq 3000); do [ -e ready ] || sleep 0.1; done
for i in $(seq 3000); do
	[ "$("$IOTRACE" cat -q --format=csv a.iot 2>err | grep -c /data)" -ge 12 ] && break
	sleep 0.1
done
kill -KILL "$(cat pid)"
echo >go
wait $! 2>killed
for i in $(seq 3000); do [ -e finished ] || sleep 0.1; done
echo 'the program continued'
ls run | wc -l
mkfifo again
"$IOTRACE" record -o c.iot sh -c ': >started; read line <again' &
for i in $(seq 3000); do [ -e started ] || sleep 0.1; done
ls run | wc -l
"$IOTRACE" record -o d.iot true
ls run | wc -l
echo >again
wait $!
ls run
"$IOTRACE" check --repair -o b.iot a.iot >log 2>&1
"$IOTRACE" cat -q --format=csv b.iot | grep -c /data
