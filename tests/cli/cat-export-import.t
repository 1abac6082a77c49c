# SPDX-License-Identifier: BSD-2-Clause
# An export that is imported gives the same export: the same requests, transfers and rows.
"$IOTRACE" convert -q -o db.iot "$TESTDATA/strace/sqlite.strace.gz"
"$IOTRACE" convert -q -o mpi.iot "$TESTDATA/darshan/mpi4_dxt.darshan"
again() {
	format=$1 trace=$2
	shift 2
	"$IOTRACE" cat -q --format=$format "$trace" >first
	"$IOTRACE" cat -q --format=$format "$@" first >second
	cmp first second && echo "$format, $(basename "$trace"): the same"
}
for trace in "$TESTDATA/format/example.iot" db.iot mpi.iot; do
	again oracle "$trace" --in-option=block=4096
	again lcs "$trace" --in-option=block=4096
	again fio "$trace"
	again csv "$trace"
	again tsv "$trace"
done
# blkparse's times count from the first line.
"$IOTRACE" cat -q --format=blkparse "$TESTDATA/format/physical.iot" >lines
"$IOTRACE" cat -q --format=blkparse lines >shifted
again blkparse shifted
