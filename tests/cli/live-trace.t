# SPDX-License-Identifier: BSD-2-Clause
# Data that a traced program flushed before it was killed is a trace that can be read and repaired.
sh "$TOOLS/built.sh" live_trace || exit 77
live=${IOTRACE%/*}/live_trace
for out in t.iot t.iot.zst t.iot.gz; do
	echo "== $out"
	sh -c '"$1" "$2" 100 1234; :' sh "$live" $out 2>/dev/null
	"$IOTRACE" info $out >info 2>err
	echo "info: exit status $?"
	grep -i 'records\|complete\|cut' info err
	"$IOTRACE" cat --format=csv --columns=raw $out 2>err | tail -n 1
	cat err
	"$IOTRACE" check --repair -o repaired.iot $out >/dev/null
	"$IOTRACE" check repaired.iot && "$IOTRACE" cat --format=csv --columns=raw repaired.iot | wc -l
	rm -f $out
done
echo "== killed at once"
sh -c '"$1" t.iot 100 0; :' sh "$live" 2>/dev/null
"$IOTRACE" cat --format=csv --columns=raw t.iot
echo "== the defaults, closed; its canonical form has no flushes in it"
"$live" d.iot 0 5000 close
"$IOTRACE" check d.iot
test "$(grep -c "^ff %sync" d.iot)" -ge 1 && echo flushed
"$IOTRACE" cat d.iot | grep -v '^[0-9a-e]'
