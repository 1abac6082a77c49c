# SPDX-License-Identifier: BSD-2-Clause
# Programs get from a mount what they get from the directory itself: files that are renamed, replaced, truncated and
# removed while they are open, holes, attributes, locks, mappings, unusual names, long paths, and many open files.
"$IOTRACE" mount --help >help && mkdir plain src mnt
"$IOTRACE" mount -q -o try.iot --run src mnt -- true 2>err || { echo "nothing can be mounted here: $(head -n 1 err)"; exit 77; }
command -v python3 >/dev/null || { echo "no python3"; exit 77; }

python3 "$TOOLS/mount_files.py" plain >wanted
"$IOTRACE" mount -q -o t.iot --mmap-fallback='*/mapped' --run src mnt -- python3 "$TOOLS/mount_files.py" mnt >found
echo "status $?"
diff wanted found && grep -c '^--' found
"$IOTRACE" check t.iot | sed 's/;.*//'
echo "longest path: $("$IOTRACE" cat -q -f csv --columns=path t.iot | awk '{ print length }' | sort -n | tail -n 1)"
"$IOTRACE" cat -q --format-version=1 t.iot | sed -n 's|.*name=create .*path=.*/mnt/names/\(%[^ ]*\).*|\1|p'
find src -type f | sed 's/.*src//' | sort

echo 'without --mmap-fallback a shared mapping is refused'
rm -r src/mapping && "$IOTRACE" mount -q -o p.iot --run src mnt -- python3 "$TOOLS/mount_files.py" mnt mapping 2>&1 | tail -n 1
