# SPDX-License-Identifier: BSD-2-Clause
# Logs of other tools given as traces: the message names the command that converts them.
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

# Broken traces and unknown files.
printf 'ff %%iotrace tick=0 version=1\n' >broken.iot
log cat broken.iot
echo this is no log >text
log cat text

# Files that would have to be unpacked or searched are not examined.
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

# Files that convert does not read either.
printf '\177ELF\002\001\001' >program
printf '\211PNG\r\n\032\n' >picture.png
printf '{"a": 1}\n' >data.json
printf '\001\000\377' >data
printf 'a,b\n1,2\n' >table.csv
gzip -k picture.png
"$IOTRACE" cat --format=csv --columns=raw "$TESTDATA/format/example.iot" >example.csv
head -c 100000 /dev/zero >zeros
for file in program picture.png picture.png.gz data.json data table.csv example.csv zeros; do
	log info $file
done
log stat program
log merge program
log slice program
log reorder program
log check program
# Nothing could be read, so no numbers are printed.
for command in info 'info --json' stat 'stat --json' 'stat --tsv'; do
	# shellcheck disable=SC2086
	"$IOTRACE" $command program 2>/dev/null
	# shellcheck disable=SC2086
	"$IOTRACE" $command text 2>/dev/null
done
# A trace that is truncated after its head is a trace.
"$IOTRACE" cat "$TESTDATA/format/sync.iot" | head -n 1 >cut.iot
"$IOTRACE" info cut.iot 2>/dev/null | head -n 2
"$IOTRACE" stat cut.iot 2>/dev/null
