# SPDX-License-Identifier: BSD-2-Clause
# Threads that stop sharing descriptors: the close of one does not end the name of a file that the other
# has open.
cat >log <<'END'
7 1700000010.000000 openat(AT_FDCWD, "/a", O_RDWR|O_CREAT, 0644) = 3 <0.000010>
7 1700000010.001000 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD, tls=0x7f) = 8 <0.000010>
8 1700000010.002000 unshare(CLONE_FILES) = 0 <0.000010>
8 1700000010.003000 write(3, "abc", 3) = 3 <0.000010>
8 1700000010.004000 openat(AT_FDCWD, "/b", O_RDWR|O_CREAT, 0644) = 4 <0.000010>
7 1700000010.005000 openat(AT_FDCWD, "/c", O_RDWR|O_CREAT, 0644) = 4 <0.000010>
7 1700000010.006000 write(4, "abcde", 5) = 5 <0.000010>
8 1700000010.007000 write(4, "abcd", 4) = 4 <0.000010>
7 1700000010.007900 write(3, "12345", 5 <unfinished ...>
8 1700000010.008000 close(3) = 0 <0.000010>
7 1700000010.008100 <... write resumed>) = 5 <0.000200>
7 1700000010.009000 write(3, "67", 2) = 2 <0.000010>
7 1700000010.010000 close(3) = 0 <0.000010>
8 1700000010.011000 write(4, "abcd", 4) = 4 <0.000010>
7 1700000010.020000 exit_group(0) = ?
END
"$IOTRACE" cat -q --format=csv log | sed 1d | cut -d, -f3,5,6,10
"$IOTRACE" convert -q -o log.iot log
"$IOTRACE" check log.iot
"$IOTRACE" stat --tsv --by=file log.iot | cut -f 4-8,14
