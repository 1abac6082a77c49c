# SPDX-License-Identifier: BSD-2-Clause
# Large traces: stages on threads deliver the same result as on one processor, complete or damaged, and the
# conversion can end early.
command -v taskset >/dev/null || { echo 'there is no taskset'; exit 77; }
first=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
python3 "$TOOLS/recorder_make.py" --ranks 8 --calls 20000 packed
python3 "$TOOLS/recorder_make.py" --ranks 3 --calls 70000 --own --raw raw
convert() { # FOLDER NAME COMMAND...
	of=$1 as=$2
	shift 2
	"$@" "$IOTRACE" convert --check -o out.iot "$of" 2>$as.err
	echo "$of, $as: exit status $?"
	mv out.iot $as.iot
}
try() { # FOLDER
	convert "$1" all
	convert "$1" one taskset -c "$first"
	cat all.err
	cmp all.err one.err && cmp all.iot one.iot && "$IOTRACE" stat all.iot | grep 'total$'
}
try packed
try raw
head -c 1200000 raw/recorder.ts >cut && mv cut raw/recorder.ts
echo 'times of a rank cut:'
try raw
printf '\0\0\0\0' | dd of=packed/recorder.ts bs=1 seek=200000 conv=notrunc 2>/dev/null
echo 'packed times changed:'
try packed
"$IOTRACE" convert raw | head -n 2 | cut -c 1-12
"$IOTRACE" convert -q packed >/dev/full || echo 'ended early'
