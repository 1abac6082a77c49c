# SPDX-License-Identifier: BSD-2-Clause
# A canonical trace is copied byte for byte; any other output of cat is a fixed point.
for trace in "$TESTDATA"/format/*.iot; do
	"$IOTRACE" cat -q "$trace" >once || echo "$trace: $?"
	"$IOTRACE" cat -q once | cmp once - || echo "$trace: not a fixed point"
	case $trace in
	*/spelling.iot) cmp -s "$TESTDATA/format/example.iot" once || echo "$trace" ;;
	*/bare-comments.iot) { cat "$trace"; echo; } | cmp - once ;;
	*) cmp "$trace" once ;;
	esac
done
