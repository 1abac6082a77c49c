# SPDX-License-Identifier: BSD-2-Clause
# The trace of a small log; every way to convert it gives the same bytes.
sh "$TOOLS/strace_log.sh" 3 >log
"$IOTRACE" convert --format-version=1 log | tee first
"$IOTRACE" convert --format-version=1 -o a.iot log && cmp first a.iot
"$IOTRACE" convert --format-version=1 --from=strace -o a.iot log && cmp first a.iot
"$IOTRACE" convert --format-version=1 - <log | cmp first -
cat log | "$IOTRACE" convert --format-version=1 - | cmp first -
cat log | "$IOTRACE" convert --format-version=1 -o a.iot - && cmp first a.iot
"$IOTRACE" convert --format-version=1 --unsorted log | cmp first -
"$IOTRACE" convert --format-version=1 --memory=64K log | cmp first -
"$IOTRACE" convert --format-version=1 -v --tick=1000000 -o c.iot log 2>&1 | grep rounded
"$IOTRACE" convert --format-version=1 -v -o a.iot log 2>&1 | grep rounded
"$IOTRACE" merge -v --tick=ms -o c.iot a.iot a.iot 2>&1 | grep rounded
"$IOTRACE" merge -v --shift=a.iot=300ns -o c.iot a.iot c.iot 2>&1 | grep rounded
"$IOTRACE" slice -v --tick=ms -o c.iot a.iot 2>&1 | grep rounded
"$IOTRACE" slice -q -v --tick=ms -o c.iot a.iot 2>&1 | grep rounded
rm c.iot
for suffix in gz zst; do
	"$IOTRACE" convert --format-version=1 -o a.iot.$suffix log && "$IOTRACE" cat a.iot.$suffix | cmp first -
done
mkfifo pipe
"$IOTRACE" convert --format-version=1 log >pipe &
"$IOTRACE" cat pipe | cmp first -
wait
"$IOTRACE" convert --format-version=1 -o pipe log &
"$IOTRACE" cat pipe | cmp first -
wait
cat log >pipe &
"$IOTRACE" convert --format-version=1 -o a.iot pipe && cmp first a.iot
wait
ls
