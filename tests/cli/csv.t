# SPDX-License-Identifier: BSD-2-Clause
# Tables: presets, headers, quotes and escapes; the tables of cat, which become the same again; truncated ones.
cd "$TESTDATA" || exit 1
rows() { "$IOTRACE" cat -q --format=csv --all-events "$@"; }
for table in csv/msr.csv csv/financial.spc csv/header.csv csv/tabs.tsv; do
	echo "$table:"
	"$IOTRACE" convert -q "$table" | rows
done
echo 'first lines of published traces:'
printf '128166372003061629,usr,0,Read,7014609920,24576,41286\n' | "$IOTRACE" convert -q - | grep -v '%iotrace\|%end'
printf '0,303567,3584,w,0.000000\n' | "$IOTRACE" convert -q - | grep -v '%iotrace\|%end'
echo 'round trip:'
again() { # TRACE OPTION...
	rows "$@" >"$OLDPWD/table"
	case "$*" in *extremes*) set -- "$@" ;; esac
	"$IOTRACE" convert -q --unsorted --from=csv -o "$OLDPWD/again.iot" "$OLDPWD/table"
	shift
	rows "$OLDPWD/again.iot" "$@" | cmp - "$OLDPWD/table" && same=$((same + 1))
}
same=0 tables=0
all=start_ns,duration_ns,op,kind,offset,length,process,rank,file,path,cpu_ns,relative_offset,operation,object,program,host,to,result
for log in strace/cp.strace darshan/mpi4_dxt.darshan libcachesim/small.vscsi csv/header.csv; do
	"$IOTRACE" convert -q -o "$OLDPWD/${log##*/}.iot" "$log"
done
for trace in format/*.iot "$OLDPWD"/*.*.iot; do
	for option in --quiet --format=tsv --columns=$all; do
		tables=$((tables + 1))
		again "$trace" $option
	done
done
raw() { "$IOTRACE" cat -q --format=csv --columns=raw "$@"; }
for table in format/*.csv recorder/*.csv strace/*.csv; do
	tables=$((tables + 1))
	unit='' names=''
	test "$table" != format/extremes.csv || unit=--columns=raw:ns
	grep -q object,path "$table" && names=--names
	"$IOTRACE" convert -q --unsorted $unit -o "$OLDPWD/raw.iot" "$table"
	raw $names "$OLDPWD/raw.iot" | cmp - "$table" && same=$((same + 1))
done
echo "$same of $tables"
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
