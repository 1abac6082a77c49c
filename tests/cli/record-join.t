# SPDX-License-Identifier: BSD-2-Clause
# iotrace record --join: programs that are started separately are in one trace.
sh "$TOOLS/built.sh" record_calls || exit 77
calls=${IOTRACE%/iotrace}/record_calls XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run

echo 'four programs, in any order:'
for i in 1 2 3 4; do
	mkdir $i
	(cd $i && exec "$IOTRACE" record --join=job -o ../$i.iot sh -c '"$0" threads; exit $1' "$calls" $i; echo $? >status) &
done
wait
cat [1-4]/status
for trace in *.iot; do
	"$IOTRACE" check $trace | sed 's/, comments.*//; s/.*; //'
done | awk '{ sum += $2 } END { print sum, "records" }'
ls -A run

echo 'the first one ends first, and cannot run its program:'
mkfifo go
"$IOTRACE" record --join=job -o both.iot sh -c 'read line <go' &
first=$!
until [ -e run/iotrace-join-* ] && [ -s run/iotrace-join-* ] && [ -s both.iot ]; do sleep 0.1; done
"$IOTRACE" record --join=job sh -c ': >started; sleep 0.3; exec "$0" known' "$calls" &
until [ -e started ]; do sleep 0.1; done
echo >go
wait $first
echo $?
"$IOTRACE" check both.iot | sed 's/, comments.*//'
"$IOTRACE" record --join=job -o none.iot ./missing 2>&1
echo $?
ls none.iot 2>&1
ls -A run

echo 'a collector that was killed:'
"$IOTRACE" record --join=job -o killed.iot sh -c ': >running; read line <go' &
until [ -e running ]; do sleep 0.1; done
kill -9 $!
wait $! 2>/dev/null
"$IOTRACE" record --join=job -o next.iot "$calls" known
echo $?
"$IOTRACE" check next.iot | sed 's/, comments.*//'
echo >go

echo 'names:'
"$IOTRACE" record --join=a/b true 2>&1 | head -n 1
"$IOTRACE" record --join=a --no-follow true 2>&1 | head -n 1
: >run/iotrace-join-$(id -u)-open
chmod 666 run/iotrace-join-$(id -u)-open
"$IOTRACE" record --join=open true 2>&1 | sed 's|.*/iotrace-join-[0-9]*|FILE|'
