# SPDX-License-Identifier: BSD-2-Clause
# The timing model against its reference in Python, on a few random traces; make check-timing compares more.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 "$TOOLS/timing_compare.py" "$IOTRACE" 1-40
# Without time both models find the same blocks in the cache.
python3 "$TOOLS/timing_engine.py" "$IOTRACE" "$TESTDATA/strace/sqlite.strace.gz" "$TESTDATA/fio/v3.iolog" "$TESTDATA/format/example.iot"
