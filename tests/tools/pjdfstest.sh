#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The scripts of pjdfstest, which has been built, on a mount, on passthrough_ll of libfuse, and in a plain directory:
#
#	sh tests/tools/pjdfstest.sh IOTRACE PJDFSTEST [TESTS]
#
# As root; TESTS: a part of its directory tests, as chmod. Prints a summary of each, with the scripts that fail. Exits
# with 77 where something is missing.
iotrace=$(realpath "$1") suite=$(realpath "$2") part=${3-}
example=/usr/share/doc/libfuse3-dev/examples/passthrough_ll.c
for needed in /dev/fuse "$example" "$suite/pjdfstest"; do
	[ -e "$needed" ] || { echo "skipped: no $needed"; exit 77; }
done
work=$(mktemp -d) && chmod 755 "$work" && cd "$work" && mkdir plain source mount other passthrough || exit 2
trap 'umount -l mount passthrough 2>/dev/null; cd / && rm -rf "$work"' EXIT
: >config.h
gcc -O2 -w -I. "$example" -o passthrough_ll $(pkg-config --cflags --libs fuse3) || exit 2
"$iotrace" mount -q -o t.iot source mount &
./passthrough_ll -o source="$work/other",clone_fd,xattr,allow_other,default_permissions passthrough
until mountpoint -q mount && mountpoint -q passthrough; do sleep 0.1; done
for place in plain mount passthrough; do
	echo "$place:"
	(mkdir "$place/w" && cd "$place/w" && prove -r "$suite/tests/$part") >out 2>&1
	sed -n "/^Test Summary/,\$ { s|$suite/tests/||; p }; /^All tests/,\$ p" out
done
"$iotrace" mount --stop mount; wait
