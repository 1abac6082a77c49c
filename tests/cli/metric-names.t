# SPDX-License-Identifier: BSD-2-Clause
# Every value of analyze is a metric of docs/metrics.md; check-results does the same with all of testdata.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
"$IOTRACE" convert -q -o t.iot.zst "$TESTDATA/strace/sqlite.strace.gz"
"$IOTRACE" record -q -o r.iot.zst cp t.iot.zst copy
cd "$TOOLS/../.." || exit
python3 tests/tools/metric_names.py "$IOTRACE" "$OLDPWD/t.iot.zst" "$OLDPWD/r.iot.zst" testdata/darshan/mpi4_nodxt.darshan |
	sed 's/^[0-9]* values/N values/'
