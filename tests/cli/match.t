# SPDX-License-Identifier: BSD-2-Clause
# match: samples of hosts go to the jobs that ran there; weighted shares add up to the samples.
cat >jobs.csv <<'J'
job,start,end,hosts,nodes,cpus,user
1,1000,1070,"n[1-2]",2,8,ann
2,1070,1200,"n[1-2,4]",3,12,bob
3,1100,1160,n3,1,3,cy
4,1130,1190,n3,1,1,dee
5,1000,1100,n5,1,1,eve
5,1150,1200,n5,1,1,eve
J
cat >samples.iot <<'S'
ff %trace source=gpfs epoch=1000000000000
ff %sample time=0 took=120000000 source=gpfs host=n1 target=fs reads=7 read-bytes=1000 writes=1 written-bytes=11
ff %sample time=0 took=60000000 source=gpfs host=n2 target=fs reads=1 read-bytes=600
ff %sample time=100000000 took=100000000 source=gpfs host=n3 target=fs read-bytes=1001
ff %sample time=100000000 took=100000000 source=gpfs host=n5 target=fs read-bytes=50
ff %sample time=110000000 took=20000000 source=gpfs host=login target=fs read-bytes=70 gap=1
ff %sample time=110000000 took=60000000 source=gpfs host=n3 target=fs read-bytes=90 gap=1
ff %sample time=300000000 took=60000000 source=gpfs host=n1 target=fs read-bytes=4000
S
"$IOTRACE" match --jobs=jobs.csv -o matched.iot samples.iot
"$IOTRACE" check matched.iot
"$IOTRACE" cat -f text matched.iot >matched.text
grep '%sample\|%job' matched.text
for strategy in weighted simple discard double; do
	echo "-- $strategy"
	"$IOTRACE" match -q --jobs=jobs.csv --strategy=$strategy --tsv samples.iot
done
echo "-- again"
"$IOTRACE" match -q --jobs=jobs.csv --tsv matched.iot
echo "-- a list in another order, with a host twice and a run twice"
{
	head -n 1 jobs.csv
	tac jobs.csv | sed -e '$d' -e 's/n\[1-2,4\]/n[1-2,4],n2/'
	sed -n 4p jobs.csv
} >other.csv
"$IOTRACE" match -q --jobs=other.csv -o other.iot samples.iot >other.out
"$IOTRACE" cat -f text other.iot | sed 's/,4\],n2/,4]/' | cmp - matched.text && echo "the same"
echo "-- ids with the same beginning are in order"
for id in 10000000b 10000000a 9 10000000; do echo "$id,1000,1010,n1"; done |
	sed '1i job,start,end,hosts' >ids.csv
"$IOTRACE" match -q --jobs=ids.csv -o - samples.iot | "$IOTRACE" cat -f text - | sed -n 's/.*%job id=\([^ ]*\).*/\1/p'
echo "-- a system model reads the result"
echo 'network = 1GB/s' >system
"$IOTRACE" model -q --tsv system matched.iot
echo "-- refused"
"$IOTRACE" match samples.iot
"$IOTRACE" match --jobs=jobs.csv "$TESTDATA/format/example.iot"
echo 'job,start,end,hosts' >none.csv
echo '1,5,6,n[1-' >>none.csv
"$IOTRACE" match --jobs=none.csv samples.iot
sed 's/read-bytes=70/read-bytes=x/' samples.iot | "$IOTRACE" match -q --jobs=jobs.csv -o /dev/null -
