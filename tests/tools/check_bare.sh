#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs both commands of README.md for a fresh clone in a bare Debian system, which has only the
# required packages: the commands have to install all that they and the tests use.
#
#	sh tests/tools/check_bare.sh [SUITE]     bookworm (default), trixie, ...
#
# Needs root or sudo, mmdebstrap, and a Debian machine, whose package mirror it uses. The system is
# made in build/bare and deleted at the end. What is mounted there is mounted in a namespace that ends
# with the command, however it ends.
set -eu
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || exec sudo sh tests/tools/check_bare.sh "$@"
suite=${1:-bookworm}
bare=build/bare
sources=build/bare.sources
options=build/bare.conf

die() {
	echo "check_bare: $*" >&2
	exit 1
}

# Prints the machine's entries for Debian itself; the suites of other repositories have other names
# or no component "main".
mirror() {
	cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk -v RS= -v ORS='\n\n' \
		"/(^|\n)Suites:[^\n]* $release/ && /(^|\n)Components:[^\n]* main/"
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
		grep -E "^deb .* $release[^ ]* ([^#]* )?main" || true
}

make_system() {
	mkdir -p build
	release=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mirror | sed "s/\b$release\b/$suite/g" >$sources
	[ -s $sources ] || die 'found no mirror of Debian in /etc/apt'
	# How the machine reaches its mirror: proxies, and checks that the mirror cannot satisfy.
	apt-config dump | grep -E '^Acquire::(https?|Check|Retries)' >$options || true
	mmdebstrap --quiet --mode=root --variant=minbase --aptopt=$options "$suite" $bare $sources
	git clone --quiet . $bare/src/iotrace
	mkdir $bare/src/shared
}

delete_system() {
	rm -rf --one-file-system $bare $sources $options
}

as_typed() {
	echo "$ $1"
	# shellcheck disable=SC2016
	unshare --mount sh -euc '
		mount -t proc proc "$1/proc"
		mount --rbind /dev "$1/dev"
		[ ! -d ../shared ] || mount -o bind,ro ../shared "$1/src/shared"
		exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			sh -c "cd /src/iotrace && $2"' sh $bare "$1"
}

command -v mmdebstrap >/dev/null || die 'mmdebstrap is not installed'
delete_system
trap delete_system EXIT
trap 'exit 1' HUP INT TERM
echo "$(git log -1 --format='%h %s'), in a bare Debian ($suite)"
make_system
as_typed 'sh bootstrap.sh demo'
as_typed 'sh bootstrap.sh test'
