# SPDX-License-Identifier: BSD-2-Clause
# --reorder sorts each input: in memory or in a temporary file, which is removed.
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR
awk 'BEGIN {
	x = 1
	for (i = 0; i < 6000; i++) {
		x = x * 48271 % 2147483647
		now = x % 1000000
		if (i % 7 == 0)
			printf "ff of %d\n", now
		printf "80 0 %x 200 %s%x 1 0 1 %x 0\n", i * 512, now < last ? "-" : "",
			now < last ? last - now : now - last, 1 + i % 3
		last = now
	}
}' >unsorted
"$IOTRACE" cat unsorted >/dev/null || echo "the input is wrong"
"$IOTRACE" merge -q unsorted "$TESTDATA/format/example.iot" >/dev/null
echo "$?"
for memory in 64K 256M; do
	"$IOTRACE" merge -q --reorder --memory=$memory -o out.$memory unsorted "$TESTDATA/format/example.iot"
	echo "$?"
done
cmp out.64K out.256M
"$IOTRACE" cat --format=csv --columns=raw out.64K | sed 1d | cut -d, -f2 | sort -nc
"$IOTRACE" cat --format=csv --columns=raw out.64K | sed 1d | wc -l
"$IOTRACE" cat out.64K | grep -c '^ff of'
ls -A tmp
echo "== each record keeps the file that it was on"
cat >renamed <<'END'
ff %file process=1 id=1 object=1 path=/before
80 0 0 200 3e8 1 0 1 1 0
ff %file process=1 id=1 object=2 path=/after
80 0 0 200 -64 1 0 1 1 0
80 0 0 200 c8 1 0 1 1 0
END
"$IOTRACE" merge -q --reorder renamed | "$IOTRACE" cat --format=csv --columns=raw --names | cut -d, -f2,11
"$IOTRACE" reorder -q renamed | "$IOTRACE" cat --format=csv --columns=raw --names | cut -d, -f2,11
# Equal records are in the order of the names of their inputs, "-" too.
printf 'c0 22 0 8 0 1 3 7 0\n' >x && printf 'c0 22 0 8 0 1 3 7 0\n80 22 8 8 1 2 3 7 0\n' >y
"$IOTRACE" merge -q --bare x - <y
"$IOTRACE" merge -q --bare x y
