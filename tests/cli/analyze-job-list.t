# SPDX-License-Identifier: BSD-2-Clause
# Lists of jobs of Slurm, PBS and as csv: the jobs that have a log, and the values of the list.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
[ -e /usr/share/zoneinfo/Europe/Berlin ] || { echo "no time zones are installed"; exit 77; }
for job in 11 12 13 20 99; do
	{
		echo "ff %trace job=$job ranks=$((job % 4 + 1)) user=$job"
		echo "ff %process id=1 host=h rank=0"
		echo "ff %file process=1 id=1 object=1 path=/a"
		for i in $(seq $((job * 2))); do printf '80 20 %x %x f42 a 1 1 0\n' $((i * 4096)) $((job * 1000)); done
	} >$job.iot
done
cat >sacct.txt <<'CODE'
JobID|JobIDRaw|Cluster|User|Account|JobName|State|Start|End|NNodes|AllocCPUS|NTasks|NodeList
11|11|c|ann|bio|a b|COMPLETED|2026-11-01T10:00:00|2026-11-01T11:00:00|2|8||n[001-002]
11.batch|11.batch|c||bio|batch|COMPLETED|2026-11-01T10:00:00|2026-11-01T11:00:00|1|4|1|n001
11.0|11.0|c||bio|app|COMPLETED|2026-11-01T10:00:00|2026-11-01T11:00:00|2|8|8|n[001-002]
10_1|12|c|bob|phys|array|COMPLETED|1793534400|1793538000|1|4||n003
10_2|13|c|bob|phys|array|RUNNING|2026-11-01T12:00:00|Unknown|1|4||n004
14|14|c|cy|math|never|CANCELLED|Unknown|2026-11-01T12:00:00|1|4||None assigned
15|15|c|cy|math|reversed|FAILED|2026-11-01T12:00:00|2026-11-01T11:00:00|1|4||n1
16|16|c|cy|math|with|bar|FAILED|2026-11-01T12:00:00|2026-11-01T11:00:00|1|4||n1
17|17|c|cy|math|number|FAILED|2026-11-01T12:00:00|2026-11-01T13:00:00|one|4||n1
18|18|c|cy|math|time|FAILED|2026-11-41T12:00:00|2026-11-01T13:00:00|1|4||n1
20|20|c|dee|bio|requeued|NODE_FAIL|2026-11-02T12:00:00|2026-11-02T13:00:00|1|4||n1
20|20|c|dee|bio|requeued|COMPLETED|2026-11-02T14:00:00|2026-11-02T16:00:00|1|4||n2
20|20|c|dee|bio|requeued|COMPLETED|2026-11-02T14:00:00|2026-11-02T16:00:00|1|4||n2
21|21|c|dee|geo|no log|COMPLETED|2026-11-02T14:00:00|2026-11-02T16:00:00|4|16||n[1-4]
CODE
"$IOTRACE" analyze --jobs=sacct.txt --by=job [0-9]*.iot 2>&1
echo "=== rows"
"$IOTRACE" analyze -q --jobs=sacct.txt --by=job --json [0-9]*.iot >rows
python3 - <<'CODE'
import json
document = json.load(open("rows"))
print(document["coverage"])
for row in document["rows"]:
    print([row.get(k) for k in ("key", "user", "account", "job_state", "list.nodes", "list.cpus", "list.run_time_s", "list.core_hours", "node.bytes", "totals.bytes")])
CODE
echo "=== groups"
"$IOTRACE" analyze -q --jobs=sacct.txt --group=account [0-9]*.iot
"$IOTRACE" analyze -q --jobs=sacct.txt --group=size,account [0-9]*.iot | tail -n 6
"$IOTRACE" analyze -q --jobs=sacct.txt --group=account,size --tsv [0-9]*.iot | cut -f 1,2,59-
"$IOTRACE" analyze -q --jobs=sacct.txt --tsv [0-9]*.iot | grep ^coverage
echo "=== zones"
"$IOTRACE" analyze --jobs=sacct.txt --tz=Nowhere/Land 11.iot 2>&1
for zone in UTC Europe/Berlin; do
	"$IOTRACE" analyze --jobs=sacct.txt --tz=$zone --by=job 11.iot 2>&1 | grep -c "read as UTC"
