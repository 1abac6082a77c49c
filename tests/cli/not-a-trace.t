# SPDX-License-Identifier: BSD-2-Clause
# Logs of other tools given where traces are expected: it is told what makes a trace of them.
log() {
	"$IOTRACE" "$@" 2>&1 >/dev/null
	echo "exit status $?"
}

cp "$TESTDATA/strace/cp.strace" cp.strace
odd=$(printf '\033.strace')
cp cp.strace "$odd"
log cat cp.strace
log stat "$odd"
log merge cp.strace cp.strace
cp "$TESTDATA/darshan/dd_dxt_rt340.darshan" dd.darshan
log info dd.darshan
gzip -c cp.strace >cp.strace.gz
log slice cp.strace.gz

log check cp.strace.gz
log check --repair cp.strace.gz

# Neither broken traces nor what nobody knows
printf 'ff %%iotrace tick=0 version=1\n' >broken.iot
log cat broken.iot
echo this is no log >text
log cat text

# What would have to be unpacked, or looked through, is not looked at
mkdir folder
log info folder
xz -k cp.strace
log cat cp.strace.xz
tar cf cp.tar cp.strace
log cat cp.tar
gzip cp.tar
log cat cp.tar.gz
log cat - <cp.strace
