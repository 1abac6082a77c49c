# SPDX-License-Identifier: BSD-2-Clause
# One trace of programs and disks in the formats of other tools, as a person can check them.
cat >t <<'END'
ff %trace source=test epoch=1600000000000000000
ff %process id=7 name=a%20b rank=3 host=n1
ff %file process=7 id=3 object=1 path=/tmp/a%20b%22%FF
ff %file process=7 id=9 kind=disk path=/dev/sda
ff %op name=open time=2 took=1 process=7 file=3 path=/tmp/a%20b%22%FF result=0
c0 22 0 8 5 1f4 3 7 10
40 20 2000 8 6 64 9 7 0
80 20 1064 200 64 3e8 3 7 20
80 20 1000 0 3e8 0 3 7 20
ff %op name=fsync time=1500 took=10 process=7 file=3 result=0
ff %op name=stat time=2000 process=7 path=/none%0A result=ENOENT
ff %op name=close time=3000 process=7 file=3 result=0
ff %file process=8 id=1 path=/log offset=unknown
c0 20 0 200 7d0 0 1 8 0
c0 0 fffffff0 1000 7d0 0 0 2 8 0
ff %counter process=7 file=3 ambiguous=3
END
for options in fio 'fio --real-names --setup=setup' 'fio --prefix=/x --physical' chrome 'chrome --counters' blkparse; do
	echo "== $options"
	"$IOTRACE" cat --format=$options t 2>&1
done
cat setup
for options in oracle 'oracle --physical' 'oracle --block=512'; do
	echo "== $options"
	"$IOTRACE" cat --format=$options t 2>err | od -A d -t u8 -w24
	cat err
done
echo '== lcs'
"$IOTRACE" cat -q --format=lcs t | od -A d -t u8 -w16 -N 112
"$IOTRACE" cat -q --format=lcs t | od -A d -t x4 -w28 -j 8192
echo '== perfetto'
"$IOTRACE" cat -q --format=perfetto t | wc -c
echo '== a log for each process'
"$IOTRACE" cat -q --format=fio --per-process -o out.iolog t
head -n 30 out.*iolog
# What the formats cannot contain is refused, and options that belong to others.
refused() {
	"$IOTRACE" cat "$@" 2>&1 | head -n 1
}
printf 'c0 20 8000000000000000 1 0 0 1 1 0\n' >far
printf 'c0 20 0 ffffffffffffff 0 0 1 1 0\n' >long
printf 'ff %%file process=1 id=1 object=16777216 path=/a\nc0 20 0 1 0 0 1 1 0\n' >object
for trace in far long object; do
	for format in fio oracle lcs; do
		refused --format=$format $trace
	done
done
printf 'c0 20 0 400000 0 0 1 1 0\nc0 20 0 2000 0 0 1 1 0\nc0 20 0 2000 0 0 1 1 0\n' >many
refused --format=oracle --block=1 many
refused --format=fio --per-process t
refused --format=fio --prefix='a b' t
refused --format=csv --block=512 t
refused --format=oracle --counters t
refused --format=chrome --physical t
for option in --base=10 --compress=zstd --level=3 --threads=2 --bare --sync=5 --format-version=1 --framed; do
	refused --format=csv $option t
done
refused --format=fio --setup=t t
refused --format=fio -o log --setup=./log t
refused --format=fio -o log --per-process --setup=log.7.iolog t
ls
