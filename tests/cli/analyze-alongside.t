# SPDX-License-Identifier: BSD-2-Clause
# Traces of one job, analyzed together, have the values of the merged trace, except those that need one order of all requests.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 "$TOOLS/analyze_alongside.py" "$IOTRACE" 1-4
# The ranks of a log, one trace each
"$IOTRACE" cat -q --no-fsync -o whole.iot "$TESTDATA/darshan/mpi4_dxt.darshan"
for rank in 1 2 3 4; do
	"$IOTRACE" slice -q --no-fsync --process=$rank -o $rank.iot whole.iot
	"$IOTRACE" analyze -q --no-fsync -s $rank.state.zst $rank.iot
done
"$IOTRACE" analyze -q --tsv whole.iot >whole
"$IOTRACE" analyze -q --tsv 4.iot 2.iot 3.iot 1.iot >alongside
"$IOTRACE" analyze -q --tsv 2.iot 1.state.zst 4.iot 3.state.zst | cmp - alongside && echo equal
# Each slice has the counters of all ranks.
grep -v counters alongside >records
grep -v counters whole | diff - records | grep '^>'
for by in process host file op; do
	"$IOTRACE" analyze -q --tsv --by=$by whole.iot | cut -f 1-27 >whole
	"$IOTRACE" analyze -q --tsv --by=$by [1-4].iot | cut -f 1-27 | cmp - whole && echo "by $by"
done
"$IOTRACE" analyze -q --tsv --by=file [1-4].iot | head -n 2 | cut -f 28-
"$IOTRACE" analyze [1-4].iot | head -n 2
"$IOTRACE" analyze -q --section=sizes --tsv [1-4].iot | cut -f 1 | sort -u
# Parts of one of several traces; a state of all of them
"$IOTRACE" cat -q --no-fsync --framed --sync=10 -o framed.iot 1.iot
for part in 1 2 3 4 5 6 7 8; do "$IOTRACE" analyze -q --no-fsync --part=$part/8 -s part$part.state framed.iot; done
"$IOTRACE" analyze -q --tsv part[3-8].state 3.iot part1.state 4.iot part2.state 2.iot 2>&1 | cmp - alongside && echo equal
"$IOTRACE" analyze -q --no-fsync -s two.state 1.iot 2.iot
"$IOTRACE" analyze -q --no-fsync -s three.state 3.iot two.state
"$IOTRACE" analyze -q --tsv 4.iot three.state | cmp - alongside && echo equal
"$IOTRACE" check three.state | sed "s/, comments.*//"
# Processes of one host and rank are one, and so are files of one path on any host.
job() {
	printf 'ff %%trace job=a%%20b epoch=%s%s\nff %%process id=1 rank=%s host=%s\nff %%file process=1 id=1 object=%s path=/shared\n' "$1" "$5" "$2" "$3" "$4"
	printf '80 20 0 %s 0 a 1 1 0\n80 20 %s 10 5 a 1 1 0\n' 10 100
}
job 1000000000 0 n1 1 >first
job 1000000000 1 n2 7 >second
job 1000005000 1 n2 9 >third
run() {
	"$IOTRACE" analyze "$@" >out 2>err
	echo "exit $?"
	cat err
}
run --tsv first second third
grep -E '	(processes|requests|files|shared_files|io_time_ns|think_time_ns|inter_arrival_process_ns|inter_arrival_file_ns|extent_bytes|run_time_s|compute_nodes)	' out
run --tsv --by=file second first
cat out
run --tsv --by=process first second third
cut -f 1-7 out
# Which inputs are of one job
job 1000000000 0 n1 1 | sed 's/ job=[^ ]*//' >unnamed
run first unnamed
run --one-job first unnamed
run first 1.iot
sed 's/ epoch=[0-9]*//' second >zero
run first zero
sed 's/ epoch=[0-9]*//' first >zeros
run --one-job --section=totals zero zeros
cat out
run first -
run part1.state part4.state second --one-job | sed 's/[0-9][0-9][0-9][0-9]*/N/g'
run part2.state 2.iot | head -n 1
run --part=1/2 first second
{ head -n 3 second; echo "80 20 x"; } >damaged
run -q --section=totals --tsv first damaged
grep '^totals	requests	' out
