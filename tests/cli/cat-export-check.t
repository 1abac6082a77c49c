# SPDX-License-Identifier: BSD-2-Clause
# Exports of traces of every kind, compared with a second computation.
command -v protoc >protoc || { echo 'protoc is not installed'; exit 77; }
"$IOTRACE" convert -q -o db.iot "$TESTDATA/strace/sqlite.strace.gz"
"$IOTRACE" convert -q -o mpi.iot "$TESTDATA/darshan/mpi4_dxt.darshan"
"$IOTRACE" convert -q --unsorted -o unsorted.iot "$TESTDATA/strace/offsets.strace"
for trace in "$TESTDATA"/format/*.iot db.iot mpi.iot unsorted.iot; do
	case $trace in */empty.iot | */extremes.iot) continue ;; esac
	echo "== $(basename "$trace")"
	set -- 'oracle --physical' chrome perfetto blkparse 'perfetto --counters' 'chrome --counters'
	# offsets beyond the largest size of a file
	case $trace in */scaled.iot) ;; *) set -- oracle lcs "$@" ;; esac
	python3 "$TOOLS/export_check.py" "$IOTRACE" "$trace" "$@"
done
