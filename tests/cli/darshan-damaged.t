# SPDX-License-Identifier: BSD-2-Clause
# Truncated or modified logs are converted up to the damage; other files are rejected.
log=$TESTDATA/darshan/mpi4_dxt.darshan
try() {
	"$IOTRACE" convert -o out.iot "$1" 2>&1
	echo "$2: exit status $?"
	[ -e out.iot ] && "$IOTRACE" cat out.iot | grep -c '^[c8]'
	[ -e out.iot ] && "$IOTRACE" cat out.iot | grep '%lost'
	rm -f out.iot
}
for size in 100 1000 1400 3100 4000 6210; do
	head -c $size "$log" >cut.darshan
	try cut.darshan "$size bytes"
done
change() { # OFFSET OCTAL
	cp "$log" changed.darshan
	chmod 644 changed.darshan
	printf "\\$2" | dd of=changed.darshan bs=1 seek="$1" conv=notrunc 2>/dev/null
}
change 3500 000
try changed.darshan "a byte of DXT_POSIX"
change 16 001
try changed.darshan "compression"
change 2 067
try changed.darshan "version"
change 1112 011
try changed.darshan "version of DXT_POSIX"
head -c 1328 /dev/zero >unfinished.darshan
try unfinished.darshan "a header of zeros"
echo "times beyond 2^63 nanoseconds"
python3 "$TOOLS/darshan_make.py" --segments 8 --ranks 2 --start 8589934591 --late 990000000 late.darshan &&
	"$IOTRACE" convert -v --report=late.json -o late.iot late.darshan 2>&1 | grep -a 'start of the job'
echo "exit status $?"
"$IOTRACE" cat late.iot | grep -c '^[c8]'
"$IOTRACE" cat late.iot | grep -o 'epoch=[0-9]*'
grep -o '"not_a_time[^,]*' late.json
# Each of several logs that cannot be opened is a %lost; the others are converted.
head -c 100 "$log" >short.darshan
cp short.darshan other.darshan
cp "$log" again.darshan
"$IOTRACE" convert -o several.iot short.darshan "$log" other.darshan again.darshan 2>&1
"$IOTRACE" convert -o several.iot "$log" short.darshan again.darshan other.darshan 2>&1
echo "exit status $?"
"$IOTRACE" cat several.iot | grep '%lost'
"$IOTRACE" info several.iot | grep 'records  \|gaps'
"$IOTRACE" convert -o several.iot short.darshan other.darshan "$log" 2>&1
echo "exit status $?"
"$IOTRACE" cat several.iot | grep '%lost'
"$IOTRACE" convert -o none.iot short.darshan other.darshan 2>&1
ls none.iot 2>/dev/null
