# SPDX-License-Identifier: BSD-2-Clause
# Options in every spelling that GNU getopt accepts.
"$IOTRACE" cat "$TESTDATA/format/example.iot" >wanted
check() {
	"$IOTRACE" cat "$@" || echo "$*: $?"
	cmp out wanted
	rm -f out
}
example=$TESTDATA/format/example.iot
check -o out "$example"
check -oout "$example"
check "$example" -o out
check -qoout "$example"
check --output out -q "$example"
check --output=out --format=iot -- "$example"
cp "$example" ./-dash
check -qo out -- -dash
"$IOTRACE" cat - <"$example" | cmp - wanted
"$IOTRACE" cat <"$example" | cmp - wanted
"$IOTRACE" cat --format csv -f iot "$example" | cmp - wanted
