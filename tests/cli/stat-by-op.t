# SPDX-License-Identifier: BSD-2-Clause
# stat --by=op prints the operations first; each column has a heading.
"$IOTRACE" stat -q --by=op --top=3 "$TESTDATA/strace/cp.strace" | head -n 8
"$IOTRACE" stat -q --by=op "$TESTDATA/format/example.iot" | head -n 5
