# SPDX-License-Identifier: BSD-2-Clause
# stat: sums of samples by host, target and job; a value that no sample has is unknown, and I/Os are never added to samples.
cat >samples.iot <<'S'
ff %trace source=mmpmon epoch=0 lacks=completion,cpu,offset
ff %sample time=0 took=10 host=n1 target=fs:home job=17 reads=3 read-bytes=1000 writes=1 written-bytes=7 opens=2
ff %sample time=0 took=10 host=n2 target=fs:home job=18 reads=5 read-bytes=500 writes=0 written-bytes=0 opens=1
ff %sample time=10 took=10 host=n1 target=fs%3awork read-bytes=1 reads=1
ff %sample time=10 took=10 host=disk target=sda requests=4 written-bytes=4096
ff %sample time=10 took=10 host=n3 target=fs:work reads=x
S
for by in host target job; do
	"$IOTRACE" stat --by=$by samples.iot
done
"$IOTRACE" stat --by=host --tsv --sort=reads --top=2 samples.iot
"$IOTRACE" stat --by=target --json samples.iot
echo "-- parts"
"$IOTRACE" cat -q --framed --no-fsync -o framed.iot samples.iot
"$IOTRACE" stat -q --by=target --tsv framed.iot
echo "-- several inputs"
"$IOTRACE" stat --by=target --tsv samples.iot samples.iot
echo "-- with I/Os"
echo "80 20 0 10 1 1 1 1 0" >io.iot
cat samples.iot io.iot >both.iot
"$IOTRACE" stat --by=host --tsv both.iot 2>&1 | cut -f 4-8
"$IOTRACE" stat --by=host --tsv io.iot samples.iot 2>&1 | cut -f 4-8
"$IOTRACE" stat --by=job io.iot 2>&1
"$IOTRACE" stat samples.iot 2>&1 >/dev/null
