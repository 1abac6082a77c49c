# SPDX-License-Identifier: BSD-2-Clause
# A log of Darshan with all that can be read of it: what each call did, and one of the counters. What
# the log gets wrong (an append at offset 0, two descriptors with one position) is as it has it.
cd "$TESTDATA/darshan" || exit 1
"$IOTRACE" convert -q --base=10 quirks_dxt.darshan | grep -v '%counter'
"$IOTRACE" convert -q quirks_dxt.darshan | grep -c '%counter'
"$IOTRACE" convert -q quirks_dxt.darshan | grep '%counter source=STDIO' | tr ' ' '\n'
# Of a log without DXT there are figures only, and stat says where.
"$IOTRACE" convert -q "$TESTDATA/darshan/mpi4_nodxt.darshan" | "$IOTRACE" stat 2>&1
