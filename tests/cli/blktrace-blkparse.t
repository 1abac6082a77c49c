# SPDX-License-Identifier: BSD-2-Clause
# blkparse and convert agree on every request that was queued, issued or completed, by RWBS.
command -v blkparse >/dev/null || { echo "blkparse is not installed"; exit 77; }
compare="python3 $TOOLS/blktrace_compare.py $IOTRACE"
$compare "$TESTDATA"/blktrace/v7.blktrace.*
$compare "$TESTDATA"/blktrace/v7be.blktrace.*
python3 "$TOOLS/blktrace_make.py" --cpus=4 --requests=3000 many
$compare many.blktrace.*
