# SPDX-License-Identifier: BSD-2-Clause
# What precedes the end of a trace that is cut short is analyzed, even if it is idle samples or operations alone.
cat >idle.iot <<'TRACE'
ff %iotrace version=2 tick=1
ff %trace source=sample epoch=0 lacks=completion,cpu,offset interval=1000000000 host=node1
ff %sample time=1796033095824159241 took=1000000000 source=diskstats host=node1 target=sda read-bytes=0 written-bytes=0
ff %sample time=1796033096824159241 took=1000000000 source=diskstats host=node1 target=sda read-bytes=0 written-bytes=0
TRACE
cat >lookups.iot <<'TRACE'
ff %iotrace version=2 tick=1
ff %trace source=strace
ff %process id=7 name=make
ff %op process=7 start=0 duration=2000 name=stat result=0 path=/etc/passwd
ff %op process=7 start=5000 duration=2000 name=stat result=-2 path=/etc/shadow
TRACE
head -n 2 idle.iot >nothing.iot
for trace in idle lookups nothing; do
	"$IOTRACE" analyze -q -t $trace.iot >values 2>&1
	echo "$trace: status $?"
	grep -E 'sample_count|^metadata	operations	|trace	gaps|cut short' values
done
for trace in idle lookups nothing; do
	"$IOTRACE" analyze -q --by=job lookups.iot $trace.iot 2>&1 | grep 'left out'
	"$IOTRACE" analyze -q --against=$trace.iot lookups.iot >values 2>&1
	echo "against $trace: status $?"
done
