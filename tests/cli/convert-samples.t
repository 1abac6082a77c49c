# SPDX-License-Identifier: BSD-2-Clause
# Real logs: the same trace from a file and through a pipe in little memory, in canonical form.
for log in "$TESTDATA"/strace/*.strace "$TESTDATA"/strace/*_ff; do
	name=${log##*/}
	"$IOTRACE" convert -q -o file.iot "$log" 2>/dev/null
	echo "$name: exit status $?"
	[ -e file.iot ] || continue
	"$IOTRACE" cat file.iot | cmp - file.iot
	if [ -f "$log" ]; then
		"$IOTRACE" convert -q --memory=64K - <"$log" 2>/dev/null >pipe.iot
		grep -v '%lost\|%end' file.iot >file
		grep -v '%lost\|%end' pipe.iot | cmp - file
	fi
	rm -f file.iot
done
