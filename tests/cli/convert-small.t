# SPDX-License-Identifier: BSD-2-Clause
# The trace of a small log; every way to convert it gives the same bytes.
sh "$TOOLS/strace_log.sh" 3 >log
"$IOTRACE" convert log | tee first
"$IOTRACE" convert -o a.iot log && cmp first a.iot
"$IOTRACE" convert --from=strace -o a.iot log && cmp first a.iot
"$IOTRACE" convert - <log | cmp first -
cat log | "$IOTRACE" convert - | cmp first -
cat log | "$IOTRACE" convert -o a.iot - && cmp first a.iot
"$IOTRACE" convert --unsorted log | cmp first -
"$IOTRACE" convert --memory=64K log | cmp first -
"$IOTRACE" convert -v --tick=1000000 -o c.iot log 2>&1 | grep rounded
"$IOTRACE" convert -v -o a.iot log 2>&1 | grep rounded
"$IOTRACE" merge -v --tick=ms -o c.iot a.iot a.iot 2>&1 | grep rounded
"$IOTRACE" merge -v --shift=a.iot=300ns -o c.iot a.iot c.iot 2>&1 | grep rounded
"$IOTRACE" slice -v --tick=ms -o c.iot a.iot 2>&1 | grep rounded
"$IOTRACE" slice -q -v --tick=ms -o c.iot a.iot 2>&1 | grep rounded
rm c.iot
for suffix in gz zst; do
	"$IOTRACE" convert -o a.iot.$suffix log && "$IOTRACE" cat a.iot.$suffix | cmp first -
done
mkfifo pipe
"$IOTRACE" convert log >pipe &
"$IOTRACE" cat pipe | cmp first -
wait
"$IOTRACE" convert -o pipe log &
"$IOTRACE" cat pipe | cmp first -
wait
cat log >pipe &
"$IOTRACE" convert -o a.iot pipe && cmp first a.iot
wait
ls
