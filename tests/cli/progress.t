# SPDX-License-Identifier: BSD-2-Clause
# The progress line: on standard error, erased at the end, and not with -q; on terminals of several widths.
i=0
echo 'c0 22 0 8 0 1f4 3 7 0' >long
while [ $i -lt 13 ]; do
	cat long long >longer && mv longer long
	i=$((i + 1))
done
# More than a pipe holds: once it is written, the reader has started, so time has passed for it, too.
{ cat long; sleep 0.4; cat long; } | "$IOTRACE" info --progress=always - 2>err >/dev/null
tr '\r' '\n' <err | sed -n 's/^[0-9.]* [KM]iB  [0-9.]* [KM]iB.s  [0-9]* records.*/progress/p' | sort -u
tail -c 4 err | od -An -c
"$IOTRACE" info -q long 2>&1 >/dev/null
"$IOTRACE" info long 2>&1 >/dev/null
sh "$TOOLS/strace_log.sh" 200000 >log
gzip -k log
"$IOTRACE" convert -q -o trace.iot log
"$IOTRACE" slice -q --records=0-9999 -o small.iot trace.iot
python3 "$TOOLS/progress.py" "$IOTRACE" || exit
