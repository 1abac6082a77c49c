# SPDX-License-Identifier: BSD-2-Clause
# A file is reduced in parallel if processors are available, a pipe serially; the results are equal.
awk 'BEGIN {
	x = 1
	unknown[1] = " offset=unknown"
	unknown[2] = " completion=unknown start=unknown"
	for (i = 0; i < 120000; i++) {
		x = (x * 1103515245 + 12345) % 2147483648
		p = int(x / 65536) % 5
		f = int(x / 1048576) % 7
		if (i % 500 == 0)
			printf "ff %%file process=%d id=%d object=%d path=/f%d%s\n", p, f, i / 500 % 9 + 1, i / 500 % 9 + 1, unknown[i / 500 % 4]
		if (i % 700 == 3)
			printf "ff %%op name=open time=%d process=%d file=%d path=/f%d\n", i * 10, p, f + 3, f
		printf "%s 20 %x %x a 5 %x %x 1\n", x % 3 == 0 ? "80" : "c0", x % 4096 * 512, 512 * (x % 3 + 1), f, p
	}
}' >bare
"$IOTRACE" cat --framed --sync=5000 -o t.iot.zst bare
"$IOTRACE" cat -o t.iot t.iot.zst
head -c 1500000 t.iot >cut.iot
{ head -c 1900000 t.iot; echo damage; tail -c +1900001 t.iot; } >damaged.iot

# How much of a damaged trace was read before the damage depends on the method.
count() {
	"$IOTRACE" "$@" >out 2>err
	echo $? >>out
	grep -v '^  size' out | sed "s/$t/IN/; s/^-:/IN:/"
	sed "s/$t/IN/; s/-: damaged/IN: damaged/; s/standard input/IN/; s/: -:/: IN:/; /^iotrace: hint:/d" err
}

for t in t.iot t.iot.zst cut.iot damaged.iot; do
	for how in 'info' 'info --recover' 'stat' 'stat --by=file' 'stat --by=process --tsv' 'stat --json --recover'; do
		# shellcheck disable=SC2086
		count $how $t >file
		# shellcheck disable=SC2002,SC2086
		cat $t | count $how - >pipe
		cmp file pipe || echo "$t: $how"
	done
	grep -c . file
done
[ "$(wc -c <t.iot)" -gt 2200000 ] || echo 'too small for parts'
