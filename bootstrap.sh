#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# From a clean machine to a result, with one command:
#
#	sh bootstrap.sh demo     build, trace a program, convert a log and show what is in it
#	sh bootstrap.sh test     build, and run all tests; the last line is "N passed, N failed"
#	sh bootstrap.sh build    install what the tests need, and build
#
# What is missing is installed with apt-get on Debian and Ubuntu, as root or with sudo. Nothing else is
# changed outside this directory. The output of apt-get and of the compiler goes to build/bootstrap.log.
set -eu
cd "$(dirname "$0")"

log=build/bootstrap.log
mkdir -p build
: >"$log"

die() {
	echo "bootstrap: $*" >&2
	exit 1
}

# logged WHAT COMMAND...: runs the command; if it fails, shows where its output is, and the end of it.
logged() {
	what=$1
	shift
	echo "== $*" >>"$log"
	"$@" >>"$log" 2>&1 && return
	echo "bootstrap: $what failed; the last lines of $log:" >&2
	tail -n 15 "$log" >&2
	exit 1
}

case ${1-} in
demo) packages= ;;
test | build) packages='libcriterion-dev libcurl4-openssl-dev libfuse3-dev fuse3 g++ mandoc bsdextrautils jq python3 python3-xxhash blktrace bzip2 liblz4-dev lz4 xz-utils' ;;
*)
	echo "Usage: sh bootstrap.sh demo|test|build" >&2
	exit 2
	;;
esac
packages="gcc libc6-dev make pkg-config zlib1g-dev libzstd-dev libxxhash-dev libarchive-dev libbz2-dev libdeflate-dev liblzma-dev libsodium-dev strace zstd $packages"

# The packages of the list that are not installed.
missing() {
	for package in $packages; do
		status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
		[ "$status" = 'install ok installed' ] || printf ' %s' "$package"
	done
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		env DEBIAN_FRONTEND=noninteractive "$@"
	else
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	fi
}

# On systems without dpkg: can what we need be compiled and linked?
tools_work() {
	command -v make >/dev/null && command -v cc >/dev/null || return 1
	printf '#include <archive.h>\n#include <libdeflate.h>\n#include <lzma.h>\n#include <sodium.h>\n#include <xxhash.h>\n#include <zlib.h>\n#include <zstd.h>\nint main(void){return 0;}\n' |
		cc -x c - -o /dev/null -larchive -lbz2 -ldeflate -llzma -lsodium -lxxhash -lz -lzstd 2>/dev/null
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	tools_work || die "this is neither Debian nor Ubuntu; install by other means: make, a C compiler, the
bootstrap: headers of zlib, zstd, xxHash, libarchive, libbz2, libdeflate, liblzma and libsodium (for the tests also Criterion, g++, jq, mandoc, python3)"
else
	needed=$(missing)
	if [ -n "$needed" ]; then
		[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
			die "these packages are missing, and there is neither root nor sudo to install them:$needed"
		echo "bootstrap: installing$needed" | fold -s -w 100
		echo "bootstrap: the output of apt-get is in $log"
		logged 'apt-get update' as_root apt-get -q update
		# shellcheck disable=SC2086
		logged 'apt-get install' as_root apt-get -q -y --no-install-recommends install $needed
	fi
fi

echo "bootstrap: compiling, which takes a minute or two (output in $log)"
logged make make -j "$(nproc 2>/dev/null || echo 2)"
case $1 in
demo)
	make -s demo
	exit
	;;
build) exit ;;
esac
if [ ! -e /proc/self/exe ]; then
	# A bare chroot. What is mounted here is gone at the end.
	as_root mount -t proc proc /proc || die "the tests need /proc, and it could not be mounted here"
	trap 'as_root umount /proc' EXIT
	trap 'exit 1' HUP INT TERM
fi
{ make -k check 2>&1 || echo 'bootstrap: make check failed'; } | tee "$log"
steps=$(grep -c '^bootstrap: make check failed$' "$log" || true)
echo 'bootstrap: all tests together:'
awk -v steps="$steps" -f tests/tools/verdicts.awk "$log"
