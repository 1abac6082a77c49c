# SPDX-License-Identifier: BSD-2-Clause
# Plans: each part is read in the trace and from its bytes alone, the joined states are that of the whole, and any change is refused.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - <<'CODE'
with open("bare.iot", "w") as trace:
    trace.write("ff %trace epoch=1700000000000000000 lacks=cpu\n")
    for i in range(20000):
        trace.write(f"80 20 {i * 7 % 5000 << 9:x} {512 * (1 + i % 3):x} 5 3 {i % 4 + 1:x} 1 0\n")
CODE
for name in t.iot t.iot.gz t.iot.zst; do "$IOTRACE" cat -q --framed --sync=700 --no-fsync -o $name bare.iot; done

value() { sed -n "$1p" plan | tr ' ' '\n' | sed -n "s/^$2=//p"; }

for name in t.iot t.iot.gz t.iot.zst; do
	"$IOTRACE" parts -n 5 --min-size=1 $name >plan
	"$IOTRACE" analyze -q --no-fsync -s whole.state $name
	lines=$(wc -l <plan)
	for k in $(seq $lines); do
		from=$(value $k from) to=$(value $k to)
		tail -c +$((from + 1)) $name | head -c $((to - from)) >bytes
		"$IOTRACE" analyze -q --no-fsync --plan=plan --part=$k -s p$k.state || echo "part $k: status $?"
		"$IOTRACE" analyze -q --no-fsync --plan=plan --part=$k -s alone.state - <bytes || echo "part $k alone: status $?"
		cat bytes | "$IOTRACE" analyze -q --no-fsync --plan=plan --part=$k -s piped.state - || echo "part $k piped: status $?"
		cmp p$k.state alone.state
		cmp p$k.state piped.state
		"$IOTRACE" cat -q -f csv --plan=plan --part=$k - <bytes
	done | sort -u >rows
	"$IOTRACE" cat -q -f csv $name | sort -u | cmp - rows
	"$IOTRACE" analyze -q --no-fsync -s joined.state $(seq -f p%g.state $lines | tac)
	"$IOTRACE" analyze -q --no-fsync --plan=- -s lines.state <plan
	"$IOTRACE" analyze -q --no-fsync -s listed.state lines.state
	cmp joined.state whole.state && echo "$name: $lines parts, joined: the state of the whole"
	"$IOTRACE" analyze -q -t whole.state >whole.tsv
	"$IOTRACE" analyze -q -t lines.state | cmp - whole.tsv
	"$IOTRACE" stat -q --json --plan=plan --part=$lines | sed 's/.*"total":{\([^}]*\).*/\1/' | head -c 100 >of_path
	"$IOTRACE" stat -q --json --plan=plan --part=$lines - <bytes | sed 's/.*"total":{\([^}]*\).*/\1/' | head -c 100 | cmp - of_path
	rm -f p*.state
done
"$IOTRACE" parts -n 5 --min-size=1 t.iot.zst | cmp - plan && echo "the same plan again"
"$IOTRACE" check --plan=plan --part=2 t.iot.zst
"$IOTRACE" parts -n 5 --min-size=1 --max-size=3000 t.iot.zst | wc -l

echo "-- short traces share a line"
"$IOTRACE" parts -n 2 t.iot t.iot.gz t.iot.zst >short
sed 's/ids=.*//' short
"$IOTRACE" analyze -q --plan=short --part=1 -t --one-job | cut -f 1-5 | grep "totals.requests" | head -n 1
"$IOTRACE" analyze -q --no-fsync --plan=- -s short.state <short && "$IOTRACE" analyze -q --by=job -t short.state | wc -l

refused() { # COMMAND...: its message, with status 2 and no output
	rm -f out.state
	"$IOTRACE" "$@" 2>&1 >/dev/null
	echo "status $?$(ls out.state 2>/dev/null)"
}

