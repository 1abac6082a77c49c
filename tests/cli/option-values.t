# SPDX-License-Identifier: BSD-2-Clause
# A wrong value gets a sentence that says what is wrong and what to type; sizes have one syntax.
cp "$TESTDATA/strace/cp.strace" log.strace
for words in 'simulate -c 64XB' 'simulate -c 1000B' 'simulate -c 0' 'simulate -c 0%' 'simulate -c 101%' \
	'simulate -c 99999999999999999999' 'simulate -c 32E' 'simulate -c 1K,,2K' 'simulate -p lur' \
	'simulate -p lru,s3fif' 'simulate --block=100' 'simulate --process-limit=1X' \
	'mrc --memory=99999999999999999999' 'mrc --memory=lots' 'analyze --section=file' \
	'analyze --section=totals,ordr,time' 'analyze --section=' 'analyze --alignment=3K' \
	'analyze --small=0' 'analyze --top=0' 'stat --top=99999999999999999999' 'stat --top=x' \
	'stat --in-format=strac' 'stat --in-option=memory=1X' 'convert --from=csf' 'convert --from=xxxxx' \
	'top -p 123' 'top --pid=123' 'merge --shift=x' 'merge --shift=+1s'; do
	echo "\$ iotrace $words"
	# shellcheck disable=SC2086
	"$IOTRACE" $words log.strace 2>&1
	echo "exit status $?"
done

# Equal sizes, differently written.
"$IOTRACE" simulate -c 64MB log.strace | grep -o '^lru .* MiB *15625 '
"$IOTRACE" simulate -c 1MiB,1M,1024K,1048576 --tsv log.strace | cut -f 1-3
"$IOTRACE" analyze --json --alignment=64K log.strace >a
"$IOTRACE" analyze --json --alignment=65536 log.strace | cmp - a
"$IOTRACE" convert --from=libcachesim --block=64K -o a.iot "$TESTDATA/libcachesim/small.oracleGeneral.bin"
"$IOTRACE" convert --from=libcachesim --block=65536 -o b.iot "$TESTDATA/libcachesim/small.oracleGeneral.bin"
cmp a.iot b.iot

# The sentences of a library about an option of a format name it as this command does.
printf '1.5,read,0,512\n' >table.csv
for words in 'convert --columns=time:s,op,offset,length' 'convert' 'convert --from=csv' \
	'convert --from=csv --columns=time' 'stat --in-format=csv' \
	'stat --in-format=csv --in-option=columns=time' 'merge --in-option=layer=x --in-format=darshan' \
	'convert --from=darshan --layer=x'; do
	echo "\$ iotrace $words"
	# shellcheck disable=SC2086
	"$IOTRACE" $words table.csv 2>&1 | head -n 1
done

# Names of files.
cp "$TESTDATA/format/example.iot" t.iot
head -n 6 t.iot >cut.iot
for words in 'stat ""' 'cat -o "" t.iot' 'analyze --html= t.iot' 'convert -O "" log.strace' 'record ""' \
	'cat -o nodir/x.iot t.iot' 'cat -o no/dir/x.iot t.iot' 'record -o nodir/x.iot true' \
	'cat -o t.iot/x t.iot' 'stat cut.iot' 'info cut.iot' 'merge -o m.iot cut.iot t.iot' 'stat -q cut.iot' \
	'stat - <cut.iot'; do
	echo "\$ iotrace $words"
	eval "\"\$IOTRACE\" $words" 2>&1 >/dev/null
	echo "exit status $?"
done
