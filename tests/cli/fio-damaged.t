# SPDX-License-Identifier: BSD-2-Clause
# Logs of fio that are cut, of another version, or without offsets.
try() {
	"$IOTRACE" convert --format-version=1 -o x.iot "$@" 2>&1
	echo "exit status $?"
	[ -e x.iot ] && "$IOTRACE" cat --base=10 x.iot | grep -E '%(lost|end)'
	rm -f x.iot
}
head -c 300 "$TESTDATA/fio/v3.iolog" >cut.iolog
try cut.iolog
head -c 300 "$TESTDATA/fio/job_lat.1.log" >cut_lat.1.log
try cut_lat.1.log
printf 'fio version 1 iolog\n' >old.iolog
try old.iolog
printf '0, 153818, 0, 4096, 0\n0, 177774, 0, 4096, 0\n1, 301478, 0, 4096, 0\n' >none_lat.1.log
try none_lat.1.log
# Columns of older and of later releases
printf '1, 900, 0, 4096, 8192\n2, 900, 1, 4096, 0\n3, 900, 2, 4096, 4096\n' >old_lat.1.log
"$IOTRACE" convert --format-version=1 -q --base=10 old_lat.1.log
printf '1, 900, 0, 4096, 8192, 0x0000, 1\n2, 900, 1, 4096, 0, 0x2004, 2\n3, 9, 3, 1, 1, 1, 1\n' >new_clat.1.log
"$IOTRACE" convert --format-version=1 --base=10 new_clat.1.log 2>&1
