# SPDX-License-Identifier: BSD-2-Clause
# Wrong usage: two lines on standard error, nothing on standard output, exit status 2.
try() {
	"$IOTRACE" "$@"
	echo "$?"
}
try
try ifno
try --halp
try xyzzy
try conv x
try cat --out=x y
try help statt
try cat --formt=csv x
try cat --frobnicate x
try cat --format=xml x
try cat --format
try cat --quiet=1 x
try cat -Z x
try cat -o
try cat one two three
try cat --in-base=8 x
try cat --in-tick=0 x
try cat --sync=-1 x
try cat --level=20 x
try cat --threads=18446744073709551616 x
try info
try stat --json --tsv x
try stat --by=colour x
try cat "$(printf -- '--\033[31m\377')"
try top --interval=0 x
try top --by=size x
try top one two
