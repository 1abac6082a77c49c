# SPDX-License-Identifier: BSD-2-Clause
# Missing or repeated whole intervals are damage, although no hash covers a %sync line itself.
cp "$TESTDATA"/format/sync.iot whole.iot
sed '10,17d' whole.iot >missing.iot              # %sync 3, then %sync 6
sed '19,21d' whole.iot >missing-last.iot         # %sync 6, then %end
sed '10,18d' whole.iot >missing-with-sync.iot
{ head -n 18 whole.iot; sed -n '9,17p' whole.iot; tail -n +18 whole.iot; } >twice.iot
sed '9p' whole.iot >sync-twice.iot
# An interval without records, as its hash confirms, is valid.
sed '18{p;s/xxh3=.*/xxh3=2d06800538d394c2/;}' whole.iot >empty-interval.iot
sed '18{p;s/record=6 xxh3=.*/record=5 xxh3=2d06800538d394c2/;}' whole.iot >empty-elsewhere.iot
for f in missing missing-last missing-with-sync twice sync-twice empty-interval empty-elsewhere; do
	"$IOTRACE" check $f.iot; echo "$f: $?"
	"$IOTRACE" cat -q --no-fsync -o read.iot $f.iot 2>/dev/null; echo "read: $?"
	"$IOTRACE" check --repair -o mended.iot $f.iot; echo "mended: $?"
	"$IOTRACE" check mended.iot || echo "mended is damaged"
	rm -f mended.iot
done 2>&1
