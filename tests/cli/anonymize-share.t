# SPDX-License-Identifier: BSD-2-Clause
# Data that users might share by mistake, and data that must survive.
printf 'a key of enough bytes\n' >key
chmod 600 key
mkdir in
printf 'ff %%file process=1 id=1 path=/home/alice/a.alice\nc0 20 0 1 0 1 1 1 0\n' >in/a.iot
echo "== neither the key nor the mapping beside the traces to be shared"
"$IOTRACE" anonymize --key out/key --new-key -O out in/a.iot 2>&1
echo "exit status $?"
"$IOTRACE" anonymize --key key --map out/../out/private.tsv -O out in/a.iot 2>&1
echo "exit status $?"
ls out
mkdir mine
"$IOTRACE" anonymize --key key --map mine/private.tsv -O out in/a.iot
echo "exit status $?"
echo "== extensions that stay are shown"
"$IOTRACE" anonymize --key key --keep-extension -o out.iot in/a.iot 2>&1
"$IOTRACE" anonymize -q --key key --keep-extension -o out.iot in/a.iot 2>&1
echo "== a new key only for inputs that can be read"
"$IOTRACE" anonymize --key new --new-key -o out.iot absent 2>&1
echo "exit status $?"
ls new 2>&1
echo "== an interrupted trace does not become a complete one"
{
	cat in/a.iot
	echo 'ff %lost time=1 why=interrupted'
} | "$IOTRACE" cat --framed -o cut.iot
"$IOTRACE" anonymize --key key -o out.iot cut.iot
"$IOTRACE" info out.iot | head -n 1
echo "== the mapping has pseudonyms of any length, and names of files as they are"
long=$(seq -f 'd%g' -s / 300)
tab=$(printf 'in/a\tb.iot')
printf 'ff %%file process=1 id=1 path=%s\nff %%file process=1 id=2 path=%s/x\nc0 20 0 1 0 1 1 1 0\n' \
	"$long" "$long" >"$tab"
"$IOTRACE" anonymize --key key --map mine/long.tsv -O out "$tab"
awk -F '\t' '{ print $1, NF, length($3) } $1 == "trace" { print $2 }' mine/long.tsv
"$IOTRACE" cat "out/a$(printf '\t')b.iot" | sed -n 's/.*path=//p' >paths
sed -n 's/^f\t.*\t//p' mine/long.tsv | cmp - paths && echo same

# analyze computes the same values, except those of bins, which begin at multiples since 1970.
"$IOTRACE" convert -q -o original.iot "$TESTDATA/strace/sqlite.strace.gz"
grep -v -e '%iotrace' -e '%sync' -e '%end' original.iot | sed 's/ epoch=[0-9]*//' >without.iot
for trace in original without; do
	"$IOTRACE" anonymize -q -k share.key --new-key -o shared.iot $trace.iot && rm share.key
	for sections in sizes,order,reuse time,cycles; do
		for t in $trace shared; do
			"$IOTRACE" analyze -q --json --section=$sections $t.iot |
				grep -v -e '"command"' -e '"trace_id"' -e process >$t.json
		done
		cmp -s $trace.json shared.json && echo "$trace: $sections: equal" || echo "$trace: $sections: differ"
	done
done
