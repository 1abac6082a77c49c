# SPDX-License-Identifier: BSD-2-Clause
# Every counter of every module, in each version and byte order: a generated log has a different
# value for each, and the trace must have the same values. Then records that cannot be read,
# and repeated ones.
make_log() { python3 "$TOOLS/darshan_modules.py" "$@" made.darshan >wanted; }
counters() { "$IOTRACE" convert -q --format-version=1 "$@" made.darshan | sed -n 's/^ff \(%counter\)/\1/p'; }
fold_line() { fold -s -w 110 | sed 's/ $//'; }
each() { tr ' ' '\n' | sed -n 's/^rank=/rank /p; /^[A-Z]/p'; }

for module in H5F:1 H5F:2 H5F:3 H5D:1 H5D:2 PNETCDF_FILE:1 PNETCDF_FILE:2 PNETCDF_FILE:3 \
	PNETCDF_VAR:1 BG/Q:1 BG/Q:2 MDHIM:1 APXC:1 APMPI:1 DFS:1 DAOS:1; do
	for order in '' --big; do
		make_log ${module%:*} ${module#*:} $order
		counters | each >got
		cmp got wanted && echo "$module $order: $(grep -c = got) counters, as they are in the log"
	done
done

echo
echo 'What they look like'
for module in 'H5F 1' 'H5F 2' 'PNETCDF_FILE 1' 'PNETCDF_FILE 2' 'PNETCDF_FILE 3' 'BG/Q 1' 'MDHIM 1' \
	'DFS 1' 'DAOS 1'; do
	make_log $module
	counters | sed 1q | fold_line
done
for module in APXC APMPI; do
	make_log $module 1
	counters | cut -c 1-330 | fold_line
	counters | sed 's/.*\( [^ ]*\)$/... \1/'
done

echo
echo 'Of AutoPerf, another layout of the same version; servers that cannot be; the next version'
for module in APMPI APXC; do
	make_log $module 1 --other
	counters | sed 's/skipped=.*/skipped=.../'
done
make_log MDHIM 1 --servers 100000
counters 2>&1 | cut -c 1-100
make_log H5F 3 --as 4
counters | sed 's/skipped=.*/skipped=.../'

echo
echo 'The same record many times; zeros'
make_log H5F 3 --records 7
counters
make_log PNETCDF_FILE 3 --zeros 13600000
counters | tail -n 1

echo
echo 'As darshan-parser prints it'
{
	echo '# darshan log version: 3.41'
	for counter in DAOS_OBJ_OPENS DAOS_F_META_TIME; do
		printf 'DAOS\t0\t77\t%s\t%s\t%s\t%s\t%s\n' $counter 4 18446744073709551614.5 \
			00010203-0405-0607-0809-0a0b0c0d0e0f:10111213-1415-1617-1819-1a1b1c1d1e1f N/A
	done
	printf 'DFS\t0\t78\tDFS_OPENS\t1\t/a file\tUNKNOWN\tN/A\n'
} >made.darshan
counters
