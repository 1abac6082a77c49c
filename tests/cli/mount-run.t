# SPDX-License-Identifier: BSD-2-Clause
# mount --run: what a first run may get wrong, and a mount at its own place.
mkdir src mnt && echo text >src/file && cp /bin/sh src/program
"$IOTRACE" mount -q -o try.iot --run src mnt -- ls mnt >/dev/null 2>err || { echo "nothing can be mounted here: $(head -n 1 err)"; exit 77; }
# run ARGUMENT...
run() {
	"$IOTRACE" mount -o t.iot --run "$@" 2>err; echo "exit $?"
	sed "s|$PWD/||g; s/[0-9]*\.[0-9]* s/N s/g" err
	if [ -e t.iot ]; then rm t.iot; else echo 'no trace'; fi
}
echo 'the program uses the source:'
run src mnt -- cat src/file
echo 'no program, and a file that is none:'
run src mnt -- mnt/none
run src mnt -- mnt/file
echo 'an existing file is kept until the mount records:'
echo older >t.iot && ln -s t.iot link.iot
"$IOTRACE" mount -q -o t.iot --run src mnt -- mnt/none 2>/dev/null; cat t.iot
"$IOTRACE" mount -q -o link.iot --run src mnt -- mnt/none 2>/dev/null; cat link.iot
"$IOTRACE" mount -q -o t.iot src none 2>/dev/null; cat t.iot
"$IOTRACE" mount -q -o link.iot --run src mnt -- cat mnt/file
"$IOTRACE" cat -q -f csv --columns=op,length t.iot
ls -A | grep '\.iot'
rm t.iot link.iot
echo 'a program on the mount:'
run src mnt -- mnt/program -c : >out
grep '^exit\|no trace' out
echo 'the source at its own place:'
"$IOTRACE" mount -o own.iot --run src src -- sh -c 'cat src/file; echo more >>src/file; echo "$(cat src/file)"' 2>&1 | sed -n 's/ *[0-9]*\.[0-9]* s$//; /bytes/p; /:/!p'
"$IOTRACE" cat -q -f csv --columns=op,length,path own.iot | sed "s|$PWD/||"
cat src/file
