# SPDX-License-Identifier: BSD-2-Clause
# Counters of systems become samples: what each source has, resets, gaps, clocks.
convert() {
	"$IOTRACE" convert --format-version=1 --bare --base=10 "$@" 2>&1
}
scratch=$PWD
cd "$TESTDATA" || exit 1
convert diskstats/node1.diskstats
convert --device='sda*' --host=other --max-gap=20 --max-rate=20KB diskstats/node1.diskstats | grep -o 'target.*' | head -4
# Rules of one device: equal values, a clock that is set back, a counter that decreases, 32 bits, a cut line.
disk() {
	echo "time $1"
	echo "host h"
	echo "8 0 sda $2 0 $3 0 0 0 0 0 0 0 0"
}
rules() {
	disk 100 5 80
	disk 110 6 88
	disk 110 6 88
	disk 120 4294967290 96
	disk 130 4 100
	disk 90 10 110
	disk 100.5 11 111
}
rules | convert -
rules | convert --wrap=32 - | grep 'time=120'
{ rules; printf '8 0 sda 9'; } | convert - | tail -n 2
disk 100 5 80 | sed /time/d | convert -
disk 100 5 80 | sed /host/d | convert -
convert --wrap=16 diskstats/node1.diskstats
convert --max-gap=0 diskstats/node1.diskstats
# Reports of sysstat: the interval is that of the reports.
for report in sysstat/*.*stat* sysstat/sa.*; do
	echo "== $report"
	convert "$report"
done
report=sysstat/x.iostat.json
convert $report >"$scratch/lines"
tr -d '\n' <$report | convert - | cmp - "$scratch/lines"
tr ',' '\n' <$report | convert - | cmp - "$scratch/lines"
head -c 2000 $report | convert - | tail -n 2
grep -v timestamp $report | convert -
convert --tz=+01:00 sysstat/t.iostat.txt | grep -c 'time=1795896329'
convert --tz=CET sysstat/t.iostat.txt
sed 's/"w\/s": [0-9.]*/"w\/s": x/' $report | convert - | tail -n 3
# Blocks of Lustre: mounts that are added, resets of known time, entries of jobs, a cut block.
for log in client servers jobs; do
	convert "lustre/$log.lustre"
done
convert --host=oss2 --jobid=%j.%u lustre/jobs.lustre | grep -o 'job=[^ ]*'
convert --jobid=job-%j lustre/jobs.lustre | grep -e jobid= -e unmatched
convert --jobid=%u lustre/jobs.lustre
head -c -20 lustre/client.lustre | convert - | tail -n 3
grep -v snapshot_time lustre/servers.lustre | convert --from=lustre -
sed 's/^host.*//' lustre/servers.lustre | convert -
# Mounts of NFS: exports that are mounted twice, a mount that is newer than the text before it.
convert mountstats/node1.mountstats
sed /^time/d mountstats/node1.mountstats | convert -
sed 's/age:.*/age: x/; s/READ: [0-9]*/READ: x/' mountstats/node1.mountstats | convert -
# Responses of GPFS: nodes in turn, a reset, failures, wrapped lines, and the form without -p.
convert mmpmon/nodes.mmpmon
convert mmpmon/node1.txt
sed 's/_br_ /_br_ x/' mmpmon/nodes.mmpmon | convert - | tail -n 3
# A trace of samples has no requests; analyze must not count 0 of them.
"$IOTRACE" convert -q -o "$scratch/samples.iot" lustre/client.lustre
"$IOTRACE" analyze "$scratch/samples.iot" 2>&1 | head -n 1
# Tables: rates, counters, names of columns that a setting states, and what is wrong with them.
convert samplescsv/rates.csv
convert --cumulative samplescsv/counters.csv
convert samplescsv/counters.csv
sed 1d samplescsv/rates.csv | convert --from=samples-csv --columns=end,host,target,read-bytes-per-s:MiB,-,-,-,took,- - | head -n 2
printf 'time,read-bytes\n1,2\n3,4\n' | convert --interval=60 --host=n1 -
printf 'time,read-bytes\n1,2\n' | convert --interval=60 -
printf 'time,read-bytes\n1,2\n' | convert --interval=0 --host=n1 -
printf 'time,host\n1,n1\n' | convert --from=samples-csv -
for column in size read-bytes:ms time:KiB; do
	printf '1,2\n' | convert --from=samples-csv --columns=time,$column -
done
