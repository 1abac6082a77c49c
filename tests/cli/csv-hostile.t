#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rows that are not what they seem. quotes.csv of limits-work.t has quotes that are not closed.

columns='time_ns,op,offset,length\n'
echo "== NUL bytes in names of operations"
printf "$columns"'1,read,0,1\n2,re\0ad,0,1\n3,sync,,\n' >nul.csv
"$IOTRACE" convert --format-version=1 --from=csv -o - nul.csv | grep -v '^ff %end'

echo "== rows that are not in order of start, and change the path of a file and the rank of a process"
header='start_ns,duration_ns,op,kind,offset,length,process,rank,file,path'
printf "$header"'\n30,1,read,file,0,1,1,4,1,/a\n10,8,read,file,1,1,1,4,1,/a\n5,8,read,file,2,1,1,,1,/b\n' >rows.csv
"$IOTRACE" cat -q -f csv rows.csv
echo "== an operation without a name"
printf "$header"'\n0,5,sync,op,,,1,,,\n1,5,,op,,,1,,,\n' >unnamed.csv
"$IOTRACE" cat -q -f csv --all-events --no-header unnamed.csv
echo "== logs of another format than the named one"
"$IOTRACE" convert -q --from=csv --columns=msr -o out.iot "$TESTDATA/csv/financial.spc" 2>&1 | sed 's|[^ ]*testdata|testdata|'
"$IOTRACE" stat -q --in-format=fio "$TESTDATA/strace/cp.strace" 2>&1 | sed 's|[^ ]*testdata|testdata|'
"$IOTRACE" convert -q --from=blktrace "$TESTDATA/strace/cp.strace" 2>&1 | sed 's|[^ ]*testdata|testdata|'
"$IOTRACE" convert -q --from=csv --columns=spc "$TESTDATA/csv/msr.csv" 2>/dev/null || echo "exit status $?"
test -e out.iot || echo "no output"
