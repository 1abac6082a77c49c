# SPDX-License-Identifier: BSD-2-Clause
# Jobs that fulfil conditions, and the share of the jobs that each condition keeps.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
for job in 1 2 3 4 5 6 7 8; do
	{
		echo "ff %trace job=$job ranks=$job"
		echo "ff %file process=1 id=1 object=1 path=/a"
		for i in $(seq $job); do printf '80 20 %x %x 5f5e100 a 1 1 0\n' $((i * 4096)) $((1 << (job + 8))); done
		[ $((job % 2)) -eq 0 ] || printf 'c0 20 0 400 10 a 1 1 0\n'
	} >$job.iot
done
for condition in "T >= 300" "T >= 5min" "S_w > 0 and P<6" "S_r + S_w >= 64KiB and N != 8" "S_r+1KiB > S" "size_mean = 1Ki" "read_size_mean >= 1KiB" \
	"totals.created >= 0" "intensity.0 >= 0" "intensity <= 50%" "1 < 2" "B_avg >= 1KiB/s and  T>1s"; do
	echo "--- $condition"
	"$IOTRACE" analyze -q --by=job --where="$condition" [1-8].iot 2>&1
done
"$IOTRACE" analyze -q --json --by=job [1-8].iot >all
"$IOTRACE" analyze -q --json --where="T >= 300 and S_r > 16KiB" [1-8].iot >kept
python3 - <<'CODE'
import json
document = json.load(open("kept"))
for row in document["selection"]:
    print(row)
T = {int(row["key"]): row["trace.run_time_s"] for row in json.load(open("all"))["rows"]}
S = {j: j << (j + 8) for j in T}
W = {j: S[j] + 1024 * (j % 2) for j in T}
kept = [j for j in T if T[j] >= 300 and S[j] > 16384]
last = document["selection"][-1]
print(document["totals"]["jobs"] == len(kept), document["totals"]["bytes"] == sum(W[j] for j in kept),
      abs(last["job_time_share"] - sum(T[j] for j in kept) / sum(T.values())) < 1e-12,
      abs(last["job_bytes_share"] - sum(W[j] for j in kept) / sum(W.values())) < 1e-12)
CODE
for condition in "" "T" "T >" "T >= 1 or S > 2" "Q > 1" "T > 1x" "T > 1 and" "1+1+S+S+S+S+S+S+S+S+S > 1"; do
	"$IOTRACE" analyze --where="$condition" 1.iot 2>&1 | head -n 1
done
"$IOTRACE" analyze --where="T > 1" --section=map --state=x 1.iot 2>&1 | head -n 1
echo "=== picks"
picks="--pick=S_r:max --pick=T:min --pick=S:median"
"$IOTRACE" analyze -q $picks "--pick=N:max where P < 4" "--pick=T:max where T < 0" --pick=created:max [1-8].iot
"$IOTRACE" analyze -q --json $picks --where="S_w > 0" [1-8].iot
"$IOTRACE" analyze -q --tsv $picks [1-8].iot
"$IOTRACE" analyze -q $picks --section=map [1-8].iot | head -n 6
for pick in S_r S_r:most Q:max "S:max if T > 1" "S:max where" S:maximum; do
	"$IOTRACE" analyze --pick="$pick" 1.iot 2>&1 | head -n 1
done
"$IOTRACE" analyze $picks --by=job 1.iot 2>&1 | head -n 1
# No job is kept.
"$IOTRACE" analyze -q --where="T > 1e9" --plots=plots --no-fsync [1-8].iot
echo "exit $?"
"$IOTRACE" analyze -q --where="T > 1e9" --group=user [1-8].iot
