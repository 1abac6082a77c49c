# SPDX-License-Identifier: BSD-2-Clause
# A Darshan log with all that can be read from it: the calls, and one set of the counters. Errors of
# the log itself (an append at offset 0, two descriptors with one offset) are kept.
cd "$TESTDATA/darshan" || exit 1
"$IOTRACE" convert --format-version=1 -q --base=10 quirks_dxt.darshan | grep -v '%counter'
"$IOTRACE" convert --format-version=1 -q quirks_dxt.darshan | grep -c '%counter'
"$IOTRACE" convert --format-version=1 -q quirks_dxt.darshan | grep '%counter source=STDIO' | tr ' ' '\n'
# A log without DXT has counters only, and stat says so.
"$IOTRACE" convert --format-version=1 -q "$TESTDATA/darshan/mpi4_nodxt.darshan" | "$IOTRACE" stat 2>&1
