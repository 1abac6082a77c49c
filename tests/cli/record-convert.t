# SPDX-License-Identifier: BSD-2-Clause
# iotrace record --convert=after: the same trace as with while, also if the spool is full; --resume makes it
# after SIGKILL of the collector.
XDG_RUNTIME_DIR=$PWD/run
export XDG_RUNTIME_DIR
mkdir run

cat >writes.sh <<'END'
exec 3>held
for i in 1 2 3 4 5 6 7 8; do
	echo "$i" >&3
	(echo "child $i" >&3; cat held >copy.$i)
done
i=0
while [ $i -lt 3000 ]; do echo "$i"; i=$((i + 1)); done >many
END

rows() { "$IOTRACE" cat -q --format=csv "$1" | sed 1d | cut -d, -f3,5,6,10 | sort; }
"$IOTRACE" record --cpu=none --path="$PWD/*" -o while.iot sh writes.sh
for option in '' --spool=64K --per-thread --seen=auto; do
	"$IOTRACE" record --cpu=none --path="$PWD/*" --convert=after $option -o after.iot sh writes.sh
	"$IOTRACE" check -q after.iot >log || echo "check: exit status $?"
	rows while.iot >expected
	rows after.iot | diff expected - >differences && echo "equal${option:+ with $option}"
done
ls run

echo 'children that do not join, many at once:'
python3 "$TOOLS/static_program.py" static '' 0
cat >spawns.py <<'END'
import os
children = [os.posix_spawn("static", ["static"], os.environ) for i in range(100)]
for child in children:
    os.waitpid(child, 0)
END
"$IOTRACE" record -q --convert=after -o spawns.iot python3 spawns.py
echo "exit status $?"
"$IOTRACE" cat -q --format-version=1 spawns.iot | grep -c '%process .*static.*traced=no'
ls run

echo 'a program that leaves the file of a packet:'
cat >leaves.py <<'END'
import os, struct, time
name = os.environ["IOTRACE_RECORDING"] + "/%s." + str(os.getpid())
open("file", "w").close()
time.sleep(0.1)
with open(name % "new", "wb") as f:
    f.write(struct.pack("<HBBIQIHH", 24, 6, 0, 0, time.clock_gettime_ns(time.CLOCK_MONOTONIC), os.getpid(), 0, 0))
os.rename(name % "new", name % "event" + ".1")
if os.fork() == 0:
    os._exit(0)
os.wait()
END
"$IOTRACE" record -q --clock=monotonic --convert=after -o leaves.iot python3 leaves.py
echo "exit status $?"
ls run

echo 'a collector that is killed:'
cat >waits.sh <<'END'
echo before >data
: >ready
read line <go
echo after >>data
: >finished
END
mkfifo go
sh -c 'echo $$ >pid; exec "$0" record --convert=after -o killed.iot sh waits.sh' "$IOTRACE" 2>err &
for i in $(seq 3000); do [ -e ready ] || sleep 0.1; done
kill -KILL "$(cat pid)"
wait $! 2>err
"$IOTRACE" record -o other.iot true
(cd run && ls -- */spool | sed 's/-[^/]*/-X/')
echo >go
for i in $(seq 3000); do [ -e finished ] || sleep 0.1; done
"$IOTRACE" record --resume run/iotrace-*
echo "exit status $?"
"$IOTRACE" check -q killed.iot >log || echo "check: exit status $?"
"$IOTRACE" cat -q --format=csv killed.iot | grep -c /data
ls run

echo 'a trace that cannot be written:'
"$IOTRACE" record --convert=after -o '|cat >lost; exit 1' sh writes.sh 2>err
echo "exit status $?"
sed 's/iotrace-[A-Za-z0-9]*/iotrace-X/g; s|/[^ ]*/run/|run/|g' err
"$IOTRACE" record --resume run/iotrace-* -o again.iot
rows again.iot | grep -c /held
ls run

echo 'mistakes:'
for words in '--resume=run' '--resume=none' '--resume=run true' '--convert=after --rotate=1s true' '--convert=after --transport=pipe true'; do
	"$IOTRACE" record $words 2>&1
	echo "exit status $?"
done
