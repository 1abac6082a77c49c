# SPDX-License-Identifier: BSD-2-Clause
# Options that exclude each other; an output that is also the input.
cp "$TESTDATA"/format/sync.iot t.iot
for options in "" "--repair" "--repair a b" "--repair --json t.iot" "-o x t.iot" "--keep-unverified t.iot" "--format-version=1 t.iot" \
	"--repair -o t.iot t.iot" "--repair --compress=gzip --level=12 t.iot"; do
	"$IOTRACE" check $options </dev/null >out 2>err
	echo "check $options: $? $(head -n 1 err)"
done
cmp t.iot "$TESTDATA"/format/sync.iot
"$IOTRACE" check --help | head -n 3
"$IOTRACE" check t.iot >/dev/full
echo "full: $?"
