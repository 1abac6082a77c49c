# SPDX-License-Identifier: BSD-2-Clause
# Four processes on two nodes write parts of one file, and one of them reads a file of its own.
cat >t <<'TRACE'
ff %trace source=test ranks=4
ff %process id=1 rank=0 host=a
ff %process id=2 rank=1 host=a
ff %process id=3 rank=2 host=b%20c
ff %process id=4 rank=3 host=b%20c
ff %file process=1 id=1 object=1 path=/out%20put
ff %file process=2 id=1 object=1 path=/out%20put
ff %file process=3 id=1 object=1 path=/out%20put
ff %file process=4 id=1 object=1 path=/out%20put
ff %op name=open time=0 took=5 process=1 file=1 result=0
ff %op name=open time=0 took=5 process=2 file=1 result=ENOENT
c0 20 0 1000 a a 1 1 0
c0 20 1000 1000 0 a 1 2 0
c0 20 2000 1000 0 a 1 3 0
c0 20 3000 1000 0 28 1 4 0
80 20 0 100 64 a 2 1 0
ff %op name=close time=200 took=1 process=1 file=1 result=0
TRACE
for by in process rank host file dir op; do
	"$IOTRACE" analyze --by=$by t
done
"$IOTRACE" analyze --by=file --top=1 t
"$IOTRACE" analyze --by=file --tsv t
"$IOTRACE" analyze --by=host --json t
"$IOTRACE" analyze --section=files,processes --tsv t | grep -E '^(files|processes)'
"$IOTRACE" analyze --by=file --section=files t
echo "exit $?"
