# SPDX-License-Identifier: BSD-2-Clause
# Plots of several jobs: their data, computed from the requests in Python; marks, names, notes, and the report.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
cat >make.py <<'CODE'
import json, random
rng = random.Random(20)
USERS = ["ann", "ann", "bob", "<script>&\"", None]
jobs = {}
for job in range(30):
    user, processes, hosts = USERS[job % 5], job % 4 + 1, job % 6 != 0
    times_known = job % 11 != 10
    requests = []
    for second in range(20):
        for p in range(processes):
            if rng.random() < 0.4 and (second, p) not in ((0, 0), (19, 0)):
                continue
            write = 0 if job % 9 == 8 else rng.randrange(2)
            length = rng.choice([50, 512, 4096, 65536, 2 << 20, 16 << 20])
            file = "shared" if job % 3 == 0 else f"own{p}"
            requests.append((second * 1000000 + 250000 + p * 10000, rng.randrange(100, 5000), write, length, file, p))
    lines = [f"ff %trace job={job} ranks={processes} epoch=1700000000000000000" +
             (f" user={user.replace('%', '%25').replace(' ', '%20')}" if user else "")]
    for p in range(processes):
        lines.append(f"ff %process id={p + 1} rank={p}" + (f" host=h{p % 2}" if hosts else ""))
    files = sorted({r[4] for r in requests})
    for p in range(processes):
        for i, name in enumerate(files):
            lines.append(f"ff %file process={p + 1} id={i + 1} object={i + 1} path=/{name}" + ("" if times_known else " start=unknown"))
    before = 0
    for start, took, write, length, file, p in requests:
        lines.append(f"{'c0' if write else '80'} 20 0 {length:x} {start - before:x} {took:x} {files.index(file) + 1} {p + 1} 0")
        before = start
    open(f"{job:02}.iot", "w").write("\n".join(lines) + "\n")
    jobs[str(job)] = {"user": user, "P": processes, "hosts": min(2, processes) if hosts else None, "times": times_known,
                      "requests": requests}
json.dump(jobs, open("jobs.json", "w"))
CODE
cat >check.py <<'CODE'
import json, math, re, sys
jobs = json.load(open("jobs.json"))
directory = sys.argv[1]
def table(name):
    head, *rows = [line.rstrip("\n").split("\t") for line in open(f"{directory}/{name}.tsv")]
    return [dict(zip(head, row)) for row in rows]
