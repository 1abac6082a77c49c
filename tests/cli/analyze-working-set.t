# SPDX-License-Identifier: BSD-2-Clause
# The working set: estimates of the distinct blocks in windows of time, compared with exact sets; the same of parts and states.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - <<'CODE'
import json, random
rng = random.Random(1)
blocks, lines = [], ["ff %trace epoch=1700000000000000000"]
# 200 s: a loop over 2000 blocks, random blocks of 20000, and a read of 64 MiB; 640 s in all, so bins have 8 s
time = 0
for i in range(12000):
    file, length = rng.choice([1, 2, 3]), 4096
    block = i % 2000 if file == 1 else rng.randrange(20000) if file == 2 else i // 100
    offset = block << 16
    if i == 6000:
        file, length = 3, 64 << 20
    step = rng.randrange(106000)
    time += step
    lines.append(f"80 20 {offset:x} {length:x} {step:x} a {file:x} 1 0")
    blocks.append((time, {(file, b) for b in range(block, (offset + length - 1 >> 16) + 1)}))
open("trace", "w").write("\n".join(lines) + "\n")
start = min(time for time, _ in blocks)
json.dump([[time, sorted(of)] for time, of in blocks], open("blocks.json", "w"))
CODE
"$IOTRACE" cat -q --framed --sync=1000 trace >framed.iot
"$IOTRACE" analyze -q -j --working-set framed.iot >values
python3 - <<'CODE'
import json
values = json.load(open("values"))["reuse"]
blocks = json.load(open("blocks.json"))
width = values["working_set_bin_width_s"]
first = None
bins = {}
for time, of in blocks:
    at = int((1700000000 + time / 1e6) / width)
    first = at if first is None else first
    bins.setdefault(at - first, set()).update(map(tuple, of))
n = max(bins) + 1
exact = [len(bins.get(i, ())) for i in range(n)]
def error(found, of):
    return abs(found / 65536 - of) / of
print("bins", values["working_set_bins"] == n, width, 64 <= n < 128)
print("bins within 8 %:", all(error(values["working_set"][str(i)], exact[i]) < 0.08 for i in range(n)))
print("all within 8 %:", error(values["working_set_all"], len(set().union(*bins.values()))) < 0.08)
for w in (1, 2, 4, 8, 16, 32, 64):
    sets = [len(set().union(*(bins.get(i + k, set()) for k in range(w)))) for i in range(n - w + 1)]
    mean = error(values["working_set_mean"][str(w)], sum(sets) / len(sets))
    print("windows of", w, mean < 0.04, error(values["working_set_max"][str(w)], max(sets)) < 0.08)
print("largest window", sorted(map(int, values["working_set_mean"]))[-1] * 2 > n)
CODE
echo "=== plot"
"$IOTRACE" analyze -q --working-set --plots=plots --no-fsync framed.iot
python3 - <<'CODE'
import json
values = json.load(open("values"))["reuse"]
start = min(time for time, _ in json.load(open("blocks.json"))) / 1e6
width, n = values["working_set_bin_width_s"], values["working_set_bins"]
rows = [line.rstrip("\n").split("\t") for line in open("plots/working_set.tsv")][1:]
begin = int((1700000000 + start) / width) * width - 1700000000 - start
bins = [(begin + i * width, values["working_set"][str(i)], "") for i in range(n)]
windows = [(int(w) * width, mean, values["working_set_max"][w]) for w, mean in values["working_set_mean"].items()]
for kind, expected in (("bin", bins), ("window", windows)):
    found = [row[1:] for row in rows if row[0] == kind]
    fine = len(found) == len(expected) and all(abs(float(f[0]) - e[0]) < 1e-6 and float(f[1]) == e[1] and f[2] == str(e[2]) for f, e in zip(found, expected))
    print(kind, len(found), fine)
print("all", float(rows[-1][2]) == values["working_set_all"])
CODE
echo "=== parts, states, threads"
"$IOTRACE" analyze -q -j --working-set --threads=3 framed.iot | jq -S .reuse >threads
jq -S .reuse values | cmp - threads && echo "threads: the same"
for k in 1 2 3; do "$IOTRACE" analyze -q --working-set --part=$k/3 -s $k.state --no-fsync framed.iot; done
"$IOTRACE" analyze -q --no-fsync -s joined 3.state 1.state 2.state
"$IOTRACE" analyze -q --no-fsync --working-set -s whole framed.iot
cmp joined whole && echo "states: the same"
"$IOTRACE" analyze -q -j joined | jq -S .reuse | cmp - threads && echo "of a state: the same"
"$IOTRACE" analyze -q --working-set 1.state | grep -c '^working set'
echo "=== unknown, and limits"
"$IOTRACE" analyze -q -j framed.iot | jq -c '.reuse | keys | map(select(startswith("working")))'
"$IOTRACE" analyze -q -t --one-job --working-set framed.iot framed.iot 2>&1 | grep working_set
printf '80 20 0 1000000000 1 a 1 1 0\n80 20 0 0 1 a 2 1 0\n' >large.iot
"$IOTRACE" analyze -q -t --working-set large.iot | grep 'working_set_[ab]'
printf 'ff %%trace ranks=1\n' | "$IOTRACE" analyze -q -t --working-set | grep working_set
"$IOTRACE" analyze -q --working-set --section=reuse framed.iot
