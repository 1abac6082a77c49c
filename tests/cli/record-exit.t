# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: exit statuses, signals, and what remains afterwards.
sh "$TOOLS/built.sh" record_calls || exit 77
calls=${IOTRACE%/iotrace}/record_calls
XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run

status() {
	"$@" 2>err
	echo "exit status $?"
	sed 's|/.*/||' err
}

status "$IOTRACE" record -o a.iot true
status "$IOTRACE" record -o a.iot sh -c 'exit 42'
status "$IOTRACE" record -o a.iot "$calls" signal 6
status "$IOTRACE" record -q -o a.iot "$calls" signal 9
rm a.iot
status "$IOTRACE" record -o a.iot ./none
status "$IOTRACE" record -o a.iot "$PWD"
status "$IOTRACE" record -o none/a.iot true
status "$IOTRACE" record -o %x.iot true
status env -u SLURM_JOB_ID -u PBS_JOBID -u LSB_JOBID -u FLUX_JOB_ID -u PMIX_NAMESPACE "$IOTRACE" record -o %j.iot true
status "$IOTRACE" record
status "$IOTRACE" record --cpu=often true
status "$IOTRACE" record -p 1
status "$IOTRACE" record -o '|cat >/dev/null; exit 3' true
ls run

echo 'nothing was recorded, so files are as they were:'
echo older >older.iot
printf '#!/none\n' >no-interpreter
chmod +x no-interpreter
mkfifo pipe
status "$IOTRACE" record -o older.iot no-such-program
status "$IOTRACE" record -o older.iot ./err
status "$IOTRACE" record -o older.iot "$PWD"
status "$IOTRACE" record -o pipe no-such-program
(ulimit -f 1; "$IOTRACE" record -o older.iot true; echo "exit status $?") 2>&1 | cat
(ulimit -f 1; "$IOTRACE" record --convert=after -o new.iot true; echo "exit status $?") 2>&1 | cat
cat pipe >through &
status "$IOTRACE" record -o pipe ./no-interpreter
wait
status "$IOTRACE" record -o new.iot ./no-interpreter
for convert in while after; do
	status "$IOTRACE" record --convert=$convert -o older.iot ./no-interpreter
done
printf '#!%s/older.iot\n' "$PWD" >not-executable
chmod +x not-executable
status "$IOTRACE" record -o older.iot ./not-executable
[ -p pipe ] && echo 'the pipe is there'
cat older.iot
ls -- *.iot run
rm older.iot pipe no-interpreter not-executable through

echo 'signals:'
cat >waits.sh <<'END'
trap 'echo caught; exit 7' TERM
mkfifo never
: >ready
while :; do read line <never; done
END
"$IOTRACE" record -o a.iot sh waits.sh &
for i in $(seq 3000); do [ -e ready ] || sleep 0.1; done
kill -TERM $!
wait $!
echo "exit status $?"
"$IOTRACE" check a.iot | sed 's/:.*//'
ls run

echo 'a descendant that continues:'
rm -f never ready
"$IOTRACE" record -o a.iot sh -c 'sh waits.sh & echo $! >pid' 2>err &
for i in $(seq 3000); do [ -e ready ] || sleep 0.1; done
until kill -TERM $! && wait $!; do :; done
cat err
"$IOTRACE" cat a.iot | grep -o 'why=.*'
kill -KILL "$(cat pid)"
ls run

echo 'SIGPIPE and ignored signals are those of the caller:'
"$IOTRACE" record -o a.iot sh -c 'kill -PIPE $$'
echo "exit status $?"
(trap '' PIPE; "$IOTRACE" record -o a.iot sh -c 'kill -PIPE $$; echo ignored')

echo 'the default name is that of a new file:'
mkdir default
cd default
pid=$("$IOTRACE" record -q sh -c 'echo $$')
ls | sed "s/$pid/PID/"
echo kept >kept
# the names of the next processes are taken already, as links
cat >links.py <<'END'
import os, subprocess, sys
for attempt in range(50): # other programs may take all of these numbers
    with open("/proc/loadavg") as f:
        last = int(f.read().split()[-1])
    for pid in range(last, last + 2000):
        name = "true.%d.iot.zst" % pid
        if not os.path.lexists(name):
            os.symlink("kept", name)
    subprocess.run([sys.argv[1], "record", "-q", "true"])
    if any(name.endswith(".2.iot.zst") for name in os.listdir(".")):
        print("a second name")
        break
END
python3 links.py "$IOTRACE"
cat kept
