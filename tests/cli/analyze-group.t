# SPDX-License-Identifier: BSD-2-Clause
# Jobs by user, program and directory: means and quartiles of the values of the jobs of a group.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
mkdir a b
for job in 1 2 3 4 5; do
	directory=a
	[ $job -lt 3 ] || directory=b
	{
		echo "ff %trace job=$job ranks=$job user=u%20$((job % 2)) command=/bin/app$((job / 3))%20-x%20/in"
		echo "ff %process id=1 host=h rank=0"
		echo "ff %file process=1 id=1 object=1 path=/a"
		echo "ff %op name=create process=1 file=1 time=0 took=$((job * 10)) result=0"
		for i in $(seq $((job * 2))); do printf '80 20 %x %x f42 a 1 1 0\n' $((i * 4096)) $((job * 1000)); done
	} >$directory/$job.iot
done
printf '80 20 0 64 f42 a 1 1 0\n80 20 1 64 f42 a 1 1 0\n' >"other one.iot"
for by in user command dir; do
	"$IOTRACE" analyze -q --group=$by a/1.iot b/*.iot "other one.iot" a/2.iot
done
"$IOTRACE" analyze -q --group=dir --top=1 a/*.iot b/*.iot
"$IOTRACE" analyze -q --group=user -t a/*.iot "other one.iot" | cut -f 1-9
"$IOTRACE" analyze -q --group=command a/1.iot
"$IOTRACE" analyze -q -s b/5.state --no-fsync b/5.iot
"$IOTRACE" analyze -q --group=dir -j a/*.iot b/*.iot "other one.iot" >groups
"$IOTRACE" analyze -q --group=dir -j a/*.iot b/[34].iot b/5.state "other one.iot" | cmp - groups && echo "state: the same"
"$IOTRACE" analyze -q --group=dir -t a/*.iot b/*.iot "other one.iot" >rows
for name in a/1 a/2 b/3 b/4 b/5 "other one"; do "$IOTRACE" analyze -q -j "$name.iot" >"$name.json"; done
python3 - <<'CODE'
import glob, json, math
SECTION = {"node_bytes_per_s": "time", "io_share": "time", "operation_share": "time", "files_per_process": "processes",
           "created_per_process": "processes", "ascending_share": "order", "aligned_share": "sizes", "bytes_per_process": "processes"}
rows = {row.pop("key"): row for row in json.load(open("groups"))["rows"]}
head, *lines = [line.rstrip("\n").split("\t") for line in open("rows")]
table = {line[0]: dict(zip(head, line)) for line in lines}
for group, row in rows.items():
    jobs = [json.load(open(name)) for name in glob.glob(group + "/*.json")]
    for name in [name for name in row if name != "jobs" and name not in SECTION]:
        del row[name]
    print(group, row.pop("jobs") == len(jobs) == int(table[group]["jobs"]), sorted(row) == sorted(SECTION))
    for name, of in row.items():
        known = sorted(v for v in (job[SECTION[name]].get(name) for job in jobs) if v is not None)
        expected = {"n": len(known)}
        if known:
            expected |= {q: known[max(0, math.ceil(len(known) * float(q)) - 1)] for q in ("0", "0.25", "0.5", "0.75", "1")}
            expected["mean"] = sum(known) / len(known)
        if any(abs((of[k] or 0) - v) > 1e-12 * abs(v) for k, v in expected.items()):
            print(group, name, of, expected)
        if any(abs(float(table[group][f"{name}.{k}"]) - v) > 1e-12 * abs(v) for k, v in expected.items()):
            print("tsv", group, name)
CODE
run() {
	"$IOTRACE" analyze -q "$@" >out 2>err
	echo "exit $?"
	cat err
}
run --group=user --by=file a/1.iot
run --group=user --section=map a/1.iot
run --group=user --state=x a/1.iot a/2.iot
run --group=user --html=x a/1.iot a/2.iot
run --group=rank a/1.iot
run --group=user
# A trace of which nothing can be read is no job: its values are unknown, not 0.
: >empty.iot
run --group=user empty.iot
run --group=user a/1.iot empty.iot
"$IOTRACE" analyze -q --tsv --by=job a/1.iot >expected
"$IOTRACE" analyze -q --tsv --by=job a/1.iot empty.iot 2>err | cmp - expected && cat err
run --against=empty.iot a/1.iot
cat out
