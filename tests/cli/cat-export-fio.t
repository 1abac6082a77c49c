# SPDX-License-Identifier: BSD-2-Clause
# fio replays exports: its reads and writes, seen by strace, are those of the traces.
command -v fio >found && command -v strace >found || { echo 'fio or strace is not installed'; exit 77; }
strace -o /dev/null true 2>/dev/null || { echo 'strace cannot trace here'; exit 77; }
"$IOTRACE" convert -q -o db.iot "$TESTDATA/strace/sqlite.strace.gz"
"$IOTRACE" convert -q -o mpi.iot "$TESTDATA/darshan/mpi4_dxt.darshan"
"$IOTRACE" convert -q --unsorted -o unsorted.iot "$TESTDATA/strace/offsets.strace"
python3 "$TOOLS/export_fio.py" "$IOTRACE" "$TESTDATA/format/example.iot" db.iot mpi.iot unsorted.iot
