# SPDX-License-Identifier: BSD-2-Clause
# Damaged traces are converted as far as possible, or rejected; --check counts.
python3 -m tarfile -e "$TESTDATA/recorder/traces.tar.xz" .
try() { # NAME FOLDER
	"$IOTRACE" convert --check -o out.iot "$2" 2>&1
	echo "$1: exit status $?"
	[ -e out.iot ] && "$IOTRACE" cat out.iot | grep -c '^[c8]'
	[ -e out.iot ] && "$IOTRACE" cat out.iot | grep -o '%lost.*'
	rm -f out.iot
}
cut_file() { # FILE SIZE
	rm -rf damaged
	cp -r "${1%/*}" damaged
	head -c "$2" "$1" >"damaged/${1##*/}"
	try "$1 cut at $2" damaged
}
change() { # FILE OFFSET OCTAL
	rm -rf damaged
	cp -r "${1%/*}" damaged
	chmod -R u+w damaged
	printf "\\$3" | dd of="damaged/${1##*/}" bs=1 seek="$2" conv=notrunc 2>/dev/null
	try "$1, byte $2" damaged
}
try "whole" old_2.4.0_ic
cut_file noicomp/recorder.ts 1200
cut_file noicomp/1.cfg 100
cut_file noicomp/recorder.mt 30
cut_file old_2.2.1/0.itf 2000
cut_file old_2.3.3/1.ts 600
cut_file old_2.4.0_ic/0.cst 19000
change old_2.4.0_ic/0.cst 16 002
change old_2.2.1/0.mt 20 300
change noicomp/recorder.mt 0 004
rm noicomp/2.cst
try "a rank is missing" noicomp
rm noicomp/recorder.mt noicomp/VERSION
try "no metadata" noicomp
