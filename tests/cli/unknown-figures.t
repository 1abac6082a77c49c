# SPDX-License-Identifier: BSD-2-Clause
# An unknown number is "-", empty or null; a partial sum is marked.
figures() {
	echo "== $1"
	"$IOTRACE" stat "$2" 2>&1
	"$IOTRACE" stat -q --tsv "$2" | cut -f 4-11,14-
	"$IOTRACE" stat -q --json "$2" | tail -n 1 | sed 's/.*"total"/"total"/'
	"$IOTRACE" info "$2" |
		grep -E '^  (reads|writes|offsets|durations|starts|processes|files|span|gaps)'
	"$IOTRACE" info --json "$2" | tr ',{' '\n\n' |
		grep -E '^"(unknown_[a-z]*|lost_records|processes|[a-z_]*_ns|reads|gaps)":' | paste -s -d' '
}
cat >known <<'END'
ff %file process=7 id=1 object=1 path=/a
c0 20 0 1000 5 a 1 7 0
c0 20 1000 1000 5 a 1 7 0
ff %file process=7 id=2 object=2 path=/b
80 20 0 64 5 a 2 7 0
80 20 64 64 5 a 2 7 0
END
sed 's/id=2/& completion=unknown/; s/ 5 a 2 / 5 0 2 /' known >part
figures 'some durations' part
{ echo 'ff %trace lacks=completion' && sed 's/ 5 a / 5 0 /' known; } >no-durations
figures 'no durations' no-durations
{ echo 'ff %trace lacks=completion,start' && sed 's/ 5 a / 0 0 /' known; } >no-times
figures 'no times' no-times
# Offsets from one unknown base have known distances; those of two bases do not.
sed 's/id=2/& offset=unknown/; $i ff %file process=7 id=2 object=2 path=/b' known >bases
figures 'some offsets' bases
{ echo 'ff %trace lacks=offset' && cat known; } >no-offsets
figures 'no offsets' no-offsets
cat >counters <<'END'
ff %trace source=test
ff %process id=1 rank=0
ff %counter source=POSIX process=1 object=1 path=/a POSIX_READS=13
ff %lost why=damage
END
figures 'counters alone' counters
sed 's/why=damage/& records=4/' counters >stated
figures 'counters, a stated loss' stated
# Counters that are not about a file say nothing of its I/Os.
printf 'ff %%trace source=test\nff %%counter source=test hidden.mmap=3\n' >hidden
figures 'a counter of the source' hidden
# A log of strace -T without -t has durations only; I/Os without a start do not overlap.
printf 'openat(AT_FDCWD, "a", O_RDONLY) = 3 <0.000003>\nread(3, "x", 5) = 5 <0.000007>\nread(3, "x", 5) = 5 <0.000005>\n' >log
"$IOTRACE" convert -q -o T.iot log
figures 'durations alone' T.iot
"$IOTRACE" check --all T.iot
# Merged with a trace that knows them, neither loses anything.
"$IOTRACE" merge -q -o merged.iot T.iot known
figures 'merged' merged.iot

echo '== starts alone, analyzed'
printf 'start_ns,op,offset,length,path\n5,read,0,4096,/a\n3000000000,write,4096,4096,/a\n' >starts.csv
"$IOTRACE" convert -q --from=csv -o starts.iot starts.csv
"$IOTRACE" analyze --section=time starts.iot | grep -E '^(in I/O|outstanding)'
"$IOTRACE" analyze --tsv starts.iot |
	grep -E '^time	(read_time_ns|write_time_ns|io_.*|call_.*|concurrency.*|idle_gap_ns|operation_share|slowest_bytes_per_s)	'
# Operations without durations take an unknown time; without operations, none.
metadata() {
	"$IOTRACE" analyze -q --tsv --section=time "$1" | grep -E '(operation_time_ns|operation_share|slowest_bytes_per_s)	'
}
metadata known
sed '1i ff %op name=open process=7 file=1 path=/a result=0' known >untimed
metadata untimed
sed '1i ff %op name=open time=1 took=2 process=7 file=1 path=/a result=0' untimed >timed
metadata timed
