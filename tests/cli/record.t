# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: the trace of known calls, and the program is as it is without.
sh "$TOOLS/built.sh" record_calls || exit 77
calls=${IOTRACE%/iotrace}/record_calls

rows() { "$IOTRACE" cat -q --format=csv "$1" | cut -d, -f3,5,6,9,10 | sed "s|$PWD/||"; }

echo 'known calls:'
"$IOTRACE" record -o known.iot "$calls" known
rows known.iot
"$IOTRACE" check known.iot | sed 's/valid.*;/valid;/'
"$IOTRACE" cat --format-version=1 known.iot | sed -n 's/^ff %op name=\([a-z]*\) .* file=\([0-9]*\) path=.*\(result=.*\)/\1 \2 \3/p' | sort | uniq -c

echo 'threads and a child, in order of start:'
"$IOTRACE" record -o threads.iot.gz "$calls" threads
"$IOTRACE" cat -q --format=csv threads.iot.gz | sed 1d | cut -d, -f3,6,10 | sed 's|,/.*/|,|' | sort | uniq -c
"$IOTRACE" cat -q --format=csv threads.iot.gz | sed 1d | cut -d, -f1 | sort -nc && echo sorted

echo 'each thread as a process:'
"$IOTRACE" record --per-thread -o per.iot "$calls" threads
"$IOTRACE" cat --format-version=1 per.iot | grep -c '%process .* thread-of='
"$IOTRACE" cat -q --format=csv per.iot | sed 1d | cut -d, -f3,6,10 | sed 's|,/.*/|,|' | sort | uniq -c
"$IOTRACE" check per.iot | sed 's/, comments.*//'

echo 'a directory that is renamed:'
"$IOTRACE" record -o directories.iot "$calls" directories
"$IOTRACE" cat --format-version=1 directories.iot | sed -n 's|.* name=access .*path=.*/\([a-z]*\) .*|\1|p'

echo 'clone, messages, another namespace:'
"$IOTRACE" record -o rare.iot "$calls" rare
rows rare.iot
"$IOTRACE" cat --format-version=1 rare.iot | grep -o 'skipped.socket.*' | sed 's/ hidden.loader=[0-9]*//' | sort

echo 'variables, and the counters of the kernel:'
A_NAME='a value' "$IOTRACE" record -o env.iot --env=A_NAME --env=NOT_SET true
"$IOTRACE" cat --format-version=1 env.iot | grep -o 'env[.].*'
"$IOTRACE" record -o env.iot --env=A=b true 2>err || cat err
LC_ALL=C "$IOTRACE" record -q --check -o check.iot sh -c '"$0" known && cat data >copied && exec "$0" threads' "$calls" 2>err
sed 's/read: .*/read/' err
sed -n 's/.*read: the kernel counted \([0-9]*\), the trace has \([0-9]*\)/\1 \2/p' err | { read -r a b && [ "$a" = "$b" ] || echo "$a $b"; }

echo 'output, input and arguments of the program:'
echo input | "$IOTRACE" record -o a.iot -- sh -c 'cat; echo "$0 $*"; echo error >&2' -o x 'y  z' 2>err
cat err

echo 'paths:'
"$IOTRACE" record -o part.iot --path='*/copy' "$calls" known
rows part.iot
"$IOTRACE" cat --format-version=1 part.iot | grep -o 'skipped.path.*' | sort
"$IOTRACE" record -o part.iot --skip-path='*/data' --ops=data "$calls" known
rows part.iot

echo 'names:'
OMPI_COMM_WORLD_RANK=3 SLURM_JOB_ID=17 "$IOTRACE" record -o "job.%j.%r.%%.iot" "$calls" known
ls job.*
"$IOTRACE" cat --format-version=1 job.17.3.%.iot | grep -o 'rank=.*' | sed "s/host=$(uname -n)\$/host=HOST/" | sort -u | head -n 1
"$IOTRACE" cat --format-version=1 job.17.3.%.iot | grep -o ' job=[^ ]*'
OMPI_COMM_WORLD_RANK=4 SLURM_JOB_ID=17 "$IOTRACE" record -o other.iot "$calls" known
"$IOTRACE" analyze --tsv other.iot job.17.3.%.iot | grep -P '^totals\trequests\t'
env -u SLURM_JOB_ID -u PBS_JOBID LSB_JOBID=18 LSB_JOBINDEX=5 "$IOTRACE" record -o "array.%j.iot" "$calls" known
env -u SLURM_JOB_ID -u PBS_JOBID LSB_JOBID=18 LSB_JOBINDEX=0 "$IOTRACE" record -o "array.%j.iot" "$calls" known
ls array.*
for name in '' "$(printf '%5000s' a)" a%q; do
	"$IOTRACE" record -o "$name" true 2>&1
	echo "exit status $?"
done
"$IOTRACE" record "$calls" known
ls record_calls.*.iot.zst | sed 's/[0-9][0-9]*/PID/'
"$IOTRACE" record -o '|cat >piped.iot' "$calls" known && rows piped.iot | tail -n 1
"$IOTRACE" record -o - "$calls" known | tail -n 1 | cut -d ' ' -f 1-3

echo 'an operation that waits does not hold back the I/O of others:'
mkfifo release
flock lock sh -c ': >locked; read line <release' &
until [ -e locked ]; do sleep 0.1; done
"$IOTRACE" record -q -o live.iot sh -c 'flock lock true & exec dd if=/dev/zero of=copied bs=100 count=3 status=none' &
writes() { "$IOTRACE" cat -q --format=csv live.iot 2>/dev/null | grep -c ',write,.*copied$'; }
for i in $(seq 600); do [ "$(writes)" = 3 ] && break; sleep 0.1; done
writes
echo >release
wait $!
"$IOTRACE" cat --format-version=1 live.iot | grep -o '%op name=lock .*' | sed 's/time=.* path=.*\//path=/'
"$IOTRACE" check live.iot | sed 's/, comments.*//'
