# SPDX-License-Identifier: BSD-2-Clause
# Counters of Darshan: their section, the values that come from them in a trace without records, and those of records next to them.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
cd "$TESTDATA/darshan" || exit
out=$OLDPWD
"$IOTRACE" analyze -q --section=counters,sizes,time,metadata,files --tsv mpi4_nodxt.darshan >"$out/counted"
grep -E '^counters	.*	(POSIX|MPI-IO|STDIO)( all|	)' "$out/counted"
grep 'from: counters' "$out/counted" | grep -v '^large' | cut -f 1-5
"$IOTRACE" analyze -q mpi4_nodxt.darshan | head -n 12
"$IOTRACE" analyze -q mpi4_nodxt.darshan | grep "^in I/O" # unknown, not 0
# Records and counters agree wherever both exist.
for log in *_dxt*.darshan; do
	"$IOTRACE" analyze -q --json "$log" | python3 -c '
import json, sys
v = json.load(sys.stdin)
of = {name: keys.get("POSIX") for name, keys in v["counters"].items()}
pairs = [(f"{name}", v["totals"][name], of[name]) for name in ("reads", "writes", "read_bytes", "written_bytes")]
for name in ("read_size_classes", "write_size_classes"):
    pairs += [(f"size {label}", n, v["counters"][name]["POSIX " + label]) for label, n in v["sizes"][name].items()]
print(sys.argv[1], *[f"{name}: records {a}, counters {b}" for name, a, b in pairs if a != b] or ["equal"])' "$log"
done
# Parts and states
cd "$out" || exit
"$IOTRACE" cat -q --no-fsync --framed --sync=50 -o t.iot "$TESTDATA/darshan/mpi4_dxt.darshan"
"$IOTRACE" analyze -q --tsv t.iot | grep counters >whole
for part in 1 2 3; do "$IOTRACE" analyze -q --no-fsync --part=$part/3 -s $part.state t.iot; done
"$IOTRACE" analyze -q --tsv 3.state 1.state 2.state | grep counters | cmp - whole && echo "parts equal"
"$IOTRACE" analyze -q --threads=2 --tsv t.iot | grep counters | cmp - whole && echo "threads equal"
# The ranks of a job, one log each; times of any form
log() {
	printf 'ff %%trace job=5 ranks=2\nff %%file process=1 id=1 object=3 path=/a\n'
	printf 'ff %%counter source=POSIX process=%s rank=%s object=3 POSIX_READS=%s POSIX_BYTES_READ=100 POSIX_MAX_BYTE_READ=99 ' "$1" "$1" "$1"
	printf 'POSIX_MMAPS=-1 POSIX_F_READ_TIME=%s POSIX_F_META_TIME=-1.5\n' "$2"
}
log 1 1.25e-06 >1.iot
log 2 0.000000250000000000000001 >2.iot
"$IOTRACE" analyze -q --section=counters --tsv 1.iot 2.iot | grep -E '	(reads|requests|read_bytes|files|extent_bytes|read_time_ns|mmaps|slowest_rank|slowest_ns|slowest_bytes_per_s)	'
