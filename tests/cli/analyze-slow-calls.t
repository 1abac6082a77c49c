# SPDX-License-Identifier: BSD-2-Clause
# One read or open that takes the whole run is a finding; a long transfer, and a wait for a pipe, are none.
cat >slow.strace <<'END'
100 1700000000.000000 openat(AT_FDCWD, "/tape/a", O_RDONLY) = 3 <0.000010>
100 1700000000.000100 read(3, "x"..., 4096) = 4096 <50.000000>
100 1700000050.000200 close(3) = 0 <0.000010>
100 1700000050.000300 openat(AT_FDCWD, "/nfs/b", O_RDONLY) = 3 <8.000010>
100 1700000058.000700 read(3, "x"..., 4096) = 4096 <0.000003>
100 1700000058.000800 close(3) = 0 <0.000010>
100 1700000058.000900 +++ exited with 0 +++
END
cat >healthy.strace <<'END'
100 1700000000.000000 openat(AT_FDCWD, "/data/a", O_RDONLY) = 3 <0.000010>
100 1700000000.000100 read(3, "x"..., 2147479552) = 2147479552 <20.000000>
100 1700000020.000200 close(3) = 0 <0.000010>
100 1700000020.000300 openat(AT_FDCWD, "/dev/pts/3", O_RDONLY) = 3 <0.000010>
100 1700000020.000400 read(3, "x"..., 4096) = 2 <30.000000>
100 1700000050.000500 close(3) = 0 <0.000010>
100 1700000050.000900 +++ exited with 0 +++
END
for log in slow healthy; do
	echo "$log:"
	"$IOTRACE" analyze -q --section=findings --tsv $log.strace | grep '^findings'
done
"$IOTRACE" analyze -q slow.strace | sed -n '/^findings/,/^$/p'
