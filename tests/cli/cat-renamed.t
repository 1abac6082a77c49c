# SPDX-License-Identifier: BSD-2-Clause
# A renamed file: each record has the path of its own %file, wherever a batch ends.
cat >t.iot <<'END'
ff %file process=7 id=1 object=1 path=/old
ff %file process=7 id=2 object=1 path=/new
ff %file process=7 id=3 object=1
ff %file process=7 id=4 path=/no-object
c0 22 0 1 0 1 1 7 0
ff %op name=rename time=5 process=7 path=/old to=/new result=0
80 22 0 1 a 1 2 7 0
80 22 0 1 1 1 3 7 0
80 22 0 1 1 1 4 7 0
ff %op name=close time=14 process=7 file=2 result=0
80 22 0 1 1 1 2 7 0
c0 22 0 1 1 1 1 7 0
END
"$IOTRACE" cat --format=csv --columns=raw --names t.iot
"$IOTRACE" cat --format=jsonl t.iot | grep '"op"' | sed 's/.*"file":/"file":/; s/,"duration.*//'
"$IOTRACE" cat --format=text t.iot
for by in file object; do
	"$IOTRACE" stat --tsv --by=$by t.iot | cut -f 1-7,14
done
