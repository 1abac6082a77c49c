#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# From a clean machine to a result, with one command:
#
#	sh bootstrap.sh demo     build, and show what the tools do
#	sh bootstrap.sh test     build, and run all tests
#
# What is missing is installed with apt-get on Debian and Ubuntu, as root or with sudo. Nothing else is
# changed outside this directory.
set -eu
cd "$(dirname "$0")"

die() {
	echo "bootstrap: $*" >&2
	exit 1
}

case ${1-} in
demo) target=demo packages= ;;
test) target=check packages='libcriterion-dev mandoc bsdextrautils python3 python3-xxhash zstd bzip2 lz4 xz-utils' ;;
*)
	echo "Usage: sh bootstrap.sh demo|test" >&2
	exit 2
	;;
esac
packages="gcc libc6-dev make pkg-config zlib1g-dev libzstd-dev libxxhash-dev libarchive-dev libbz2-dev libdeflate-dev liblzma-dev libsodium-dev $packages"

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
bootstrap: headers of zlib, zstd, xxHash, libarchive, libbz2, libdeflate, liblzma and libsodium (for the tests also Criterion, mandoc, python3)"
else
	needed=$(missing)
	if [ -n "$needed" ]; then
		[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
			die "these packages are missing, and there is neither root nor sudo to install them:$needed"
		echo "bootstrap: installing$needed"
		as_root apt-get -q update || die "apt-get update failed; is there a network?"
		# shellcheck disable=SC2086
		as_root apt-get -q -y --no-install-recommends install $needed ||
			die "apt-get could not install:$needed"
	fi
fi

make -j "$(nproc 2>/dev/null || echo 2)"
if [ "$target" = check ] && [ ! -e /proc/self/exe ]; then
	# A bare chroot. What is mounted here is gone at the end.
	as_root mount -t proc proc /proc || die "the tests need /proc, and it could not be mounted here"
	trap 'as_root umount /proc' EXIT
	trap 'exit 1' HUP INT TERM
fi
make "$target"
