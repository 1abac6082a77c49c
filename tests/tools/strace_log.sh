#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A log as strace -f -ttt -T -o makes it: strace_log.sh N [PATH]: a process opens PATH, writes 4096
# bytes N times and reads 100 of them back.
awk -v n="${1:-10}" -v path="${2:-/tmp/out.bin}" '
function line(took, text) {
	printf "1234  %d.%06d %s <0.%06d>\n", 1700000000 + int(us / 1000000), us % 1000000, text, took
	us += took + 3
}
BEGIN {
	line(200, "execve(\"/bin/app\", [\"app\"], 0x7ffd /* 9 vars */) = 0")
	line(10, "openat(AT_FDCWD, \"" path "\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3")
	for (i = 0; i < n; i++)
		line(20, "write(3, \"x\"..., 4096) = 4096")
	line(2, "lseek(3, 0, SEEK_SET) = 0")
	line(7, "read(3, \"x\"..., 100) = 100")
	line(5, "close(3) = 0")
	printf "1234  %d.%06d +++ exited with 0 +++\n", 1700000000 + int(us / 1000000), us % 1000000
}'
