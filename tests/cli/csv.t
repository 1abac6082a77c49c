# SPDX-License-Identifier: BSD-2-Clause
# Tables: presets, headers, quotes and escapes; truncated ones. csv-again.t has those of cat.
cd "$TESTDATA" || exit 1
rows() { "$IOTRACE" cat -q --format=csv --all-events "$@"; }
for table in csv/msr.csv csv/financial.spc csv/header.csv csv/tabs.tsv; do
	echo "$table:"
	"$IOTRACE" convert -q "$table" | rows
done
echo 'first lines of published traces:'
printf '128166372003061629,usr,0,Read,7014609920,24576,41286\n' | "$IOTRACE" convert -q - | grep -v '%iotrace\|%end'
printf '0,303567,3584,w,0.000000\n' | "$IOTRACE" convert -q - | grep -v '%iotrace\|%end'
"$IOTRACE" convert -q -o "$OLDPWD/cp.strace.iot" strace/cp.strace
cd "$OLDPWD" || exit 1
echo 'truncated:'
cuts() { # a table with N bytes: exit 0 only if it ends at a line, or has all columns
	size=$(wc -c <"$1") n=$2 lost=0 whole=0
	while [ $n -lt "$size" ]; do
		head -c $n "$1" >cut
		if "$IOTRACE" convert -q -o cut.iot cut 2>err; then
			whole=$((whole + 1))
		else
			grep -q '^ff %lost' cut.iot && lost=$((lost + 1))
		fi
		n=$((n + 1))
	done
	echo "lost $lost, complete or unclosed $whole"
}
head -n 3 "$TESTDATA/csv/msr.csv" >msr
cuts msr 60
rows cp.strace.iot | head -n 4 >own
cuts own 70
echo 'refused:'
for columns in time time:kg op,op nothing offset=x ''; do
	"$IOTRACE" convert --from=csv --columns="$columns" "$TESTDATA/csv/msr.csv" 2>&1 | head -n 1
done
printf 'time,op,offset,size\n1,r,2,3\n' | "$IOTRACE" convert - 2>&1 | head -n 1
"$IOTRACE" convert --from=csv --delimiter=xx "$TESTDATA/csv/msr.csv" 2>&1 | head -n 1
printf 'ff %%ioff %%end records=0 name=sh offset=0\n' | "$IOTRACE" convert - 2>&1 | head -n 1
echo 'names:'
printf 'start_us;disk;op;lba;sectors\n1;sda;W;8;16\n2;sdb;R;0;8\n' | "$IOTRACE" convert -q - | rows

echo '# without a column of processes'
"$IOTRACE" convert -q -o plain.iot "$TESTDATA/csv/tabs.tsv"
"$IOTRACE" info plain.iot | grep processes
"$IOTRACE" top --once plain.iot | head -1
"$IOTRACE" top --once --json plain.iot | grep -o '"processes":[^,]*'
"$IOTRACE" analyze -q plain.iot | head -1
echo '# headers of key traces, and columns that are not known'
printf 'time_s,op,key,size\n0,get,a1,10\n1,set,b1,10\n2,gets,a1,10\n' | "$IOTRACE" convert -q - | rows
printf 'op_time_s,operation,obj_id,obj_size,ttl,"next time",path,file\n0,get,7,10,1,2,/a,3\n' | "$IOTRACE" convert --format-version=1 - 2>&1 | grep -v '%iotrace\|%end'
printf 'time_s,op,offset,size,%s\n0,r,7,10\n' "$(seq -s , -f 'extra column %g' 12)" | "$IOTRACE" convert -o extra.iot - 2>&1 | head -n 1
