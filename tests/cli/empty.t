# SPDX-License-Identifier: BSD-2-Clause
# A file or pipe without a line is not a trace, unless --allow-empty is given; a trace without records is one.
: >nothing
printf '\n  \n' >blank
gzip -c nothing >nothing.gz
printf 'ff a comment\n' >comment
"$IOTRACE" cat --framed --allow-empty nothing >framed
printf 'a key of enough bytes\n' >key
chmod 600 key
run() {
	"$IOTRACE" "$@" >out 2>err
	echo "$?: $* [$(wc -c <out) bytes] $(head -n 1 err)"
}
cat framed
for command in info cat 'cat --format=csv' merge stat slice 'slice --records=1-' \
	reorder 'reorder --window=1s' 'anonymize --key=key'; do
	for file in nothing blank nothing.gz; do
		run $command $file
	done
	cat nothing | run $command -
	run $command --recover nothing
	run $command --allow-empty nothing
	run $command framed
	run $command comment
	rm -f new.iot
	run $command --base=16 -o new.iot nothing 2>/dev/null
	[ ! -s new.iot ] || echo 'an output was written'
done 2>&1 | grep -v "unknown option '--base=16'\|unknown option '-o'\|info --base\|stat --base"
for file in nothing blank nothing.gz comment framed; do
	"$IOTRACE" check $file
	echo "check: $?"
done
"$IOTRACE" check --allow-empty nothing
echo "check: $?"
run check --repair nothing
run merge framed nothing
run merge --allow-empty framed nothing
