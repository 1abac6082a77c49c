#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds the packages of debian/ at HEAD in a clean Debian system, twice, and checks them: lintian, equal bytes, autopkgtest
# on what is installed, and that a purge leaves nothing. Root or sudo; seven to eleven minutes.
#
#	sh tests/tools/check_package.sh VERSION [SUITE]     bookworm (default), trixie, ..., after make dist
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v mmdebstrap >/dev/null || { echo 'skipped: mmdebstrap is not installed'; exit 0; }
[ "$(id -u)" -eq 0 ] || exec sudo sh tests/tools/check_package.sh "$@"
. tests/tools/verdict.sh
. tests/tools/bare_root.sh
trap 'delete_system; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

version=$1
QUIET='-o Dpkg::Options::=--force-unsafe-io -qq -y --no-install-recommends'
PACKAGES=iotrace,libiotrace0,libiotrace-sources0,libiotrace-dev,python3-iotrace
SECONDS_MAX=240 # of processor time, for a build without tests
PASSING='/\(proc\|dev\|sys\|src\|tmp\|root\|var/cache\|var/lib/apt\|var/lib/dpkg\|var/log\)'
FILES="find / -xdev -regex '$PASSING' -prune -o -print"

step() { # WHAT COMMAND, which runs in the system
	in_system "$2" >"$scratch/log" 2>&1
	status=$?
	tail -n 5 "$scratch/log" >"$scratch/err"
	verdict $status "$1"
	[ $status -eq 0 ]
}

# The source as it is distributed, in a directory of its own.
unpack() { # DIRECTORY
	mkdir -p "$bare/src/$1" && cp "build/iotrace-$version.tar.gz" "$bare/src/$1/iotrace_$version.orig.tar.gz" &&
		tar xzf "build/iotrace-$version.tar.gz" -C "$bare/src/$1"
}

# An override without a comment above it gives no reason.
reasons() {
	awk 'FNR == 1 { reason = 0 } /^#/ { reason = 1; next } NF && !reason { print FILENAME ": " $0; bad = 1 } END { exit bad }' \
		debian/*.lintian-overrides debian/source/lintian-overrides >"$scratch/err"
	verdict $? 'reasons of overrides'
}

# Processor time, because a busy machine changes the other one.
timed_build() {
	step 'build without tests, elsewhere' "cd ../other/iotrace-$version &&
		bash -c 'time -p DEB_BUILD_OPTIONS=\"nocheck parallel=2\" dpkg-buildpackage -us -uc -b'"
	awk -v max=$SECONDS_MAX '/^real / { real = $2 } /^(user|sys) / { busy += $2 }
		END { print "a build without tests takes " real " s, of which processors work " busy " s; at most " max; exit !(busy > 0 && busy <= max) }' \
		"$scratch/log" >"$scratch/err"
	verdict $? 'time of a build'
	cat "$scratch/err"
}

make_system "${2:-bookworm}" build-essential,lintian,autopkgtest,python3-numpy,pkgconf >"$scratch/log" 2>&1 ||
	die "no system: $(tail -n 5 "$scratch/log")"
rm -f "$scratch/log"
unpack one && unpack other || die 'no source'
step 'packages to build with' "apt-get $QUIET update && apt-get $QUIET build-dep /src/one/iotrace-$version" &&
	step 'build and tests' "cd ../one/iotrace-$version && DEB_BUILD_OPTIONS=parallel=2 dpkg-buildpackage -us -uc" || die 'no packages'
step 'lintian' 'cd ../one && lintian --allow-root -I --pedantic --fail-on=error,warning *.changes'
grep -v '^running with root' "$scratch/log"
reasons
timed_build
step 'equal packages' 'for p in ../one/*.deb; do cmp $p ../other/${p##*/}; done'
step 'files before' "$FILES | sort >/src/before"
step 'install' "apt-get $QUIET install ../one/*.deb"
step 'autopkgtest' "PYTHONDONTWRITEBYTECODE=1 autopkgtest -B ../one/iotrace-$version -- null"
step 'purge' "apt-get $QUIET purge $(echo $PACKAGES | tr , ' ')"
step 'nothing is left' "$FILES | sort | diff /src/before -"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
