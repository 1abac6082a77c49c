# SPDX-License-Identifier: BSD-2-Clause
# Missing information in a log is reported with the option that adds it; deliberate omissions are counted.
try() {
	cat >log
	"$IOTRACE" convert -o t.iot --report=r.json "$@" log 2>&1
	"$IOTRACE" cat t.iot | grep '^ff %counter'
}
open='1 1700000000.000001 openat(AT_FDCWD, "a", O_RDWR) = 3 <0.000001>'
echo '== asynchronous I/O that was not traced'
try <<E
$open
1 1700000000.000002 io_setup(8, [0x7f]) = 0 <0.000001>
1 1700000000.000003 read(3, ""..., 10) = 10 <0.000001>
E
echo '== arrays that strace has cut'
try <<E
$open
1 1700000000.000001 pipe2([...], O_CLOEXEC) = 0 <0.000001>
1 1700000000.000002 io_setup(8, [0x7f]) = 0 <0.000001>
1 1700000000.000003 io_submit(0x7f, 2, [...]) = 2 <0.000001>
1 1700000000.000004 io_getevents(0x7f, 2, 2, [...], NULL) = 2 <0.000001>
1 1700000000.000005 read(3, ""..., 10) = 10 <0.000001>
1 1700000000.000006 sendmsg(9, {msg_name=NULL, msg_namelen=0, msg_iov=[...], msg_iovlen=1, msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[...]}], msg_controllen=24, msg_flags=0}, 0) = 1 <0.000001>
E
echo '== seeks and descriptors that contradict the calls before them'
try <<E
$open
1 1700000000.000002 read(3, ""..., 10) = 10 <0.000001>
1 1700000000.000003 lseek(3, 0, SEEK_CUR) = 20 <0.000001>
1 1700000000.000004 openat(AT_FDCWD, "b", O_RDWR) = 3 <0.000001>
E
echo '== a ring of io_uring that the kernel polls'
try <<E
$open
1 1700000000.000002 io_uring_setup(8, {flags=IORING_SETUP_SQPOLL}) = 4 <0.000001>
1 1700000000.000003 read(3, ""..., 10) = 10 <0.000001>
E
echo '== nothing but what is no file'
cat >others <<'E'
1 1700000000.000001 write(1, "x", 5) = 5 <0.000001>
1 1700000000.000002 pipe2([3, 4], 0) = 0 <0.000001>
1 1700000000.000003 write(4, "x", 2097152) = 2097152 <0.000001>
1 1700000000.000004 read(3, "x", 2097152) = 2097152 <0.000001>
1 1700000000.000005 memfd_create("m", 0) = 5 <0.000001>
1 1700000000.000006 write(5, "x", 7) = 7 <0.000001>
1 1700000000.000007 read(6</dev/null>, "", 7) = 0 <0.000001>
1 1700000000.000008 recvfrom(7<socket:[1]>, "x", 9, 0, NULL, NULL) = 9 <0.000001>
1 1700000000.000009 read(8</dev/pts/1>, "x", 9) = 1 <0.000001>
1 1700000000.000010 eventfd2(0, 0) = 9 <0.000001>
1 1700000000.000011 read(9, "x", 8) = 8 <0.000001>
1 1700000000.000012 openat(AT_FDCWD, "a", O_RDWR) = 10 <0.000001>
E
try <others
sed -n '/"skipped"/,/}/p' r.json
echo '== --all'
try --all <others
"$IOTRACE" info t.iot | grep -E 'reads|writes'
file='1 1700000000.000013 write(10, "x", 400000) = 400000 <0.000001>'
echo '== few bytes of files beside them'
{ cat others; echo "$file"; } | try
echo '== more bytes of files: told with -v only'
{ cat others; echo "$file"; echo "$file"; } | try
{ cat others; echo "$file"; echo "$file"; } | try -v
echo '== a result of another call in a line: two programs write to one terminal'
try <<E
$open
1 1700000000.000002 read(3, ""..., 10) = 10 <0.000001>
1 1700000000.000003 read(3, ) = 0x7fa65f7c9000 <0.000001>
E
echo '== results that contradict the arguments, and durations below zero'
try <<E
$open
1 1700000000.000002 read(3, ""..., 10) = 10 <-0.000001>
1 1700000000.000003 read(3, ""..., 10) = 30 <0.000001>
1 1700000000.000004 read(3, ""..., 10) = -5 <0.000001>
1 1700000000.000005 read(3, ""..., 10) = some <0.000001>
1 1700000000.000006 close(3) = 0 <0.000001>
E
"$IOTRACE" stat log >stat.out 2>&1
echo "exit status $?"
echo '== appends that overlap, at the unknown end of a file'
try <<'E'
1 1700000000.000001 openat(AT_FDCWD, "a", O_WRONLY|O_APPEND) = 3 <0.000001>
2 1700000000.000002 openat(AT_FDCWD, "a", O_WRONLY|O_APPEND) = 3 <0.000001>
1 1700000000.000003 write(3, "x"..., 5 <unfinished ...>
2 1700000000.000004 write(3, "x"..., 7) = 7 <0.000001>
1 1700000000.000006 <... write resumed>) = 5 <0.000003>
E
echo '== logs of two hosts with the same process numbers'
for host in a b; do
	for i in 1 2 3 4 5 6 7; do
		echo "1 1700000000.00000$i getppid() = 7 <0.000001>"
	done >$host.strace
done
"$IOTRACE" convert --strict --all -o t.iot a.strace b.strace 2>&1
echo "exit status $?"
