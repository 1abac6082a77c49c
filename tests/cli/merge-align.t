# SPDX-License-Identifier: BSD-2-Clause
# Time zero of the inputs: by epoch if all have one, else by zero; and as --shift specifies.
make() { # NAME EPOCH [HOST]
	printf 'ff %%trace host=%s%s\nff %%op name=stat time=4 process=%d\n80 0 0 200 8 1 0 1 %x 0\n' \
		"${3-h}" "${2:+ epoch=$2}" $1 $1 | "$IOTRACE" cat --in-base=16 --framed -o $1.iot -
}
show() {
	"$IOTRACE" merge --format-version=1 "$@" >out 2>err
	echo "$? $* $(cat err)"
	sed -n 's/^ff \(%trace.*\)/ \1/p' out
	"$IOTRACE" cat --ns --format=csv --columns=raw out | sed 1d | cut -d, -f2,9
	sed -n 's/^ff \(%op.*\)/ \1/p' out
}
make 1 2000000 n1
make 2 1500000 n2
make 3 '' n3
make 4 '' n2
show 1.iot 2.iot
show 2.iot
show 1.iot 3.iot
show -q 3.iot 4.iot
show 3.iot
show --shift=1.iot=+1ms 1.iot 2.iot
show --shift=2.iot=-1ms --shift 1.iot=-0.5ms 1.iot 2.iot
show --shift=4.iot=-3us 3.iot 4.iot
show --shift-by=host --shift=n2=+7us 1.iot 3.iot 4.iot
show --shift-by=host --shift=n9=1s 1.iot
show --shift=n2=1s 1.iot 3.iot 4.iot
show --shift=5.iot=1s 1.iot
show --shift=1.iot=-1h 1.iot 2.iot
show --shift=1.iot=soon 1.iot
show --shift=1.iot=+2000000h 1.iot 2.iot
show --shift=1.iot=9223372036.854775s 1.iot 2.iot
show --shift=3.iot=9223372036.854775s 3.iot 4.iot
echo "one file under several names" >&2
mkdir same
ln 1.iot same/hard
ln -s ../1.iot same/soft
show 1.iot same/../1.iot
show same/hard 2.iot same/soft
show -q 1.iot 1.iot
