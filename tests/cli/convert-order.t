# SPDX-License-Identifier: BSD-2-Clause
# Traces are in order of start, logs in order of return: streaming, from a pipe, in little memory.
# A call that lasts for the whole log delays all output.
awk 'BEGIN {
	printf "7  1700000000.000000 openat(AT_FDCWD, \"/tmp/a\", O_RDWR) = 3 <0.000005>\n"
	printf "8  1700000000.000007 openat(AT_FDCWD, \"/tmp/b\", O_RDONLY) = 3 <0.000005>\n"
	printf "8  1700000000.000013 read(3,  <unfinished ...>\n"
	for (i = 1; i <= 20000; i++)
		printf "7  1700000000.%06d write(3, \"x\"..., 100) = 100 <0.000003>\n", 10 * i + 10
	printf "8  1700000000.300000 <... read resumed>\"x\"..., 4096) = 4096 <0.299987>\n"
}' >log
"$IOTRACE" convert -v -o x.iot log
"$IOTRACE" cat --format=csv --columns=raw x.iot | sed -n 2,4p
"$IOTRACE" convert -v -o y.iot --memory=64K --report=report.json log && cmp x.iot y.iot
grep restarted report.json
cat log | "$IOTRACE" convert --memory=64K --report=report.json -o y.iot - && cmp x.iot y.iot
grep -c '"spilled_bytes": 0' report.json
"$IOTRACE" convert --unsorted log >z.iot
"$IOTRACE" cat --format=csv --columns=raw z.iot | tail -n 1