echo "-- a change of any byte"
python3 - "$IOTRACE" <<'CODE'
import subprocess, sys
line = open("plan", "rb").read().splitlines(keepends=True)[1]
accepted = 0
for place in range(len(line)):
    for bit in (0, 3, 6):
        changed = bytearray(line)
        changed[place] ^= 1 << bit
        open("changed", "wb").write(changed)
        run = subprocess.run([sys.argv[1], "analyze", "-q", "--plan=changed", "--part=1", "-s", "out.state"], capture_output=True)
        accepted += run.returncode != 2 or not run.stderr
print("accepted:", accepted)
CODE
echo "-- what is refused"
sed 's/ to=/ to=9/' plan >changed; refused analyze --plan=changed --part=2 -s out.state
sed 's/ from=/ from=9999/' plan >changed; refused analyze --plan=changed --part=2 -s out.state
sed 's/ record=[0-9]*//' plan >changed; refused analyze --plan=changed --part=2 -s out.state
sed 's/ id=/ id=1/' plan >changed; refused analyze --plan=changed --part=2 -s out.state
sed 's/ tick=1/ tick=2/' plan >changed; refused analyze --plan=changed --part=2 -s out.state
sed '2s/%part/%parts/' plan >changed; refused analyze --plan=changed --part=2 -s out.state
head -c 30 plan >changed; refused analyze --plan=changed --part=1 -s out.state
refused analyze --plan=plan --part=99 -s out.state
refused analyze --plan=plan --part=1/2 -s out.state
refused analyze --part=1 -s out.state t.iot
refused analyze --plan=plan
refused analyze --plan=missing --part=1 -s out.state
refused analyze --plan=/dev/null --part=1 -s out.state
: >empty; refused analyze --plan=empty -s out.state
refused parts missing
refused parts t.iot empty
refused parts whole.state
cp "$TESTDATA/strace/cp.strace" log.strace && refused parts log.strace
cp t.iot.zst grown.iot.zst; "$IOTRACE" parts -n 3 --min-size=1 grown.iot.zst >grown; echo >>grown.iot.zst
refused analyze --plan=grown --part=2 -s out.state
sed 's/ %trace / %TRACE /' t.iot >other.iot; "$IOTRACE" parts -n 3 --min-size=1 t.iot >grown
refused analyze --plan=grown --part=2 -s out.state other.iot
for cut in 1 100; do
	head -c -$cut bytes | "$IOTRACE" analyze -q --plan=plan --part=$lines -s out.state - 2>/dev/null
	echo "$cut bytes less: status $?$(ls out.state 2>/dev/null)"
done
"$IOTRACE" analyze -q --plan=plan --part=2 -s out.state - <t.iot.zst 2>/dev/null
echo "the whole trace in place of part 2: status $?$(ls out.state 2>/dev/null)"
"$IOTRACE" analyze -q --plan=plan --part=1 -s out.state - <t.iot.zst 2>/dev/null
echo "the whole trace in place of part 1: status $?$(ls out.state 2>/dev/null)"

echo "-- the state replaces neither the plan nor a trace of it"
cp plan kept.plan; cp t.iot.zst kept.iot.zst
refused analyze --plan=plan -s plan
refused analyze --plan=plan --part=1 -s plan
refused analyze --plan=plan -s t.iot.zst
"$IOTRACE" analyze -q --plan=- -s t.iot.zst <plan 2>/dev/null; echo "status $?"
cmp plan kept.plan && cmp t.iot.zst kept.iot.zst && echo "both are as before"

echo "-- a plan of a million lines, in 64 MiB and 20 s of a processor"
line=$(sed -n 2p plan)
(
	ulimit -t 20
	case ${MODE-release} in
	release | debug) ulimit -v 65536 ;; # sanitizers want all of it
	esac
	yes "$line" | head -n 1000000 | "$IOTRACE" cat -q -f csv --plan=/dev/stdin --part=1000000 t.iot.zst | wc -l
)
"$IOTRACE" cat -q -f csv --plan=plan --part=2 t.iot.zst | wc -l
