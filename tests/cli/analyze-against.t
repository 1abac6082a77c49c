# SPDX-License-Identifier: BSD-2-Clause
# A run compared with another one: the values that differ noticeably, with both figures and their ratio.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
run_of() { # run_of SIZE SKEW: two processes, of which one transfers SKEW times the bytes
	echo "ff %trace job=$1 ranks=2 command=app"
	echo "ff %file process=1 id=1 object=1 path=/a"
	echo "ff %op name=open process=1 file=1 time=0 took=5"
	for i in 0 1 2 3 4 5 6 7; do
		printf '80 20 %x %x f4240 a 1 1 0\n' $((i * $1)) $1
		printf 'c0 20 %x %x 10 a 1 2 0\n' $((i * 4096)) $((4096 * $2))
	done
}
run_of 8192 1 >monday.iot
run_of 4096 1 >tuesday.iot
run_of 8192 8 >friday.iot
printf 'ff %%op name=unlink process=1 time=0\n' >>friday.iot
"$IOTRACE" analyze -q --against=monday.iot tuesday.iot
echo "exit $?"
for i in 1 2 3 4 5 6 7 8; do echo '80 20 0 10000 f4240 7a120 1 1 0'; done >again.iot
for i in 1 2 3 4 5 6 7 8; do printf '80 20 %x 10000 f4240 7a120 1 1 0\n' $((i * 65536)); done >once.iot
"$IOTRACE" analyze -q --against=once.iot again.iot | sed -n '/^findings/,$p'
"$IOTRACE" analyze -q --against=again.iot once.iot | sed -n '/^findings/,$p'
"$IOTRACE" analyze -q --against=monday.iot monday.iot
"$IOTRACE" analyze -q --section=sizes --against=monday.iot --tsv tuesday.iot
echo "=== states"
"$IOTRACE" analyze -q --no-fsync -s monday.state monday.iot
"$IOTRACE" analyze -q --no-fsync -s sizes.state --section=sizes monday.iot
"$IOTRACE" analyze -q --no-fsync -s tuesday.state tuesday.iot
"$IOTRACE" analyze -q -j --against=monday.iot tuesday.iot | grep -v against >json
for runs in "monday.state tuesday.iot" "monday.iot tuesday.state" "monday.state tuesday.state"; do
	"$IOTRACE" analyze -q -j --against=$runs | grep -v against | cmp - json && echo "$runs: the same"
done
"$IOTRACE" analyze -q -t --against=sizes.state tuesday.iot | cut -f 1 | sort -u
echo "=== all values"
for name in monday tuesday friday; do "$IOTRACE" analyze -q -j $name.iot >$name.json; done
"$IOTRACE" analyze -q -j --against=friday.iot tuesday.iot >second
python3 - <<'CODE'
import json, re
DETAIL = re.compile(r".*_(bins|bin_bytes|bits|log2)|((read|write)_common|top_|rate_cdf|profile|concurrency_ns).*|slowest_rank")
def values(name):
    found = {}
    for section, names in json.load(open(name + ".json")).items():
        if section == "findings":
            found |= {(section, "value", f["code"]): f["evidence"]["value"] for f in names}
            continue
        for value_name, value in names.items():
            for key, each in (value.items() if isinstance(value, dict) else [("", value)]):
                if section not in ("map", "large") and not DETAIL.fullmatch(value_name) and key != "process":
                    found[section, value_name, key] = each
    return found
def differ(a, b):
    if a is None or b is None or isinstance(a, str):
        return a != b
    if isinstance(a, float) | isinstance(b, float) and max(abs(a), abs(b)) <= 1 and min(a, b) >= 0 and abs(a - b) < 0.01:
        return None  # noticeable only if it is no share
    return a != b and (a < 0) != (b < 0) or a != b and max(abs(a), abs(b)) >= 1.1 * min(abs(a), abs(b))
for before, now, printed in (("monday", "tuesday", "json"), ("friday", "tuesday", "second")):
    text = open(printed).read()
    printed = {(d["section"], d["name"], d["key"]): d for d in json.loads(text if "against" in text else text)["value_differences"]}
    a, b = values(before), values(now)
    wrong = []
    for name in {**b, **a}:
        expected = differ(a.get(name), b.get(name))
        if expected is not None and expected != (name in printed):
            wrong.append((name, a.get(name), b.get(name)))
        if name in printed:
            row = printed.pop(name)
            ratio = None if not isinstance(row["before"], (int, float)) or row["now"] is None or row["before"] == 0 else row["now"] / row["before"]
            if (row["before"], row["now"], row["ratio"]) != (a.get(name), b.get(name), ratio):
                wrong.append(row)
    print(before, now, "wrong:", wrong, "unexpected:", list(printed))
CODE
echo "=== errors"
run() {
	"$IOTRACE" analyze -q "$@" >out 2>err
	echo "exit $?"
	cat err
}
run --against=missing.iot monday.iot
run --against=monday.iot --by=file tuesday.iot
run --against=monday.iot --state=x tuesday.iot
run --against=monday.iot tuesday.iot friday.iot
{ cat monday.iot; echo "80 20 x"; } >damaged
run --against=damaged tuesday.iot
head -n 5 out
run --against=monday.iot damaged
head -n 20 monday.state >cut.state
run --against=cut.state tuesday.iot
wc -c <out
