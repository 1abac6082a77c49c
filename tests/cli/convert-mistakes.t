# SPDX-License-Identifier: BSD-2-Clause
# strace logs made without -f, without times, with parts that do not match, or without I/O: warnings.
convert() {
	echo "--- $*"
	"$IOTRACE" convert --report=report.json -o t.iot "$@" 2>&1
	sed -n 's/^ *"\(records\|children\)"/\1/p' report.json
	"$IOTRACE" info t.iot | grep '^  start\|lacks'
}

cat >alone <<'END'
1700000000.000001 execve("/bin/sh", ["sh"], 0x7ffc /* 9 vars */) = 0 <0.000200>
1700000000.000300 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 71 <0.000100>
1700000000.000500 vfork() = 72 <0.000100>
1700000000.000700 read(0</in>, "x", 9) = 1 <0.000002>
1700000000.000800 exit_group(0) = ?
END
convert alone
convert --strict -q alone

# With -f each child has at least the line of its exit; in a PID namespace under another number.
sed 's/^/70 /' alone >followed
echo '71 1700000000.000900 +++ exited with 0 +++' >>followed
echo '72 1700000000.000900 +++ exited with 0 +++' >>followed
convert followed
sed 's/^7\([12]\) /90\1 /' followed >elsewhere
convert elsewhere

cut -d' ' -f 2- alone | grep -v 'clone\|fork' | sed 's/ <[0-9.]*>//' >timeless
convert timeless
grep -v 'clone\|fork' alone >app.7
cp timeless app.8
convert app.7 app.8
cp timeless app.9
convert app.8 app.9
cp app.7 app.10
convert app.7 app.10

echo '1700000000.000001 socket(AF_INET, SOCK_STREAM, 0) = 3' >network
convert network

# A trace in the directory of its log.
mkdir folder
cp alone folder
"$IOTRACE" convert -q -o folder/alone.iot.zst alone
convert folder
