# SPDX-License-Identifier: BSD-2-Clause
# Traces of several jobs: sums over all, and the values of each job as a population or a row.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
for job in 1 2 3 4 5; do
	{
		printf 'ff %%trace job=%s ranks=%s\n' $((job % 4)) $((job % 4 + 1))
		printf 'ff %%file process=%s id=1 object=1 path=/a\n' $job
		for i in $(seq $((job * 2))); do printf '80 20 %x %x 10 a 1 %s 0\n' $((i * 4096)) $((job * 100)) $job; done
	} >$job.iot
done
sed 's/ job=[^ ]*//' 5.iot >"un named.iot"
"$IOTRACE" analyze -q [1-5].iot "un named.iot"
"$IOTRACE" analyze -q --by=job [1-5].iot "un named.iot"
"$IOTRACE" analyze -q --by=job --top=2 [1-5].iot | tail -n 1
"$IOTRACE" analyze -q --tsv --by=job "un named.iot" [1-5].iot | cut -f 1-6
# Each value is that of the job alone; quartiles are those of the rows.
"$IOTRACE" analyze -q --json --by=job [1-5].iot "un named.iot" >rows
"$IOTRACE" analyze -q --json "un named.iot" >alone
"$IOTRACE" analyze -q --json --one-job 1.iot 5.iot >both
"$IOTRACE" analyze -q --json 5.iot 3.iot "un named.iot" 1.iot 4.iot 2.iot >population
"$IOTRACE" analyze -q --no-fsync -s 5.state 5.iot
"$IOTRACE" analyze -q --json 5.state 3.iot "un named.iot" 1.iot 4.iot 2.iot | cmp - population && echo "state equal"
python3 - <<'CODE'
import json
rows = {row.pop("key"): row for row in json.load(open("rows"))["rows"]}
population = json.load(open("population"))
def value(values, name):
    section, name, key = (name + "..").split(".")[:3]
    if section in ("list", "node"): # not of the analysis
        return None
    found = values[section].get(name)
    return found.get(key) if key and isinstance(found, dict) else found
for name, key in (("alone", "un named.iot"), ("both", "1")):
    values = json.load(open(name))
    differ = [n for n, v in rows[key].items() if (v is None) != (value(values, n) is None) or v is not None and abs(v - value(values, n)) > 1e-9 * abs(v)]
    print(key, len(rows[key]), "values, differences:", differ)
for name, of in population["jobs"].items():
    known = sorted(row[name] for row in rows.values() if row[name] is not None)
    expected = {"n": len(known)} | {key: known[max(0, -(-len(known) * int(float(key) * 1000) // 1000) - 1)] for key in of if key[0].isdigit()}
    if not known:
        expected = {"n": 0} | {key: None for key in of if key[0].isdigit()}
    if {k: v for k, v in of.items() if k == "n" or k[0].isdigit()} != expected:
        print(name, of, expected)
requests = sum(row["totals.reads"] for row in rows.values())
for of in population["pooled_sizes"]:
    name = f"sizes.read_small_share.{of['request_limit']}"
    share = sum(row["totals.reads"] * row[name] for row in rows.values()) / requests
    if abs(of["read_small_share"] - share) > 1e-12 or of["read_jobs"] != len(rows) or of["write_small_share"] is not None:
        print("pooled", of, share)
print("totals", population["totals"]["requests"], sum(row["totals.requests"] for row in rows.values()))
CODE
run() {
	"$IOTRACE" analyze -q "$@" >out 2>err
	echo "exit $?"
	cat err
}
run --by=job --state=x.state 1.iot 2.iot
run --by=process 1.iot 2.iot
run --state=x.state 1.iot 2.iot
run --by=job
{ cat 1.iot; echo "80 20 x"; } >damaged
run damaged 2.iot
head -n 1 out
