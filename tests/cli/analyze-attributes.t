# SPDX-License-Identifier: BSD-2-Clause
# The finding on lookups names the kind of calls with most time, and where they are.
log() {
	awk -v call="$1" 'BEGIN {
		for (i = 0; i < 300; i++)
			printf "7 %.6f stat(\"/etc/conf.d/%d\", {st_mode=S_IFREG|0644, st_size=9}) = 0 <0.000010>\n",
				1700000000 + i / 1000, i
		for (i = 0; i < 200; i++)
			printf "7 %.6f %s <0.002000>\n", 1700000001 + i / 300, call
		print "7 1700000002.000000 pread64(3, \"\"..., 4096, 0) = 4096 <0.000100>"
	}'
}
finding() {
	"$IOTRACE" analyze -q | sed -n '/^- /,/^$/p'
}
echo "chmod"
log 'chmod("/srv/pool/item", 0644) = 0' | finding
echo "getxattr"
log 'getxattr("/srv/pool/item", "user.tag", 0x7f00, 99) = -1 ENODATA (No data available)' | finding
echo "readlink"
log 'readlink("/srv/pool/item", "x", 99) = 1' | finding
