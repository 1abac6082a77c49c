# SPDX-License-Identifier: BSD-2-Clause
# Packets in any order give the trace that convert makes of them.
make=${IOTRACE%/iotrace}/packet_make
sh "$TOOLS/built.sh" packet_make || exit 77
"$make" --records=20000 --processes=8 --files=4 --flush=300 >packets.bin
"$IOTRACE" convert -o converted packets.bin
"$IOTRACE" reorder -o reordered packets.bin
echo "exit $?"
cmp converted reordered && echo file
"$IOTRACE" reorder --memory=64K <packets.bin | cmp - converted && echo stdin
cat packets.bin | "$IOTRACE" reorder - | cmp - converted && echo pipe
mkfifo fifo
cat packets.bin >fifo &
"$IOTRACE" reorder fifo | cmp - converted && echo FIFO
"$IOTRACE" reorder converted | cmp - converted && echo "in order"
"$IOTRACE" info reordered | grep '^  records'
"$IOTRACE" reorder --window=1s packets.bin 2>&1
echo "exit $?"
