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
log merge cp.strace
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
cat cp.strace | log cat -

# Files that nobody would convert
printf '\177ELF\002\001\001' >program
printf '\211PNG\r\n\032\n' >picture.png
printf '{"a": 1}\n' >data.json
printf '\001\000\377' >data
printf 'a,b\n1,2\n' >table.csv
gzip -k picture.png
"$IOTRACE" cat --format=csv "$TESTDATA/format/example.iot" >example.csv
head -c 100000 /dev/zero >zeros
for file in program picture.png picture.png.gz data.json data table.csv example.csv zeros; do
	log info $file
done
log stat program
log merge program
log slice program
log reorder program
log check program
# Nothing could be read, so there are no figures.
for command in info 'info --json' stat 'stat --json' 'stat --tsv'; do
	# shellcheck disable=SC2086
	"$IOTRACE" $command program 2>/dev/null
	# shellcheck disable=SC2086
	"$IOTRACE" $command text 2>/dev/null
done
# A trace that was cut short behind its head is one.
"$IOTRACE" cat "$TESTDATA/format/sync.iot" | head -n 1 >cut.iot
"$IOTRACE" info cut.iot 2>/dev/null | head -n 2
"$IOTRACE" stat cut.iot 2>/dev/null
