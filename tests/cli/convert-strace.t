# SPDX-License-Identifier: BSD-2-Clause
# strace logs in many layouts, compared with their records; two of them with all directives.
cd "$TESTDATA/strace" || exit 1
for csv in *.csv; do
	name=${csv%.csv}
	log=$name.strace
	[ -d "$name" ] && log=$name
	"$IOTRACE" convert --format-version=1 -q "$log" 2>/dev/null |
		"$IOTRACE" cat --format=csv --columns=raw --names --ns - | cmp - "$csv" && echo "$name: same"
done
"$IOTRACE" convert --format-version=1 -q i386_llseek.strace
"$IOTRACE" convert --format-version=1 -q --ops=names --per-thread signals_ff | grep -v '^ff %op name=close' | grep ' %'
"$IOTRACE" convert --format-version=1 -q style_c.strace
echo "exit status $?"
"$IOTRACE" convert --format-version=1 -q truncated_midline.strace >/dev/null
echo "exit status $?"
