# SPDX-License-Identifier: BSD-2-Clause
# strace writes into convert. Skipped where strace cannot trace.
if ! strace -o /dev/null true 2>/dev/null; then
	echo "ls 0"
	exit
fi
strace -f -ttt -T -y -s 0 -e 'abbrev=!/io_|msg|pipe|pair' -o "|$IOTRACE convert -o t.iot.zst -" ls / >/dev/null
echo "ls $?"
# strace does not wait for the reader of its output.
sh "$TOOLS/until.sh" "[ -e t.iot.zst ]"
"$IOTRACE" cat t.iot.zst | tail -n 1 | grep -q '^ff %end' || echo "no end"
[ $("$IOTRACE" cat --format=csv --columns=raw t.iot.zst | wc -l) -gt 2 ] || echo "no records"
