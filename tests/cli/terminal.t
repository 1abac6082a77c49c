# SPDX-License-Identifier: BSD-2-Clause
# Terminals: no trace is read from one, no compressed data written to one; progress only there.
script -qec true /dev/null </dev/null >/dev/null 2>&1 || {
	echo "no pseudo-terminals"
	exit 77
}
cp "$TESTDATA/format/example.iot" .
on_terminal() {
	script -qec "$1; echo \$?" /dev/null </dev/null | tr -d '\r'
}
on_terminal "'$IOTRACE' cat --compress=zstd example.iot"
on_terminal "'$IOTRACE' cat"
on_terminal "'$IOTRACE' cat --bare example.iot"
"$IOTRACE" cat --bare example.iot 2>err >/dev/null
cat err
