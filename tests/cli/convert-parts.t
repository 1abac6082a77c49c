# SPDX-License-Identifier: BSD-2-Clause
# Several INs are parts of one trace: strace -ff writes a file for each process.
sh "$TOOLS/strace_log.sh" 2 /tmp/a | cut -c 7- >log.100
sh "$TOOLS/strace_log.sh" 2 /tmp/b | cut -c 7- | sed 's/^\([0-9]*\.\)0000/\10001/' >log.200
"$IOTRACE" convert -o x.iot log.100 log.200
"$IOTRACE" cat --format=csv --columns=raw --names x.iot
tar cf parts.tar log.200 log.100
mkdir parts && cp log.100 log.200 parts/
"$IOTRACE" convert parts | cmp x.iot -
