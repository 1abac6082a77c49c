#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rows that are not what they seem. quotes.csv of limits-work.t has quotes that are not closed.

columns='time_ns,op,offset,length\n'
echo "== NUL bytes in names of operations"
printf "$columns"'1,read,0,1\n2,re\0ad,0,1\n3,sync,,\n' >nul.csv
"$IOTRACE" convert --format-version=1 --from=csv -o - nul.csv | grep -v '^ff %end'
