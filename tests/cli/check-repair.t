# SPDX-License-Identifier: BSD-2-Clause
# What check --repair recovers from damaged traces.
cp "$TESTDATA"/format/sync.iot whole.iot
repair() { # NAME OPTION...
	file=$1
	shift
	"$IOTRACE" check --repair "$@" -o out.iot "$file" 2>said
	status=$?
	echo "== $file $*: $status"
	cat said
	if [ "$status" -lt 2 ] && [ -e out.iot ]; then
		diff whole.iot out.iot
		"$IOTRACE" check out.iot
	fi
	rm -f out.iot
}
repair whole.iot
sed '12s/ a a/ b a/' whole.iot >digit.iot
repair digit.iot
repair digit.iot --keep-unverified
sed '9s/time=20/time=21/' whole.iot >time.iot
repair time.iot
sed '9s/%sync/%sing/' whole.iot >name.iot
repair name.iot
sed '9d' whole.iot >missing.iot
repair missing.iot
{ head -n 17 whole.iot; sed -n '9,$p' whole.iot; } >twice.iot
repair twice.iot
head -n 17 whole.iot >cut.iot
repair cut.iot
repair cut.iot --keep-unverified
sed '1s/tick=1000/tick=1008/' whole.iot >tick.iot
repair tick.iot
repair tick.iot --in-tick=1000
sed 1d whole.iot | "$IOTRACE" check --repair -
echo "a pipe: $?"
"$IOTRACE" cat --bare -o bare.iot whole.iot
repair bare.iot
# Frames with valid checksums need no hash.
"$IOTRACE" cat --no-index -o whole.iot.zst whole.iot
size=$(wc -c <whole.iot.zst)
head -c $((size - 9)) whole.iot.zst >cut.iot.zst
repair cut.iot.zst
{ cat whole.iot | sed -n '1,8p' | zstd -qc --no-check; sed -n '9,17p' whole.iot | zstd -qc --no-check
sed -n '18,$p' whole.iot | zstd -qc --no-check | sed 's/^/x/'; } >unchecked.iot.zst
repair unchecked.iot.zst
cat whole.iot whole.iot >two.iot
repair two.iot
