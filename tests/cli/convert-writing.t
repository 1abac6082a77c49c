# SPDX-License-Identifier: BSD-2-Clause
# Ticks, bases, framing and --ops.
sh "$TOOLS/strace_log.sh" 2 >log
for option in --tick=ns --tick=us --tick=1000000 --tick=ms --base=10 --bare --sync=1 --ops=none \
	--ops=names; do
	echo "== $option"
	"$IOTRACE" convert --format-version=1 $option log
done
