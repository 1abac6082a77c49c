# SPDX-License-Identifier: BSD-2-Clause
# Journals that are created, synced and removed belong to the syncs of their commits, also beside many other small files.
awk 'function call(what, took) {
	printf "100 %.6f %s <%.6f>\n", now, what, took
	now += took + 0.000010
}
BEGIN {
	now = 1700000000
	for (i = 0; i < 360; i++) {
		call("openat(AT_FDCWD, \"/lib/" i "\", O_RDONLY) = 3", 0.000010)
		call("read(3, \"x\"..., 4096) = 512", 0.000005)
		call("close(3) = 0", 0.000005)
	}
	for (i = 0; i < 120; i++) {
		call("openat(AT_FDCWD, \"/data/db-journal\", O_RDWR|O_CREAT, 0644) = 3", 0.000100)
		call("write(3, \"x\"..., 512) = 512", 0.000010)
		call("fsync(3) = 0", 0.002000)
		call("close(3) = 0", 0.000005)
		call("unlink(\"/data/db-journal\") = 0", 0.001000)
	}
	printf "100 %.6f +++ exited with 0 +++\n", now
}' >commits.strace
"$IOTRACE" analyze -q --section=findings commits.strace | sed -n '/^findings/,/^$/p'
grep -v fsync commits.strace >names.strace
"$IOTRACE" analyze -q --section=findings names.strace | sed -n '/^findings/,/^$/p'
