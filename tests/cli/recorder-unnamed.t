# SPDX-License-Identifier: BSD-2-Clause
# Reads and writes of descriptors without an open are not records; their calls and bytes are reported.
tar xf "$TESTDATA/recorder/traces.tar.xz" old_2.2.1
chmod -R u+w old_2.2.1
sums() {
	"$IOTRACE" convert --format-version=1 -v -o t.iot old_2.2.1 2>&1
	"$IOTRACE" info t.iot | grep -E 'reads|writes'
	"$IOTRACE" cat t.iot | grep -o 'skipped[^ ]*'
}
sums
LC_ALL=C sed -i 's/ 29 %p 65536$/ 77 %p 65536/' old_2.2.1/0.itf
sums
