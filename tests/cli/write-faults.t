# SPDX-License-Identifier: BSD-2-Clause
# A full disk and a closed pipe: exit status 1; the closed pipe without a message.
i=0
echo 'c0 22 0 8 0 1f4 3 7 0' >long
while [ $i -lt 14 ]; do
	cat long long >longer && mv longer long
	i=$((i + 1))
done
for command in 'cat' 'cat --format=csv' 'cat --format=jsonl' 'cat --format=text' info stat 'stat --json' 'info --help'; do
	"$IOTRACE" $command long >/dev/full
	echo "full, $command: $?"
done
for format in iot csv text; do
	{ "$IOTRACE" cat --format=$format long; echo "closed, $format: $?" >status; } | head -n 1 >/dev/null
	cat status
done
"$IOTRACE" cat long >&-
echo "no output: $?"
