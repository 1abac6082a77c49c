# SPDX-License-Identifier: BSD-2-Clause
# record --seen=traps: calls of code that no jump can replace, in programs that block signals, start threads and fork.
case ${MODE-} in
asan | tsan | msan)
	echo 'skipped: sanitizers do not allow a library to be preloaded'
	exit 77
	;;
esac
sh "$TOOLS/built.sh" record_traps record_truth record_lives record_libc || exit 77
"$IOTRACE" record -q --seen=traps -o a.iot true 2>err ||
	{ grep -q 'does not offer' err && echo 'skipped: a kernel without Syscall User Dispatch'; exit 77; }
B=${IOTRACE%/iotrace}

sums() {
	"$IOTRACE" cat -q -f csv --columns=op,length,path "$1" | awk -F, -v size="$(wc -c <out)" '
		$1 == "write" && $3 ~ /\/out$/ { sum += $2 }
		END { print (sum == size && size > 0 ? "all bytes" : sum + 0 " of " size) }'
}

echo 'generated code:'
for seen in syscalls traps; do
	rm -f out
	"$IOTRACE" record -q --seen=$seen -o b.iot -- "$B/record_traps"
	echo "status $?, $(sums b.iot)"
done
"$IOTRACE" info b.iot | grep -e complete -e seen -e writes -e processes

for way in is-code file child; do
	"$IOTRACE" record --seen=traps -o b.iot -- "$B/record_traps" code $way
	"$IOTRACE" info b.iot | grep '^b.iot'
done

echo 'what a program and its trace have in common:'
TMPDIR=$PWD python3 "$TOOLS/record_truth.py" --seen=traps "$IOTRACE" "$B/record_truth" | sed 's/, [0-9]* transfers//'
python3 "$TOOLS/record_lives.py" --seen=traps "$IOTRACE" "$B/record_lives" exec vfork spawn twins clone clone3 shared-memory \
	user user-system exec-of-thread fork-of-thread signals-blocked handler vfork-of-thread killed daemon random-3 |
	sed 's/^[0-9]* programs, .*; \([0-9]* programs with differences\).*/\1/'

echo 'code that is too far away for a jump; cancelled, and interrupted:'
for what in own 'cancel 500' 'signals 20000'; do
	rm -f out
	# shellcheck disable=SC2086
	"$IOTRACE" record -q --seen=traps -o c.iot -- "$B/record_libc" $what
	echo $?
	test ! -e out || sums c.iot
	"$IOTRACE" info c.iot | grep -c 'not seen'
done

echo 'what excludes it:'
"$IOTRACE" record --seen=traps --transport=pipe true 2>&1 | head -n 1
"$B/record_traps" refused "$IOTRACE" record --seen=traps -o d.iot true 2>&1
echo $?
"$IOTRACE" record -q --seen=traps -o e.iot -- "$B/record_traps" refused "$B/record_libc" own
"$IOTRACE" info e.iot | grep -o 'not seen .* too far away'
