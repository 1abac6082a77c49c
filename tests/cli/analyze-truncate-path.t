# SPDX-License-Identifier: BSD-2-Clause
# truncate(2) names a file by its path: what it throws away is waste, unless it was read before or remains.
log() {
	awk -v reads="$1" -v path="$2" -v size="$3" '
		function call(text, took) { printf "7 %.6f %s <%.6f>\n", now, text, took; now += took + 0.0001 }
		BEGIN {
			now = 1700000000
			for (round = 0; round < 20; round++) {
				call("openat(AT_FDCWD, \"/scratch/log\", O_RDWR|O_CREAT|O_APPEND, 0644) = 3", 0.00001)
				for (block = 0; block < 4; block++)
					call("pwrite64(3, \"\"..., 1048576, " block * 1048576 ") = 1048576", 0.001)
				for (block = 0; block < reads; block++)
					call("pread64(3, \"\"..., 1048576, " block * 1048576 ") = 1048576", 0.0001)
				call("close(3) = 0", 0.00001)
				call("truncate(\"" path "\", " size ") = 0", 0.002)
			}
		}'
}
finding() {
	"$IOTRACE" analyze -q -t 2>/dev/null | grep '^findings	' | cut -f2,3,5
}
echo "emptied by its path"
log 0 /scratch/log 0 | finding
echo "read before"
log 4 /scratch/log 0 | finding
echo "another file"
log 0 /scratch/other 0 | finding
echo "to more than it has"
log 0 /scratch/log 8388608 | finding
