# SPDX-License-Identifier: BSD-2-Clause
# Records in order of start, each with its comments and its file.
"$IOTRACE" cat --framed --format-version=1 --in-base=16 -o in - <<'EOF'
ff %trace source=hand
ff %process id=1 name=a
ff %file process=1 id=3 object=1 path=/first
ff one
80 0 0 200 64 1 0 3 1 5
ff two
ff and two
c0 0 200 200 32 1 0 3 1 5
ff %op name=close time=170 process=1 file=3
ff %file process=1 id=3 object=2 path=/second
80 0 0 200 -78 1 0 3 1 5
80 0 200 200 0 1 0 4 2 5
ff %op name=stat time=20 process=1 file=3
80 0 0 200 ff 1 0 3 1 5
ff the end
EOF
"$IOTRACE" reorder in >out
echo "exit $?"
cat out
"$IOTRACE" reorder out | cmp - out && echo "twice is once"
"$IOTRACE" reorder <in | cmp - out && cat in | "$IOTRACE" reorder - | cmp - out && echo "stdin"
mkfifo fifo
cat in >fifo &
"$IOTRACE" reorder fifo | cmp - out && echo "FIFO"
"$IOTRACE" reorder -o packed.iot.zst in && "$IOTRACE" reorder packed.iot.zst | cmp - out && echo "zstd"
"$IOTRACE" reorder --window=1s in | cmp - out && echo "window"
echo "directives far from their records:"
"$IOTRACE" reorder --in-base=16 - <<'EOF'
ff %op name=stat time=700 process=1 path=/b
ff %trace source=hand
ff of the first
ff %op name=stat time=900 process=1 path=/a
80 0 0 200 64 1 0 3 1 5
80 0 0 200 32 1 0 3 1 5
ff the end
EOF
echo "late:"
awk 'BEGIN { for (i = 1; i <= 3000; i++) printf "80 0 %x 200 %s 1 0 3 1 0\n", i, i == 2060 ? "-200" : i == 2061 ? "202" : "2" }' |
	"$IOTRACE" cat --framed --format-version=1 --in-base=16 -o far -
"$IOTRACE" reorder --window=10us --report=report.json -v -o late far 2>&1
echo "exit $?"
cat report.json
"$IOTRACE" cat --format=csv --columns=raw late | cut -d, -f2,5 >all
sed 1d all | sort -c -n 2>&1 | sed 's/.*disorder: //'
"$IOTRACE" reorder --window=1ms -q -o near far
"$IOTRACE" reorder far | cmp - near && echo "in time"
