# SPDX-License-Identifier: BSD-2-Clause
# Numbers that can be checked by hand.
cat >t <<'TRACE'
ff %trace source=darshan layer=posix,mpiio ranks=4 lengths=requested job-start=10.5 job-end=20.25
ff %process id=1 rank=0
ff %process id=2 rank=1 name=app
ff %process id=3 thread-of=2
ff %file process=2 id=1 object=1 path=/a layer=mpiio
c0 20 0 1000 0 a 1 2 0
ff %file process=2 id=2 object=1 path=/a layer=posix
c0 20 0 1000 0 a 2 2 0
80 20 1000 1000 5 a 2 2 14
80 20 2000 100 5 a 2 2 14
ff %op name=create time=1 process=3 file=7 path=/b result=0
ff %file process=3 id=7 object=2 offset=unknown
80 20 2000 100 5 a 7 3 0
80 20 2000 100 5 a 7 3 0
ff %op name=close time=3 process=3 file=7 result=0
81 20 0 1 1 1 7 3 0
ff %lost records=3 why=test
TRACE
"$IOTRACE" analyze t 2>&1
"$IOTRACE" analyze -q --tsv t
"$IOTRACE" analyze -q --layer=mpiio --section=totals --tsv t | grep -E '	(N|P|left_out)	'
"$IOTRACE" analyze -q --per-thread --tsv t | grep '	P	'
# JSON has the same values, and every section can be computed alone.
"$IOTRACE" analyze -q --json t >whole
for section in totals sizes order time cycles metadata files processes reuse; do
	"$IOTRACE" analyze -q --json --section=$section t >part
	python3 - $section <<'CODE'
import json, sys
whole, part = json.load(open("whole")), json.load(open("part"))
print(sys.argv[1], all(whole[name] == part[name] for name in part), sorted(part))
CODE
done
# A damaged trace is analyzed up to the damage.
head -c 400 t | "$IOTRACE" analyze --section=totals 2>&1
echo "exit $?"
printf '' | "$IOTRACE" analyze
echo "exit $?"
printf 'nonsense\n' | "$IOTRACE" analyze --json
echo "exit $?"
