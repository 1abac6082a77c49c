# SPDX-License-Identifier: BSD-2-Clause
# A trace of block devices with one request of each kind. Versions, byte orders, the number of CPUs
# and the order of the files make no difference.
cd "$TESTDATA/blktrace" || exit 1
"$IOTRACE" convert --format-version=1 --base=10 v7.blktrace.0 v7.blktrace.1 2>&1
for form in v7be v8 v8be; do
	"$IOTRACE" convert --format-version=1 -q --base=10 $form.blktrace.* | cmp - - <<-END
	$("$IOTRACE" convert --format-version=1 -q --base=10 v7.blktrace.1 v7.blktrace.0)
	END
done
# From the queue on, each request that was queued is a record; or one device of several.
"$IOTRACE" convert --format-version=1 -q --base=10 --start=queue v7.blktrace.* | grep -v '^255'
"$IOTRACE" convert --format-version=1 -q --base=10 --device=253,0 --start=queue v7.blktrace.* | grep -v counter
"$IOTRACE" convert --format-version=1 -q --base=10 --device=259:10 v7.blktrace.* | grep -v '^255'
"$IOTRACE" convert --format-version=1 --device=sda v7.blktrace.* 2>&1 | head -n 1
"$IOTRACE" convert --format-version=1 --start=C v7.blktrace.* 2>&1 | head -n 1
# The text of blkparse gives the same requests; it does not contain the wall clock.
"$IOTRACE" convert --format-version=1 -q --base=10 v7.blkparse.txt | grep -v '^255 %' >text
"$IOTRACE" convert --format-version=1 -q --base=10 v7.blktrace.* | grep -v '^255 %' | cmp - text && rm text
"$IOTRACE" convert --format-version=1 -q v7.blkparse.txt | grep 'actions'
# Physical records are counted apart, by disk.
"$IOTRACE" convert --format-version=1 -q v7.blktrace.* | "$IOTRACE" stat --physical 2>&1
