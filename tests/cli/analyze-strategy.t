# SPDX-License-Identifier: BSD-2-Clause
# analyze --strategy: each job has the samples that match gives it, whether they are matched before or at once.
cat >jobs.csv <<'J'
job,start,end,hosts,nodes,cpus,user
1,1000,1070,"n[1-2]",2,8,ann
2,1070,1200,"n[1-2,4]",3,12,bob
3,1100,1160,n3,1,3,cy
4,1130,1190,n3,1,1,dee
5,1000,1100,n5,1,1,eve
5,1150,1200,n5,1,1,eve
6,1000,1200,n9,1,1,eve
J
cat >samples.iot <<'S'
ff %trace source=gpfs epoch=1000000000000
ff %sample time=0 took=120000000 source=gpfs host=n1 target=fs reads=7 read-bytes=1000 writes=1 written-bytes=11
ff %sample time=0 took=60000000 source=gpfs host=n2 target=fs reads=1 read-bytes=600 writes=0 written-bytes=0
ff %sample time=100000000 took=100000000 source=gpfs host=n3 target=fs reads=1 read-bytes=1001 writes=0 written-bytes=0
ff %sample time=100000000 took=100000000 source=gpfs host=n5 target=fs reads=1 read-bytes=50 writes=2 written-bytes=9
ff %sample time=110000000 took=20000000 source=gpfs host=login target=fs reads=1 read-bytes=70 writes=0 written-bytes=0 gap=1
ff %sample time=300000000 took=60000000 source=gpfs host=n1 target=fs reads=1 read-bytes=4000 writes=0 written-bytes=0
S
bytes() { awk -F '\t' 'NR > 1 && $8 > 0 { print $1, $8 }' | LC_ALL=C sort; }
for strategy in weighted simple discard double; do
	echo "-- $strategy"
	"$IOTRACE" match -q --jobs=jobs.csv --strategy=$strategy --tsv samples.iot |
		awk 'NR > 1 && $4 > 0 { print $1 ($2 > 1 ? "#" $2 : ""), $4 }' | LC_ALL=C sort >matched
	"$IOTRACE" analyze -q --jobs=jobs.csv --strategy=$strategy --by=job --tsv samples.iot >rows
	bytes <rows | diff - matched && cat matched
	"$IOTRACE" match -q --jobs=jobs.csv --strategy=$strategy -o matched.iot samples.iot >/dev/null
	"$IOTRACE" analyze -q --jobs=jobs.csv --strategy=$strategy --by=job --tsv matched.iot | diff rows - && echo same
done
echo "-- a job alone"
"$IOTRACE" match -q --jobs=jobs.csv -o matched.iot samples.iot >/dev/null
{
	echo "ff %trace source=gpfs epoch=1000000000000 job=2 job-start=1070 job-end=1200"
	"$IOTRACE" cat -f text matched.iot | sed -n 's/^# %sample time=\([0-9]*\)000 took=\([0-9]*\)000 job=2 /ff %sample time=\1 took=\2 /p'
} >alone.iot
"$IOTRACE" analyze -q --jobs=jobs.csv --strategy=weighted --by=job --tsv samples.iot | grep ^2 >rows
"$IOTRACE" analyze -q --nodes=3 --jobs=jobs.csv --by=job --tsv alone.iot | tail -n 1 | diff rows - && echo same
echo "-- forms"
"$IOTRACE" analyze --jobs=jobs.csv --strategy=weighted --by=job samples.iot
"$IOTRACE" analyze -q --jobs=jobs.csv --strategy=weighted --where='S > 500' --group=user - <samples.iot
"$IOTRACE" analyze -q --jobs=jobs.csv --strategy=double --pick=S:max --pick=T:min samples.iot
"$IOTRACE" analyze -q --jobs=jobs.csv --strategy=weighted --pick=S:max --section=map --tsv samples.iot | head -n 3
echo "-- refused"
sed -n '1p;3p;5p' samples.iot >reversed.iot
sed -n 2p samples.iot >>reversed.iot
sed '2,$d' samples.iot >none.iot
for file in reversed.iot none.iot "$TESTDATA/format/example.iot"; do
	echo "${file##*/}"
	"$IOTRACE" analyze -q --jobs=jobs.csv --strategy=weighted --by=job "$file"
	echo "exit $?"
done 2>&1
"$IOTRACE" analyze --strategy=weighted samples.iot 2>&1 | head -n 1
"$IOTRACE" analyze --strategy=weighted --jobs=jobs.csv samples.iot samples.iot 2>&1 | head -n 1
