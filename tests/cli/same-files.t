# SPDX-License-Identifier: BSD-2-Clause
# No command overwrites a file that it reads or writes in another role, however the paths are spelled.
LC_ALL=C.UTF-8
mkdir in out other
"$IOTRACE" cat "$TESTDATA/format/sync.iot" >t.iot
cp t.iot in/t.iot
sh "$TOOLS/strace_log.sh" 2 >log
cp log in/l.strace
printf 'a key of enough bytes\n' >k
chmod 600 k
ln -s in link
ln -s t.iot symbolic
ln t.iot hard
ln -s out/absent dangling
sum() { find . -type f ! -name err ! -name sums -exec cksum {} + | sort; }
# Exit status 2, a message, and all files unchanged; or the status and the changes.
refused() {
	sum >sums
	"$IOTRACE" "$@" >/dev/null 2>err </dev/null
	status=$?
	printf '%s: %s\n' "$status" "$*"
	head -n 1 err | sed 's/^/	/'
	sum | diff sums - >/dev/null || echo '	CHANGED'
}
fine() {
	"$IOTRACE" "$@" >/dev/null 2>err </dev/null
	printf '%s: %s\n' $? "$*"
	sed 's/^/	/' err
}
echo '== key, mapping and traces'
refused anonymize --key k --map out/t.iot -O out in/t.iot
refused anonymize --key k --map new/t.iot -O new in/t.iot
refused anonymize --key k --map new/./t.iot -O new// in/t.iot
ls -d new 2>/dev/null
refused anonymize --key k -o ./k t.iot
refused anonymize --key k --map ./k t.iot
refused anonymize --key t.iot -O . ./in/t.iot
refused anonymize --key fresh --new-key -o ./fresh t.iot
refused anonymize --key fresh --new-key --map other/../fresh t.iot
refused anonymize --key k --map in//t.iot -o out/x.iot in/t.iot
refused anonymize --key t.iot -o out/x.iot hard
refused anonymize --key k -O in in/t.iot
refused anonymize --key k -O link in/t.iot
refused anonymize --key k --map m.tsv -o m.tsv t.iot
echo '== convert'
refused convert -o x.iot --report in/l.strace in
refused convert -o x.iot --report link/l.strace in
refused convert -o x.iot --report in/l.strace link
refused convert -o out/x.iot --report out/../out/x.iot log
refused convert -o out/x.iot --report ./out//x.iot log
refused convert -o out/absent --report dangling log
refused convert -o log log
refused convert -o ./log log
refused convert -o in/l.strace in
refused convert --report ./log -o x.iot log
refused convert -O new --report new/log.iot.zst log
ls -d new 2>/dev/null
ln -s log.iot.zst out/report
refused convert -O out --report out/report log
cp log out/a
ln -s a.iot.zst out/b.iot.zst
cp log out/b
refused convert -O out out/a out/b
rm out/b.iot.zst
cp log log.iot.zst
refused convert -O . log log.iot.zst
rm log.iot.zst
ln in/l.strace hardlog
refused convert -o hardlog in
refused convert -o x.iot --report hardlog in
tar -cf logs.tar log
refused convert -o logs.tar logs.tar
refused convert -o x.iot --report ./logs.tar logs.tar
refused convert --report - log
echo '== one trace and one output'
for command in cat slice reorder 'check --repair' merge 'cat --format=csv'; do
	refused $command -o t.iot t.iot
	refused $command -o .//t.iot t.iot
	refused $command -o hard t.iot
	refused $command -o symbolic t.iot
	refused $command -o t.iot symbolic
	refused $command -o link/t.iot in/t.iot
done
refused merge -o in/t.iot t.iot link/t.iot
refused reorder -o x.iot --report symbolic t.iot
refused reorder -o x.iot --report ./x.iot t.iot
refused procstat -o hard t.iot
echo '== states, reports and plots'
mkdir plots
ln -s ../t.iot plots/rate.tsv
for out in t.iot ./hard symbolic link/../t.iot; do
	refused analyze -s $out t.iot
	refused analyze --html=$out t.iot
	refused simulate -o $out t.iot
	refused simulate --time --svg=$out log t.iot
	refused mrc -o $out t.iot
	refused mrc --svg=$out t.iot
done
refused analyze --html=in/l.strace in
refused analyze -s in/t.iot log link/t.iot
refused analyze --plots=plots t.iot
refused analyze --plots=out --html=out/rate.svg t.iot
refused mrc -o out/m --svg=./out/m t.iot
rm -r plots
echo '== descriptors'
exec 3<t.iot 4>>t.iot
refused cat -o t.iot /dev/fd/3
refused cat -o /dev/fd/3 t.iot
refused cat -o /proc/self/fd/4 t.iot
exec 3<&- 4>&-
"$IOTRACE" cat - <t.iot -o t.iot 2>&1 | head -n 1
"$IOTRACE" cat t.iot 2>&1 >>hard | head -n 1
"$IOTRACE" cat -o /dev/stdout t.iot 2>&1 >>hard | head -n 1
"$IOTRACE" convert -q --report ./both log 2>&1 >both | head -n 1
cmp t.iot in/t.iot
echo '== streams and devices are never the same'
fine convert -q -o /dev/null --report /dev/null log
fine anonymize --key k -o /dev/null --map /dev/null t.iot
mkfifo fifo
cat fifo >gathered &
fine convert -q -o fifo --report fifo log
wait
"$IOTRACE" cat - <t.iot | cat | cmp - t.iot
fine merge -q -o x.iot t.iot hard
fine convert -q -o in/new.iot --report in/new.json in
fine anonymize --key k -O out in/t.iot
echo '== two inputs that are one file'
warned() {
	"$IOTRACE" "$@" 2>err >/dev/null </dev/null
	printf '%s: %s\n' $? "$*"
	grep 'same file\|same pipe\|two inputs\|compressed' err | sed 's/^/	/'
}
warned merge -o x.iot t.iot hard symbolic
warned stat t.iot hard
warned stat -q t.iot hard
warned stat t.iot in/t.iot
warned analyze t.iot hard
warned analyze -s x.state --no-fsync t.iot t.iot
warned convert -o x.iot log ./log
gzip -kn log && cp log.gz in/log.gz && cp log other/log
warned convert -o x.iot log.gz log
warned convert -o x.iot log in/log.gz
warned convert -o x.iot log other/log
rm log.gz in/log.gz other/log
warned info t.iot t.iot
warned check t.iot t.iot
echo '== a pipe is read once'
for command in "merge -o x.iot" stat info check "simulate --time" "convert -o x.iot"; do
	"$IOTRACE" cat t.iot | "$IOTRACE" $command - /dev/stdin 2>&1 | head -n 1
	"$IOTRACE" cat t.iot | "$IOTRACE" $command - - 2>&1 | head -n 1
	"$IOTRACE" $command - - 2>&1 <t.iot | head -n 1
done
