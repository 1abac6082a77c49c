# SPDX-License-Identifier: BSD-2-Clause
# Fields that the source did not know stay unknown through every command.
cat >t.iot <<'END'
ff %trace source=test lacks=cpu
ff %file process=7 id=3 path=/a completion=unknown
c0 22 0 8 0 0 3 7 0
c0 ec 64 0 0
ff %file process=7 id=3 path=/a
c0 ec 64 5 0
ff %file process=7 id=4 path=/b start=unknown offset=unknown
80 28 0 64 64 32 4 0
ff %op name=close time=400 process=7 file=4
80 ac 64 64 32 0
ff %file process=7 id=3 path=/a completion=unknown cpu=unknown
c0 6c 64 0 3 0
END
show() {
	"$IOTRACE" cat -f csv --columns=raw --unknown "$@" | cut -d, -f1,2,3,8-
}
show t.iot | tee wanted
"$IOTRACE" cat --framed --sync=2 -o framed.iot t.iot
for how in cat merge reorder "check --repair"; do
	"$IOTRACE" $how -o "out.iot" framed.iot >/dev/null
	show out.iot | cmp - wanted && echo "$how: same"
done
for base in 10 16; do
	"$IOTRACE" cat --bare --base=$base t.iot | show - | cmp - wanted && echo "base $base: same"
done
"$IOTRACE" slice --records=0-2 -o a.iot framed.iot
"$IOTRACE" slice --records=3- -o b.iot framed.iot
"$IOTRACE" merge -q --keep-ids -o out.iot a.iot b.iot
show out.iot | cmp - wanted && echo "slices: same"
printf 'a key of enough bytes\n' >key
chmod 600 key
"$IOTRACE" anonymize --key key -o out.iot framed.iot
show out.iot | cut -d, -f1-3,6 >got
cut -d, -f1-3,6 wanted | cmp - got && echo "anonymize: same"
echo "== merged with a trace that knows"
printf 'ff %%trace source=other\nc0 22 0 8 1 5 3 8 9\n' >known.iot
"$IOTRACE" merge --keep-ids -q t.iot known.iot | show -