def activity(job, write):
    moved = {}
    for start, _, w, length, _, p in job["requests"]:
        if w == write:
            moved[p, start // 1000000] = moved.get((p, start // 1000000), 0) + length
    active = {key for key, bytes in moved.items() if bytes > 1 << 20}
    bins = [any((p, b) in active for p in range(job["P"])) for b in range(20)]
    runs = [(v, len(r)) for r in re.findall("1+|0+", "".join("01"[b] for b in bins)) for v in [r[0]]]
    mean = {v: sum(n for k, n in runs if k == v) / max(1, sum(k == v for k, n in runs)) for v in "01"}
    burstiness = 0 if all(bins) else 1 if not any(bins) else 1 - math.tanh(mean["1"] / mean["0"])
    parallel = None if job["P"] == 1 else (len(active) - sum(bins)) / sum(bins) / (job["P"] - 1) if any(bins) else 0
    return sum(bins) / 20, burstiness, parallel
def rate(job):
    time = [sum(r[1] for r in job["requests"] if r[5] == p) for p in range(job["P"])]
    return sum(r[3] for r in job["requests"]) / (max(time) / 1e6) / job["hosts"] if job["hosts"] else None
def equal(found, value):
    return found == "" if value is None else found != "" and abs(float(found) - value) <= 1e-9 * abs(value)
def compare(name, columns, values):
    rows, wrong, unknown = table(name), 0, 0
    for row in rows:
        expected = values(jobs[row["job"]])
        wrong += not all(equal(row[c], v) for c, v in zip(columns, expected)) or row.get("user", "") != (jobs[row["job"]]["user"] or "")
        unknown += None in expected
    print(f"{name}: {len(rows)} jobs, {unknown} with unknown values, {wrong} wrong")
compare("files", ("processes", "files"), lambda j: (j["P"], len({r[4] for r in j["requests"]})))
compare("scatter", ("written_bytes", "read_bytes"), lambda j: tuple(sum(r[3] for r in j["requests"] if r[2] == w) for w in (1, 0)))
for i, name in enumerate(("intensity", "burstiness", "parallel")):
    column = "parallel_intensity_normalised" if name == "parallel" else name
    compare("scatter_" + name, ("write_" + column, "read_" + column),
            lambda j: tuple(activity(j, w)[i] if j["times"] else None for w in (1, 0)))
groups = {}
for job in jobs.values():
    groups.setdefault(job["user"] or "", []).append(job)
for row in table("box"):
    known = sorted(v for v in (rate(j) if j["times"] else None for j in groups[row["user"]]) if v is not None)
    quantiles = [known[max(0, math.ceil(q / 4 * len(known)) - 1)] for q in range(5)]
    fine = all(equal(row[f"node_bytes_per_s.{q}"], v) for q, v in zip(("0", "0.25", "0.5", "0.75", "1"), quantiles))
    print("box", row["user"], row["jobs"], row["node_bytes_per_s.n"], int(row["node_bytes_per_s.n"]) == len(known) and fine)
LIMITS = [("0-100", 100), ("100-1K", 1024), ("1K-10K", 10240), ("10K-100K", 102400), ("100K-1M", 1 << 20), ("1M-4M", 4 << 20),
          ("4M-10M", 10 << 20), ("10M-100M", 100 << 20), ("100M-1G", 1 << 30), ("1G+", math.inf)]
wrong = 0
for row in table("classes10"):
    at = [name for name, _ in LIMITS].index(row["class"])
    low, high = LIMITS[at - 1][1] if at else -1, LIMITS[at][1]
    counts = [sum(r[2] == w and low < r[3] <= high for j in groups[row["user"]] for r in j["requests"]) for w in (0, 1)]
    wrong += counts != [int(row["reads"]), int(row["writes"])]
print("classes10:", len(table("classes10")), "rows,", wrong, "wrong")
for name in ("scatter", "scatter_intensity", "scatter_parallel"):
    text = open(f"{directory}/{name}.svg").read()
    print(name, "jobs in hexagons:", sum(int(n) for n in re.findall(r'class="x".*<title>(\d+) job', text)), "marks up to 2,000:", text.count("<title>") <= 2000)
text = open(f"{directory}/files.svg").read()
dots = re.findall(r"<circle.*<title>(\d+ jobs|\d+) ?", text)
print("files, jobs in dots:", sum(int(d.split()[0]) if "jobs" in d else 1 for d in re.findall(r"<circle[^>]*><title>(\d+ jobs|\d+)", text)))
CODE
python3 make.py
"$IOTRACE" analyze -q --group=user --plots=plots --html=report.html --no-fsync ??.iot
echo "exit $?"
ls plots
python3 check.py plots
sed -n 's/^<text x="72.0" y="36.0" text-anchor="start">\(.*\)<.text>/\1/p' plots/*.svg
command -v xmllint >/dev/null && xmllint --noout plots/*.svg
grep -c '<script' plots/*.svg report.html
echo '=== the same bytes'
"$IOTRACE" analyze -q --group=user --plots=again --html=again.html --no-fsync $(ls ??.iot | sort -r) && diff -r plots again && cmp report.html again.html && echo 'in another order'
"$IOTRACE" analyze -q -s jobs.state --no-fsync ??.iot && "$IOTRACE" analyze -q --group=user --plots=states --html=states.html --no-fsync jobs.state &&
	diff -r plots states && cmp report.html states.html && echo 'of states'
echo '=== the report'
sed -n 's/^<h[12][^>]*>\(.*\)<.h.>/\1/p' report.html
grep -o "default-src 'none'; style-src 'unsafe-inline'" report.html
grep -c '<svg' report.html
if command -v tidy >/dev/null; then
	tidy -e -q -utf8 report.html
	echo "tidy: exit $?"
else
	echo 'tidy: exit 0'
fi
sed -n '/id="groups"/,/<.table>/p' report.html | sed 's/<[^>]*>/ /g; s/  */ /g'
echo '=== one group, one job, traces of one job'
"$IOTRACE" analyze -q --plots=one_group --no-fsync 0?.iot && cat one_group/box.tsv && head -n 2 one_group/classes10.tsv
"$IOTRACE" analyze -q --group=dir --plots=one_job --no-fsync 03.iot && ls one_job && cat one_job/files.tsv
"$IOTRACE" analyze -q --one-job --plots=joined --no-fsync 03.iot 07.iot && ls joined | grep -c svg
"$IOTRACE" analyze -q --group=user --top=2 --html=- 0?.iot | sed -n 's/.*class="soft">\(.*more.*\)<.p>/\1/p'
echo '=== not all are complete'
{ cat 03.iot; echo "80 20 x"; } >damaged
"$IOTRACE" analyze -q --html=damaged.html --no-fsync damaged 04.iot
echo "exit $?"
grep '<dt>complete' damaged.html
"$IOTRACE" analyze -q --plots=plots --by=job 03.iot 04.iot
echo "exit $?"
