# SPDX-License-Identifier: BSD-2-Clause
# Logs of fio: I/O logs of both versions, and logs of single I/Os.
cd "$TESTDATA/fio" || exit 1
for log in v3.iolog v2.iolog unusual.iolog job_lat.1.log job_bw.1.log; do
	echo "== $log"
	"$IOTRACE" convert --format-version=1 -v --base=10 $log 2>&1
done
# Several logs are those of several jobs; of one job's logs of single I/Os only one kind is converted.
"$IOTRACE" convert --format-version=1 -q v2.iolog v3.iolog | grep -E '%(trace|process|file)'
"$IOTRACE" convert --format-version=1 job_bw.1.log job_lat.1.log 2>&1 | grep -E '%(trace|process)|warning'
# The I/O log and the latencies show the same transfers.
"$IOTRACE" convert --format-version=1 -q v3.iolog | "$IOTRACE" info - | grep -E '^ +(reads|writes)'
"$IOTRACE" convert --format-version=1 -q job_lat.1.log | "$IOTRACE" info - | grep -E '^ +(reads|writes)'
