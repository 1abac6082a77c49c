# SPDX-License-Identifier: BSD-2-Clause
# iotrace top: tables of traces that have ended and of traces that grow, whose totals are those of stat.
sh "$TOOLS/built.sh" record_calls live_trace || exit 77
calls=${IOTRACE%/iotrace}/record_calls live=${IOTRACE%/iotrace}/live_trace XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run
cp "$TESTDATA/format/example.iot" "$TESTDATA/format/physical.iot" .
"$IOTRACE" convert -q -o mpi.iot.zst "$TESTDATA/darshan/mpi4_dxt.darshan"
"$IOTRACE" convert -q -o db.iot.gz "$TESTDATA/strace/sqlite.strace.gz"

echo '== traces that have ended'
"$IOTRACE" top --once example.iot
"$IOTRACE" top --once --by=process --sort=writes --top=2 physical.iot
"$IOTRACE" top --once --physical - <physical.iot
"$IOTRACE" top --once --by=rank --top=2 mpi.iot.zst
"$IOTRACE" top --once --by=op --top=5 db.iot.gz
"$IOTRACE" top --once --by=op physical.iot
"$IOTRACE" top --once --by=op --physical physical.iot
python3 "$TOOLS/top.py" "$IOTRACE" totals example.iot physical.iot mpi.iot.zst db.iot.gz && echo same

echo '== a trace that grows'
cat >waits.sh <<'END'
mkfifo go
"$1" known
: >ready
read line <go
"$1" threads
END
"$IOTRACE" record -q -o grows.iot.zst sh waits.sh "$calls" &
for i in $(seq 3000); do [ -e ready ] && [ -e grows.iot.zst ] && break; sleep 0.1; done
"$IOTRACE" top --json --interval=50ms grows.iot.zst >lines &
"$IOTRACE" top --json --interval=50ms --by=op grows.iot.zst >operations &
for i in $(seq 3000); do grep -q '"name":"[^"]*/data"' lines && break; sleep 0.1; done
"$IOTRACE" top --once --interval=1ms grows.iot.zst | sed -n '2s/[0-9.]* s$/N s/p'
echo >go
wait
"$IOTRACE" check grows.iot.zst | sed 's/valid.*;/valid;/; s/, comments.*//'
python3 "$TOOLS/top.py" "$IOTRACE" intervals grows.iot.zst <lines && echo same
python3 "$TOOLS/top.py" "$IOTRACE" operations grows.iot.zst <operations && echo same

echo '== a trace that is created after the start of top'
"$IOTRACE" top --json later.iot >lines 2>&1 &
sleep 0.2
cp example.iot later.iot
wait
tail -n 1 lines | grep -o '"ended":true'

echo '== a pipe'
"$IOTRACE" record -q -o '|tee piped.iot | "$IOTRACE" top --json >lines' "$calls" threads
python3 "$TOOLS/top.py" "$IOTRACE" intervals piped.iot <lines && echo same

echo '== cut short, or not a trace'
sh -c '"$1" "$2" 100 1234; :' sh "$live" cut.iot 2>killed
"$IOTRACE" top --once --by=process cut.iot 2>err | sed '2d; s/[0-9.]* s$/N s/'
cat err
: | "$IOTRACE" top 2>&1
echo $?
"$IOTRACE" top waits.sh 2>&1
echo $?
"$IOTRACE" top missing 2>&1
echo $?

echo '== terminals'
python3 "$TOOLS/top.py" "$IOTRACE" terminal example.iot
case $? in 0 | 77) echo fine ;; esac
