# SPDX-License-Identifier: BSD-2-Clause
# record --seen=syscalls: each record is a system call, also those that libc makes by itself.
case ${MODE-} in
asan | tsan | msan)
	echo 'skipped: sanitizers do not allow a library to be preloaded'
	exit 77
	;;
esac
sh "$TOOLS/built.sh" record_truth record_libc record_traps || exit 77
"$IOTRACE" record -q --seen=syscalls -o a.iot true 2>err ||
	{ grep -q 'cannot be found' err && echo 'skipped: another libc'; exit 77; }
B=${IOTRACE%/iotrace}
TMPDIR=$PWD python3 "$TOOLS/record_truth.py" --seen=syscalls "$IOTRACE" "$B/record_truth" | sed 's/, [0-9]* transfers//'

for seen in syscalls calls; do
	echo "libc's own calls, --seen=$seen:"
	for what in prints daemon wide perror limit seeks namespace; do
		rm -f out
		"$IOTRACE" record -q --seen=$seen -o b.iot -- "$B/record_libc" $what
		"$IOTRACE" cat -q -f csv --columns=op,offset,length,path b.iot | awk -F, -v size="$(wc -c <out)" -v what=$what '
			$1 == "write" && $4 ~ /\/out$/ { sum += $3; if ($2 == "" || $2 + $3 > end) end = $2 == "" ? size : $2 + $3 }
			END { print what ": " (end == size && size > 0 && (sum == size || what == "seeks") ? "all bytes" : sum ", " end " of " size) }'
	done
done

echo 'messages, and places that could not be seen:'
"$IOTRACE" record -q --seen=syscalls -o h.iot -- "$B/record_libc" sends 100
"$IOTRACE" cat -q h.iot | grep -o 'skipped.socket.written_bytes=8[0-9]*'
"$IOTRACE" cat -q h.iot | grep -c 'unseen.sites'
"$IOTRACE" info a.iot | grep -c 'not seen'

echo 'code of a program, which is too far away for a jump:'
"$IOTRACE" record --seen=syscalls -o e.iot -- "$B/record_libc" own
"$IOTRACE" info e.iot | grep -o 'not seen .* too far away'

echo 'generated code, whose calls the kernel counts:'
for way in none is-code becomes-code file child; do
	"$IOTRACE" record --seen=syscalls -o g.iot -- "$B/record_traps" code $way
	"$IOTRACE" info g.iot | grep -E '^g.iot|not seen|remedy'
done
"$IOTRACE" cat -q g.iot | grep -o 'hidden.code.*'
echo 'a child of a program with generated code, which is killed:'
cat >kills.py <<'END'
import ctypes, os, signal
print(ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 0)(), flush=True)
child = os.fork()
if child == 0:
    open("out", "w").write("text")
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(child, 0)
END
"$IOTRACE" record --seen=syscalls -o k.iot -- python3 kills.py
"$IOTRACE" info k.iot | head -n 1
echo "the kernel's counters, with children:"
"$IOTRACE" record -q --seen=syscalls --check -o g.iot -- sh -c 'echo text >out; (cat out | cat)' 2>&1 >/dev/null |
	sed -n 's/of [0-9]* processes/of N processes/; 1p'

echo 'a program whose libraries have no table yet, while iotrace record is stopped:'
python=$(python3 -c 'import sys; print(sys.executable)')
# shellcheck disable=SC2016
"$IOTRACE" record -q --seen=syscalls -o h.iot -- sh -c 'kill -STOP $PPID; (sleep 0.4; kill -CONT $PPID) & exec "$0" -c ""' "$python"
"$IOTRACE" info h.iot | head -n 1

echo 'cancelled, and interrupted:'
"$IOTRACE" record -q --seen=syscalls -o c.iot -- "$B/record_libc" cancel 500
echo $?
"$IOTRACE" record -q --seen=syscalls -o d.iot -- "$B/record_libc" signals 20000
echo $?
"$IOTRACE" cat -q -f csv --columns=op,offset,length,path d.iot | awk -F, -v size="$(wc -c <out)" '
	$1 == "write" && $4 ~ /\/out$/ { sum += $3; twice += $2 in at; at[$2] }
	END { print (sum == size ? "all bytes" : sum " of " size) ", " twice + 0 " at an offset of another" }'

echo 'warnings of valgrind:'
for seen in calls syscalls traps; do
	! command -v valgrind >/dev/null || "$IOTRACE" record -q --seen=$seen -o v.iot -- valgrind -q "$B/record_libc" wide
done 2>&1 | grep -c '^=='

echo 'what excludes it:'
"$IOTRACE" record --seen=syscalls --transport=pipe true 2>&1 | head -n 1
"$IOTRACE" record --seen=syscalls --stdio=calls true 2>&1 | head -n 1
"$IOTRACE" cat a.iot | grep -c ' seen=syscalls'

echo 'chosen:'
"$IOTRACE" record -q --seen=auto -o f.iot true
"$IOTRACE" cat f.iot | grep -c ' seen=syscalls'
"$IOTRACE" record -q --seen=auto --stdio=calls -o f.iot true
"$IOTRACE" cat f.iot | grep -c ' seen=syscalls'
"$IOTRACE" record -q -o g.iot true
"$IOTRACE" info g.iot | grep '^  seen'

echo 'anonymized:'
"$IOTRACE" anonymize -q --new-key --key=key a.iot | grep -c ' seen=syscalls'
