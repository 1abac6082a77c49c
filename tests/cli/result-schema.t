# SPDX-License-Identifier: BSD-2-Clause
# JSON of every command against docs/result.schema.json; check-results does the same with all of testdata.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
"$IOTRACE" record -q -o r.iot.zst sh -c 'cat "$0" >copy' "$TESTDATA/README.md"
cd "$TOOLS/../.." || exit
python3 tests/tools/check_schema.py "$IOTRACE" "$OLDPWD/r.iot.zst" testdata/strace/sqlite.strace.gz testdata/darshan/mpi4_nodxt.darshan \
	testdata/blktrace/v7.blkparse.txt
