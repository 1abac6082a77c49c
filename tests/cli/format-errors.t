# SPDX-License-Identifier: BSD-2-Clause
# Every error of iotrace(5) and its message; each trace of testdata/format/bad has its expected message.
cd "$TESTDATA/format/bad" || exit
scratch=$OLDPWD
count=0
for trace in *.iot; do
	"$IOTRACE" cat --format=csv --columns=raw "$trace" >"$scratch/rows" 2>"$scratch/all"
	status=$?
	[ -s "$scratch/rows" ] && expected=1 || expected=2
	grep -v -e ' not verified$' -e '^iotrace: hint:' "$scratch/all" >"$scratch/said"
	[ $status -eq $expected ] || echo "$trace: exit status $status"
	diff "${trace%.iot}.err" "$scratch/said" || echo "$trace: says something else"
	count=$((count + 1))
done
[ $count -gt 60 ] && echo "all tried"
cd "$scratch" || exit

# Lines beyond the length limit, generated here.
{ printf 'c0 22 0 8 0 1f4 3 7 '; printf '%04076d\n' 0; } >longest
"$IOTRACE" cat --format=csv --columns=raw longest | tail -n 1
{ printf 'c0 22 0 8 0 1f4 3 7 '; printf '%04077d\n' 0; } >longer
"$IOTRACE" cat --format=csv --columns=raw longer 2>&1
{ printf 'ff '; printf '%065533d\n' 0; } >longest
"$IOTRACE" cat longest | wc -c
{ printf 'ff '; printf '%065534d\n' 0; } >longer
"$IOTRACE" cat longer 2>&1
true
