# SPDX-License-Identifier: BSD-2-Clause
# Sizes of truncated files: as the program logs them, in the traces of record and of strace, and in a cache.
sh "$TOOLS/built.sh" libiotrace-record.so record_truth || exit 77
command -v strace >/dev/null && strace -o log true 2>err || { echo 'strace cannot be used here'; exit 77; }
truth=${IOTRACE%/iotrace}/record_truth
mkdir here
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" # the sanitizer of leaks does not work under strace

echo 'what a program logs of its truncates, record and strace:'
TMPDIR=$PWD python3 "$TOOLS/record_truth.py" --both "$IOTRACE" "$truth" truncates positions

echo 'errors have the size that was asked for, unless it is negative:'
sizes() {
	"$IOTRACE" cat -q --format=csv --all-events --columns=op,kind,path,result,size "$1" |
		sed -n "s|^truncate,op,.*/here/||p"
}
strace -f -ttt -T -y -o log "$IOTRACE" record -q -o recorded.iot "$truth" truncates "$PWD/here" >logged
"$IOTRACE" convert -q -o straced.iot log
for trace in recorded straced; do sizes $trace.iot | sed -n "/,E/s/^/$trace: /p"; done

echo 'blocks of a file of 100, of which 10 remain; all are read, extended to 100 and read again:'
cat >steps <<'END_OF_STEPS'
dd if=/dev/zero of=here/f bs=4096 count=100 status=none
truncate -s 40960 here/f
dd if=here/f of=/dev/null bs=4096 status=none
truncate -s 409600 here/f
dd if=here/f of=/dev/null bs=4096 status=none
END_OF_STEPS
"$IOTRACE" record -q -o f.iot --path="$PWD/here/f" sh steps
sizes f.iot
simulated() {
	"$IOTRACE" simulate -q --json -c 1M "$@" | jq -c '[.trace.truncated, .trace.truncated_to_unknown_size,
		(.simulations[0] | .hits.reads, .misses, .dropped_blocks, .cancelled_writes)]'
}
simulated f.iot
echo 'without sizes:'
"$IOTRACE" cat -q --format-version=1 f.iot | sed 's/ size=[0-9]*//; /^ff %\(iotrace\|sync\|end\)/d' >unsized
simulated unsized

echo 'reorder, slice, merge and anonymize keep sizes; a grain rounds them up:'
"$IOTRACE" reorder -q -o r.iot f.iot && sizes r.iot
"$IOTRACE" slice -q -o s.iot --op=write f.iot && sizes s.iot
"$IOTRACE" merge -q -o m.iot f.iot && sizes m.iot
"$IOTRACE" anonymize -q --key=key --new-key --keep="$PWD" f.iot | "$IOTRACE" cat --format-version=1 | grep -o ' size=.*'
"$IOTRACE" anonymize -q --key=key --size-grain=100000 f.iot | "$IOTRACE" cat --format-version=1 | grep -o ' size=.*'
"$IOTRACE" check f.iot s.iot m.iot | sed 's/;.*//'
