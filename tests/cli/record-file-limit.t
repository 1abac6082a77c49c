# SPDX-License-Identifier: BSD-2-Clause
# iotrace record under a limit of the size of files: the program has the limit, record raises it, or says why it cannot.
XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run

record() {
	"$IOTRACE" record -q "$@" -o small.iot sh -c 'ulimit -f | cat; i=0; while [ $i -lt 8000 ]; do echo $i; i=$((i + 1)); done >data'
	echo "exit status $?"
	"$IOTRACE" check -q small.iot >log && "$IOTRACE" stat -q --json small.iot | jq -c '[.total.writes, .total.written_bytes]'
}

echo 'a limit that can be raised:'
(ulimit -S -f 200; record)
(ulimit -S -f 200; record --transport=pipe)
echo 'one that cannot:'
(ulimit -f 200; exec setpriv --bounding-set -sys_resource "$IOTRACE" record -q -o no.iot true 2>&1)
echo "exit status $?"
ls run
