# SPDX-License-Identifier: BSD-2-Clause
# One trace in all output formats.
cat >bare <<'END'
ff %trace source=test command=a%20b epoch=1600000000000000000
ff %process id=7 name=worker
ff %file process=7 id=3 object=1 path=/tmp/a%2Cb%22c%FF
ff %op name=open time=2 took=1 process=7 file=3 path=/tmp/a%2Cb%22c%FF result=0
ff free text
c0 22 0 8 5 1f4 3 7 10
88 20 2000 200 3e8 0 3 7 20
ff %op name=stat time=2000 process=7 path=/none%0A result=ENOENT
ff %op name=truncate time=2100 process=7 file=3 result=0 size=4096
40 29 1 8 a 1 9 0
END
"$IOTRACE" cat --framed bare >t.iot
for options in --format=csv '--format=tsv --all-events' '--format=csv --no-header --columns=op,cpu_ns,relative_offset,operation,object,program,host,to,result,size' '--format=csv --columns=raw' '--format=csv --columns=raw --ns' '--format=csv --columns=raw --names' --format=jsonl --format=text; do
	echo "== $options"
	"$IOTRACE" cat $options t.iot | cat -v
done
# Unknown fields have a column of their own, before columns that may contain commas.
sed 's/source=test/& lacks=cpu/; s/object=1/& offset=unknown/' bare |
	"$IOTRACE" cat --format=csv --columns=raw --unknown --names | cat -v
"$IOTRACE" cat --format=csv --columns=raw --unknown t.iot
"$IOTRACE" cat --names t.iot 2>&1
echo "exit status $?"
# An unknown number is never 0: a source without times, and a file of unknown size.
sed 's/source=test/& lacks=start,completion,cpu/; s/object=1/& offset=unknown/' bare >lacking
for format in csv jsonl text; do
	echo "== lacking, $format"
	"$IOTRACE" cat --format=$format lacking | cat -v
done
