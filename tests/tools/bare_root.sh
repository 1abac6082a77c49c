# SPDX-License-Identifier: BSD-2-Clause
# For scripts that need a clean Debian system, to be sourced as root at the top of the tree: make_system makes one in
# $bare, with the tree at HEAD in /src/iotrace; in_system runs a command there.
#
# Needs mmdebstrap and a Debian machine, whose package mirror it uses. Callers have a trap for delete_system. What is
# mounted there is mounted in a namespace that ends with the command, however it ends.

bare=build/bare
sources=build/bare.sources
options=build/bare.conf

die() {
	echo "$(basename "$0" .sh): $*" >&2
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

delete_system() {
	rm -rf --one-file-system $bare $sources $options
}

make_system() { # SUITE [PACKAGE,...]
	command -v mmdebstrap >/dev/null || die 'mmdebstrap is not installed'
	delete_system
	mkdir -p build
	release=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mirror | sed "s/\b$release\b/$1/g" >$sources
	[ -s $sources ] || die 'found no mirror of Debian in /etc/apt'
	# How the machine reaches its mirror: proxies, and checks that the mirror cannot satisfy.
	apt-config dump | grep -E '^Acquire::(https?|Check|Retries)' >$options || true
	mmdebstrap --quiet --mode=root --variant=minbase --aptopt=$options ${2:+--include="$2"} "$1" $bare $sources
	git clone --quiet . $bare/src/iotrace
	mkdir $bare/src/shared
}

in_system() { # COMMAND, for sh, which begins in /src/iotrace
	# shellcheck disable=SC2016
	unshare --mount sh -euc '
		mount -t proc proc "$1/proc"
		mount --rbind /dev "$1/dev"
		[ ! -d ../shared ] || mount -o bind,ro ../shared "$1/src/shared"
		exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			sh -euc "cd /src/iotrace && $2"' sh $bare "$1"
}
