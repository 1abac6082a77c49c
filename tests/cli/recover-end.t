# SPDX-License-Identifier: BSD-2-Clause
# Damage up to the end of a trace is one gap, with --recover and without.
for i in 1 2 3 4 5 6; do echo "80 20 0 1 64 1 1 1 0"; done >app.iot
"$IOTRACE" cat --framed --sync=2 app.iot | head -n 7 >cut.iot
for option in --no-fsync --recover; do
	echo "== $option"
	"$IOTRACE" cat $option -o out.iot cut.iot 2>&1
	grep %lost out.iot
	"$IOTRACE" info out.iot | grep gaps
done
{
	head -n 2 app.iot
	echo 'ff %lost time=200 why=full'
	tail -n 4 app.iot
} | "$IOTRACE" cat --framed --sync=2 | head -n 5 >cut.iot
echo "== a gap of the input and a cut are two"
"$IOTRACE" cat --no-verify -o both.iot cut.iot 2>&1
grep %lost both.iot
