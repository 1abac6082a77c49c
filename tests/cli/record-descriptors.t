# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: more processes at a time than it may have descriptors; all of their calls are in the trace.
XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run
mkfifo go

cat >many.sh <<'END'
for i in $(seq "$1"); do
	(for k in 1 2 3 4 5; do echo $k; done >data.$i; : >ready.$i; read line <go) &
done
until [ "$(ls | grep -c ready)" = "$1" ]; do sleep 0.01; done
: >go
wait
exit 7
END

record() {
	limit=$1 processes=$2
	shift 2
	(ulimit -n "$limit"; exec "$IOTRACE" record -q "$@" -o many.iot sh many.sh "$processes")
	echo "$limit descriptors, $processes processes: exit status $?"
	"$IOTRACE" check -q many.iot >log && echo 'the trace is complete'
	"$IOTRACE" cat -q --format=csv many.iot | grep -c '/data\.'
	rm data.* ready.*
}

record 40 60
record 40 60 --transport=pipe
record 256 300
ls run
