# SPDX-License-Identifier: BSD-2-Clause
# Requests to a record or mount that runs: what is kept and what is discarded add up, and a module has both.
"$IOTRACE" mount --help >help && mkdir src mnt
"$IOTRACE" mount -q -o try.iot --run src mnt -- true 2>err || { echo "nothing can be mounted here: $(head -n 1 err)"; exit 77; }
build=${IOTRACE%/*}
sh "$TOOLS/built.sh" module.so module_test_1.so module_test_2.so module_test_abi.so || exit 77
umask 022
cp "$build/module_test_1.so" m.so; cp "$build/module_test_2.so" n.so
ask() { "$IOTRACE" control c "$@" 2>&1 | sed "s|$PWD/||g; s/after [0-9]* records/after N records/"; }
# kept TRACE: the records that are in a trace, those that it says were discarded, and their sum
kept() {
	"$IOTRACE" cat -q --no-verify --format-version=1 "$1" | awk '
		/^ff %lost .*why=discarded/ { sub(/.*records=/, ""); lost += $1; next }
		/^ff %end/ { next }
		!/^ff/ { kept++ }
		END { print (kept > 0 ? "some" : "no") " records kept, " (lost > 0 ? "some" : "none") " discarded, " kept + lost " in all" }'
}

echo 'mount, switched while a program writes:'
"$IOTRACE" mount -q --control=c --analyze=m.so -o m.iot src mnt 2>log & pid=$!
until grep -q " $PWD/mnt fuse.iotrace" /proc/mounts && [ -S c ]; do sleep 0.05; done
stat -c %a c
dd if=/dev/zero of=mnt/a bs=512 count=4000 status=none & dd=$!
for i in $(seq 50); do "$IOTRACE" control c discard; "$IOTRACE" control c keep; done | sort | uniq -c | sed 's/^ *//'
wait $dd
ask discard
dd if=/dev/zero of=mnt/b bs=512 count=1000 status=none
ask statistics | sed -n 's/^\(write  *[0-9]* calls\).*/\1/p; s/^\(discard\);.*/\1/p'
ask module m2.so; ask module n.so
dd if=/dev/zero of=mnt/c bs=512 count=1000 status=none
ask nothing; ask keep more; ask module n.so
cp "$build/module_test_abi.so" abi.so; ask module abi.so; ask keep
"$IOTRACE" mount --stop mnt; wait $pid; echo "mount: $?"
[ -e c ] || echo 'the socket is removed'
kept m.iot
"$IOTRACE" check m.iot 2>&1 | sed "s/,.*//"
sed "s|$PWD/||; s/after [0-9]* records/after N records/" log

echo 'record, with nothing but the module:'
"$IOTRACE" record -q --discard --control=c --analyze=m.so -o r.iot sh -c '
	dd if=/dev/zero of=d bs=512 count=2000 status=none; : >written; until [ -e enough ]; do sleep 0.05; done' 2>log & pid=$!
until [ -e written ]; do sleep 0.05; done
until [ "$(ask report)" = 2000 ]; do sleep 0.1; done
ask statistics | sed 's/ of [0-9]* processes/ of N processes/; s/[0-9]* operations/N operations/'
: >enough; wait $pid; echo "record: $?"
kept r.iot
cat log

echo 'settings, which SIGHUP reads again, and modules by name:'
printf '# at the beginning\n\ndiscard\nforget everything\n' >settings
"$IOTRACE" mount -q --control=c --settings=settings --analyze=m.so --analyze=other=m.so -o g.iot src mnt 2>log & pid=$!
until grep -q " $PWD/mnt fuse.iotrace" /proc/mounts && [ -S c ]; do sleep 0.05; done
dd if=/dev/zero of=mnt/g bs=512 count=300 status=none
ask report; ask report m; ask report none; ask module n.so; ask module other=n.so
printf 'keep\nmodule m=n.so\nmodule other=none.so\n' >settings
kill -HUP $pid; until grep -q 'the module stays' log; do sleep 0.05; done
dd if=/dev/zero of=mnt/g bs=512 count=200 status=none
ask report m; ask report other
rm settings; kill -HUP $pid; until grep -q 'No such' log; do sleep 0.05; done
"$IOTRACE" mount --stop mnt; wait $pid; echo "mount: $?"
kept g.iot
sed "s|$PWD/||" log | sort

echo 'nobody there:'
"$IOTRACE" control c keep; echo "$?"
"$IOTRACE" control c; echo "$?"

echo 'a module that crashes ends alone:'
"$IOTRACE" record -q --analyze="$build/module_test_2.so:crash" -o x.iot dd if=/dev/zero of=d bs=512 count=2000 status=none 2>log
echo "record: $?"
"$IOTRACE" stat -q --json x.iot | jq .total.writes
grep -c 'ended by signal' log
