# SPDX-License-Identifier: BSD-2-Clause
# A directory that also contains other files; a trace where a log is expected.
mkdir logs
cp "$TESTDATA/strace/cp.strace" logs/z.strace
echo 'What these logs are.' >logs/README
"$IOTRACE" convert -o folder.iot logs 2>&1
"$IOTRACE" convert -q -o file.iot logs/z.strace
"$IOTRACE" cat --format=csv --columns=raw folder.iot | cut -d , -f 1-6 >folder.csv
"$IOTRACE" cat --format=csv --columns=raw file.iot | cut -d , -f 1-6 | cmp - folder.csv && echo 'the same records'
"$IOTRACE" convert -o again.iot file.iot 2>&1
echo "status $?"

# A line longer than the limit counts as one line.
{ cat logs/z.strace; head -c 20000000 /dev/zero | tr '\0' x; echo; } >long.strace
"$IOTRACE" convert -o long.iot long.strace 2>&1 | cut -c 1-60
