# SPDX-License-Identifier: BSD-2-Clause
# What a log of strace does not show is one state in all commands, with a remedy.
open='1 1700000000.000001 openat(AT_FDCWD, "a", O_RDWR) = 3 <0.000001>'
try() {
	echo "== $1"
	cat >log
	"$IOTRACE" convert -q -o t.iot log
	"$IOTRACE" info t.iot | grep -E '^t.iot|not seen|remedy|are not known|unknown base'
	"$IOTRACE" info log 2>/dev/null | sed -n 's/^log: /the log: /p'
}
try 'without -f' <<E
$open
1 1700000000.000002 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7f) = 2 <0.000001>
1 1700000000.000003 read(3, ""..., 10) = 10 <0.000001>
E
"$IOTRACE" check t.iot
"$IOTRACE" stat -q t.iot | head -n 1
"$IOTRACE" analyze -q t.iot | grep -o '^complete.*'
"$IOTRACE" info --json t.iot | grep -o '"children":[0-9]*'
try 'with a filter that leaves out opens and closes' <<E
$open
1 1700000000.000002 read(3, ""..., 10) = 10 <0.000001>
1 1700000000.000003 openat(AT_FDCWD, "b", O_RDWR) = 3 <0.000001>
1 1700000000.000004 read(3, ""..., 10) = 10 <0.000001>
1 1700000000.000005 read(4</c>, ""..., 10) = 10 <0.000001>
E
try 'io_uring' <<E
$open
1 1700000000.000002 io_uring_setup(8, {flags=0}) = 4 <0.000001>
1 1700000000.000003 io_uring_enter(4, 3, 0, 0, NULL, 8) = 3 <0.000001>
1 1700000000.000004 read(3, ""..., 10) = 10 <0.000001>
E
try 'io_submit, abbreviated' <<E
$open
1 1700000000.000002 io_setup(8, [0x7f]) = 0 <0.000001>
1 1700000000.000003 io_submit(0x7f, 2, [...]) = 2 <0.000001>
E
try 'without -T' <<E
1 1700000000.000001 openat(AT_FDCWD, "a", O_RDWR) = 3
1 1700000000.000002 read(3, ""..., 10) = 10
E
try 'without -ttt and -T' <<E
1 openat(AT_FDCWD, "a", O_RDWR) = 3
1 read(3, ""..., 10) = 10
E
try 'nothing is lacking' <<E
$open
1 1700000000.000002 read(3, ""..., 10) = 10 <0.000001>
E
