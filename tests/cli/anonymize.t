# SPDX-License-Identifier: BSD-2-Clause
# Names are replaced, numbers stay; keys, the private map, several traces.
cat >app.iot <<'END'
ff %trace source=strace command=/home/alice/bin/solve host=cray1 user=alice epoch=1700000000000000000
ff alice started this
ff %process id=4711 name=solve host=cray1
ff %file process=4711 id=9 object=5 path=/home/alice/mesh.h5 source-id=77
c0 22 0 8 0 1f4 9 1267 0
ff %op name=close time=600 process=4711 file=9 result=0
END
printf 'a key of enough bytes\n' >key
chmod 600 key
"$IOTRACE" anonymize -v --key key --map map.tsv app.iot
cat map.tsv
stat -c %a map.tsv
echo "== the same key, the same names; extension and prefix kept"
"$IOTRACE" anonymize --key key --keep /home --keep-extension <app.iot | grep path
echo "== prefixes of two --keep"
"$IOTRACE" anonymize --key key --keep /none --keep /home <app.iot | grep -c path=/home
echo "== a key is made once"
"$IOTRACE" anonymize --key new --new-key -o out.iot app.iot
stat -c '%a %s' new
"$IOTRACE" anonymize --key new --new-key -o out.iot app.iot 2>&1
echo "exit status $?"
"$IOTRACE" anonymize --key new app.iot | cmp - out.iot
echo "== a key without a trace is removed when a signal ends the input"
mkfifo pipe
exec 3<>pipe
"$IOTRACE" anonymize -q --key unused --new-key -o unused.iot pipe 2>messages 3>&- &
sh "$TOOLS/until.sh" "[ -s unused ]"
kill -s TERM $!
wait $!
echo "exit status $?"
exec 3>&-
ls unused unused.iot 2>&1
echo "== refused"
printf 'too short\n' >short
chmod 600 short
"$IOTRACE" anonymize --key short app.iot 2>&1
echo "exit status $?"
"$IOTRACE" anonymize --key absent app.iot 2>&1
echo "exit status $?"
"$IOTRACE" anonymize app.iot 2>&1
echo "exit status $?"
"$IOTRACE" anonymize --key key -o app.iot app.iot 2>&1
echo "exit status $?"
"$IOTRACE" anonymize --key key app.iot app.iot 2>&1
echo "exit status $?"
echo "== several"
mkdir in
cp app.iot in/a.iot
"$IOTRACE" cat --framed app.iot | head -n 5 >in/cut.iot
"$IOTRACE" anonymize --key key -O out in/a.iot in/cut.iot 2>messages
echo "exit status $?"
cat messages
ls out
cat out/cut.iot
# Directives that state how the trace was recorded stay; unknown words are removed.
cat >made <<'END'
ff %trace source=darshan form=log log-format=3.41 job=4711 ranks=4 layer=posix,mpiio lengths=requested clocks=rank-0 precision=238ns modules=POSIX:4
ff %process id=1 rank=0
ff %file process=1 id=1 object=1 layer=mpiio
c0 20 0 1000 0 a 1 1 0
ff %file process=1 id=2 object=1 layer=secret
c0 20 0 1000 0 a 2 1 0
ff %counter source=POSIX rank=-1 object=1 record=4711 part=2 POSIX_READS=7
END
"$IOTRACE" anonymize -q --key key made
echo "== the mapping is its owner's alone, also in place of a file that was not"
echo old >public.tsv
chmod 644 public.tsv
"$IOTRACE" anonymize -q --key key --map public.tsv -o out.iot app.iot
stat -c '%a' public.tsv
cmp public.tsv map.tsv
echo "== keys that can be guessed"
for weak in aaaaaaaaaaaaaaaa passwordpassword abcabcabcabcabcabcabc 0123456789abcdefghijklmnop; do
	echo $weak >weak
	chmod 600 weak
	"$IOTRACE" anonymize -q --key weak -o weak.iot app.iot 2>&1
	echo "exit status $?"
done
ls weak.iot 2>&1
head -c 32 /dev/urandom >random
chmod 600 random
"$IOTRACE" anonymize -q --key random -o random.iot app.iot
