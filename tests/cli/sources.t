# SPDX-License-Identifier: BSD-2-Clause
# Commands x inputs: each command on an input writes what it writes on the trace that convert makes of it, with the
# same exit status. "pipe" is cat on standard input. check has a line of its own for a log.
make=${IOTRACE%/iotrace}/packet_make
sh "$TOOLS/built.sh" packet_make || exit 77
printf 'kX7#vQ2pLz9!mR4tWb8&' >key
chmod 600 key

# ran FILE COMMAND...: the output of a command, its exit status at the end
ran() {
	to=$1
	shift
	"$IOTRACE" "$@" >"$to" 2>/dev/null
	echo "exit $?" >>"$to"
}

# compared NAME COMMAND... : a cell, of the input and of the trace
compared() {
	column=$1
	shift
	ran of_input "$@" "$input"
	ran of_trace "$@" trace
	case $column in
	info) sed -i -e 1d -e '/^  format /d'  -e '/^  sync /d' -e '/^  size /d' of_input of_trace ;;
	pipe) # a directory has none
		if [ -f "$input" ]; then
			cat "$input" | ran of_input "$@" -
			[ -n "$is_trace" ] || "$IOTRACE" convert -q - <"$input" | ran of_trace "$@" -
		fi ;;
	esac
	if cmp -s of_input of_trace; then
		printf ' %s' "$column"
	else
		printf ' %s:DIFFERENT' "$column"
	fi
}

# row NAME INPUT: a line of the table
row() {
	printf '%-12s' "$1"
	input=$2
	is_trace=${3-}
	if [ -n "$is_trace" ]; then
		cp plain.iot trace
	else
		"$IOTRACE" convert -q -o trace "$input" || printf ' not converted:'
	fi
	compared cat cat
	compared csv cat -f csv --all-events
	compared text cat -f text
	compared info info
	compared stat stat --json
	compared slice slice --records=3-9
	compared rebase slice --rebase --op=read
	compared merge merge
	compared reorder reorder
	compared anonymize anonymize -k key
	compared pipe cat
	printf ' | '
	"$IOTRACE" check "$input" 2>/dev/null | sed 's|^.*: a log|a log|; s|^[^ ]*: valid|valid|; s|;.*||'
}

D=$TESTDATA
cp "$D/strace/cp.strace" cp.strace
gzip -k cp.strace
xz -k cp.strace
tar -cf logs.tar cp.strace
mkdir logs
cp cp.strace logs/
"$make" --records=2000 --processes=4 --files=2 --flush=100 >packets.bin
"$IOTRACE" convert -q -o plain.iot cp.strace
gzip -k plain.iot
zstd -q plain.iot
xz -k plain.iot
tar -cf plain.tar plain.iot
mkdir recorder
tar -xJf "$D/recorder/traces.tar.xz" -C recorder mixed8_both

row strace cp.strace
row strace.gz cp.strace.gz
row strace.xz cp.strace.xz
row tar logs.tar
row directory logs
row darshan "$D/darshan/mpi4_dxt.darshan"
row recorder recorder/mixed8_both
row packets packets.bin
row csv "$D/csv/msr.csv"
row blktrace "$D/blktrace/v7.blktrace.0"
row blkparse "$D/blktrace/v7.blkparse.txt"
row fio "$D/fio/v3.iolog"
row dftracer "$D/dftracer/cp-1.1.pfw"
row libcachesim "$D/libcachesim/small.oracleGeneral.bin"
row vscsi "$D/libcachesim/small.vscsi"
row perf "$D/perf/script.txt"
row trace plain.iot trace
row trace.gz plain.iot.gz trace
row trace.zst plain.iot.zst trace
row trace.xz plain.iot.xz trace
row trace.tar plain.tar trace

exec 2>&1
echo "several inputs:"
"$IOTRACE" convert -q -o a.iot cp.strace
"$IOTRACE" convert -q -o b.iot "$D/strace/sqlite.strace.gz"
"$IOTRACE" convert -q -o c.iot "$D/darshan/mpi4_dxt.darshan"
"$IOTRACE" merge -q -o traces.iot a.iot b.iot c.iot
"$IOTRACE" merge -o logs.iot cp.strace b.iot "$D/darshan/mpi4_dxt.darshan"
cmp traces.iot logs.iot && echo "merge: same"
"$IOTRACE" anonymize -q -k key -O shared cp.strace b.iot && ls shared
"$IOTRACE" info cp.strace a.iot | grep '^[^ ]'

echo "options:"
"$IOTRACE" cat --in-format=strace --in-option=all cp.strace | tail -n 1
"$IOTRACE" stat --in-option=nonsense cp.strace
"$IOTRACE" stat --in-format=nonsense cp.strace
"$IOTRACE" stat --in-format=darshan cp.strace
"$IOTRACE" check --repair cp.strace
"$IOTRACE" slice --from=50% -q cp.strace | "$IOTRACE" info - | grep records

echo "damage:"
head -c 5000 "$D/darshan/mpi4_dxt.darshan" >cut.darshan
for command in info cat stat check; do
	"$IOTRACE" $command cut.darshan 2>&1 >out | sed "s/^/$command: /"
done
"$IOTRACE" check --json cut.darshan 2>/dev/null
for how in xz bzip2 lz4; do
	"$how" -q -c plain.iot >whole
	head -c 400 whole >cut.iot.$how
	"$IOTRACE" cat cut.iot.$how 2>&1 >out | sed "s|byte [1-9][0-9]* of|byte N of|" # versions of liblzma differ
	printf '\377\377\377\377\377\377\377\377' | dd of=whole bs=1 seek=300 conv=notrunc status=none
	"$IOTRACE" cat whole 2>&1 >out
done
echo "files:"
"$IOTRACE" cat -o logs/out.iot logs
cd logs && "$IOTRACE" reorder -o cp.strace . 
ls