done
# The night in which clocks are set back has an hour more; times with a zone do not depend on --tz.
cat >night.csv <<'CODE'
job,start,end
11,2026-10-25T00:30:00,2026-10-25T04:30:00
12,2026-10-25T00:30:00.5+02:00,2026-10-25T04:30:00Z
13,1792887000,1792887000.25
20,10/25/2026 00:30:00,10/25/2026 00:30
CODE
for zone in UTC Europe/Berlin; do
	"$IOTRACE" analyze -q --jobs=night.csv --tz=$zone --by=job --json [0-9]*.iot >rows
	python3 -c "
import json
print('$zone', {row['key']: row['list.run_time_s'] for row in json.load(open('rows'))['rows']})"
done
"$IOTRACE" analyze --jobs=sacct.txt --jobs-strict 11.iot 2>&1
echo "=== PBS"
cat >pbs.txt <<'CODE'
11/01/2026 09:59:00;Q;11.server;queue=workq
11/01/2026 10:00:00;S;11.server;user=ann start=1793527200
11/01/2026 11:00:00;E;11.server;user=ann group=users account="bio phys" project=_pbs_project_default jobname=a exec_host=n1/0*4+n2/0*4 start=1793527200 end=1793530800 Exit_status=0
11/01/2026 11:00:00;E;12.server;user=bob project=geo jobname=b exec_host=n1/0+n1/1+n3/0-3,6 start=1793527200 end=1793530800 Exit_status=271
11/01/2026 12:00:00;R;13[2].server;user=bob jobname=b exec_host=n1/0 start=1793527200
11/01/2026 12:00:00;L;license;floating
hardly a line
11/01/2026 11:00:00;E;14.server;user=bob start=tomorrow end=1793530800
11/01/2026 11:00:00;E;15.server;user=bob end=1793530800
CODE
"$IOTRACE" analyze --jobs=pbs.txt --by=job --json [0-9]*.iot >rows
python3 - <<'CODE'
import json
document = json.load(open("rows"))
print(document["coverage"])
for row in document["rows"]:
    print([row.get(k) for k in ("key", "user", "account", "job_state", "list.nodes", "list.cpus", "list.run_time_s", "list.core_hours")])
CODE
echo "=== csv"
printf '11,1793527200,1793530800,4,"a, b"\n12,2026-11-01T10:00:00Z,2026-11-01T12:30:00+01:00,2,c\n' >list.csv
"$IOTRACE" analyze --jobs=list.csv --jobs-columns=job,start,end,cpus,account --by=job --json 11.iot 12.iot |
	grep '"key"\|"account"\|"list\.'
{ echo job,start,end,cpus,account; cat list.csv; } | gzip >list.csv.gz
"$IOTRACE" analyze --jobs=list.csv.gz --group=account 11.iot 12.iot | tail -n 3
echo "=== not a list"
for list in 11.iot missing /dev/null; do "$IOTRACE" analyze --jobs=$list 12.iot; echo "exit $?"; done 2>&1
printf 'job,start\n1,2\n' >no-end.csv
"$IOTRACE" analyze --jobs=no-end.csv 12.iot 2>&1
head -c 70000 /dev/zero | tr '\0' x >long
{ echo "job,start,end"; cat long; echo; echo 12,1,2; cat long; } >long.csv
"$IOTRACE" analyze --jobs=long.csv --by=job --tsv 12.iot 2>&1 | cut -f 1
"$IOTRACE" analyze --jobs=sacct.txt --by=file 12.iot 2>&1 | head -n 1
