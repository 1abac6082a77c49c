# SPDX-License-Identifier: BSD-2-Clause
# A trace of more files than the analysis keeps: totals of requests and processes are exact; values of files are those of a
# sample, and say so; a state, and threads, have the same values.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - <<'CODE'
import random
rng = random.Random(1)
with open("a.iot", "w") as trace:
    trace.write("".join(f"ff %process id={p} rank={p} host=n{p & 1}\n" for p in range(1, 5)))
    for i in range(187500):
        process, size = i % 4 + 1, 4096 << rng.randrange(4)
        if i < 150000:
            trace.write(f"ff %file process={process} id={i + 1} object={i // 2 + 1} path=/d/{i // 2}\n")
        trace.write(f"{'80' if i & 8 else 'c0'} 20 0 {size:x} 1 0 {i % 150000 + 1:x} {process} 0\n")
CODE
"$IOTRACE" analyze -q -j a.iot >a.json
"$IOTRACE" analyze -q -j --threads=2 a.iot | cmp - a.json && echo "two threads: the same"
"$IOTRACE" analyze -q --no-fsync -s a.state a.iot
"$IOTRACE" analyze -q -j a.state | cmp - a.json && echo "the state: the same"
# States of parts have samples of their own; joined, they have that of the whole.
"$IOTRACE" cat -q --framed --sync=12500 --no-fsync -o framed.iot a.iot
for k in 1 2 3; do "$IOTRACE" analyze -q --no-fsync --part=$k/3 -s $k.state framed.iot; done
"$IOTRACE" analyze -q --no-fsync -s 12.state 2.state 1.state
"$IOTRACE" analyze -q -t framed.iot >whole
for of in "3.state 1.state 2.state" "12.state 3.state"; do
	"$IOTRACE" analyze -q -t $of | cmp - whole && echo "$of: the values of the whole"
done
"$IOTRACE" analyze -q -t a.state | grep -c "repetition.*sample"
"$IOTRACE" analyze -q --section=files,processes a.state | grep -E "^files +[0-9]|^shared by" | sed 's/[0-9][0-9]* of [0-9]* files/N of N files/'
python3 - <<'CODE'
import json
one = json.load(open("a.json"))
print("requests:", one["totals"]["requests"] == 187500)
level = one["limits"]["files"]
shared = one["files"]["shared_files"]
print("files:", one["totals"]["files"] == 75000, "shared:", abs(shared * level / 75000 - 1) < 0.02)
CODE
