# SPDX-License-Identifier: BSD-2-Clause
# Figures that can be checked by hand.
cat >t <<'END'
ff %process id=7 name=worker
ff %file process=7 id=1 object=1 path=/a
ff %op name=open time=0 process=7 file=1 path=/a result=0
ff %op name=open time=0 process=7 path=/none result=ENOENT
c0 20 0 1000 0 a 1 7 0
c0 20 1000 1000 a a 1 7 0
80 20 5000 200 a a 1 7 0
ff %file process=7 id=2 object=1 path=/a
80 20 0 1000 a a 2 7 0
ff %file process=9 id=1 object=2 path=/tab%09%25%FF
80 20 0 0 a a 1 9 0
80 20 0 1 a a 1 9 0
80 20 0 ffffffff a a 5 9 0
00 20 0 8 a a 5 9 0
END
for by in object file process; do
	"$IOTRACE" stat --by=$by t
	"$IOTRACE" stat -q --tsv --by=$by t
done
"$IOTRACE" stat -q --json t
"$IOTRACE" stat -q --json --by=file t
"$IOTRACE" stat -q --json --by=process t
"$IOTRACE" stat -q --physical t
grep -v %op t | "$IOTRACE" stat -q
"$IOTRACE" stat </dev/null
"$IOTRACE" stat --json </dev/null
head -n 5 t | "$IOTRACE" cat --framed | head -n 5 | "$IOTRACE" stat
echo "$?"
