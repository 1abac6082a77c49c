# SPDX-License-Identifier: BSD-2-Clause
# More packets than fit in memory, with flush marks and without: equal to a full sort. A smaller version of
# tests/tools/show_packets.sh.
build=${IOTRACE%/iotrace}
sh "$TOOLS/built.sh" packet_make || exit 77
MODE=${build##*/} sh "$TOOLS/show_packets.sh" 200000 64 256M 1M | grep -v ' s, peak '
