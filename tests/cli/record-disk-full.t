# SPDX-License-Identifier: BSD-2-Clause
# The disk of the recording becomes full while it is spooled: the program goes on, and each of its calls is in the
# trace or counted as lost. None is lost if the program waits, even if the collector begins to read after that.
unshare -m true 2>err || { echo "nothing can be mounted here: $(head -n 1 err)"; exit 77; }
cat >program.py <<'P'
import os, signal, sys, time
if sys.argv[1] == "late":
    os.kill(os.getppid(), signal.SIGSTOP)
data = os.open("data", os.O_RDWR | os.O_CREAT)
for i in range(100):
    os.pwrite(data, b"x", i)
os.mkdir("half")
while not os.path.exists("full"):
    time.sleep(0.01)
for i in range(50000):
    os.pwrite(data, b"x", i)
P
cat >recording.sh <<'S'
mount -t tmpfs -o size=$1 none run || exit 77
export XDG_RUNTIME_DIR=$PWD/run
"$IOTRACE" record -q --convert=after --full=$2 --path='*/data' -o t.iot.zst python3 program.py $3 &
until [ -d half ]; do sleep 0.01; done
cat /dev/zero >run/fill 2>err
mkdir full
kill -CONT $!
wait $!
echo "exit status $?, left: $(ls run)"
S
mkdir run
for size in 1m 16m; do
	for how in 'block early' 'block late' 'drop early'; do
		rm -rf data half full
		unshare -m sh recording.sh $size $how || exit
		"$IOTRACE" cat --format-version=1 t.iot.zst >text
		lost=$(sed -n 's/^ff %lost .* records=\([0-9]*\) .*/\1/p' text | awk '{ n += $1 } END { print n + 0 }')
		written=$("$IOTRACE" stat -q --json t.iot.zst | jq .total.writes)
		echo "$size $how: written or lost: $((written + lost))"
		[ "$how" = 'drop early' ] || echo "lost: $lost"
	done
done
