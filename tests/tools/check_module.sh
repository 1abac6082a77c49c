#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The tests of one directory of lib/, converters/ or cli/:
#
#	MODE=MODE MAKE=make sh tests/tools/check_module.sh MODULE
#
# These are the files of tests/unit and the fuzz harnesses that include a header of the directory, and those that,
# as the tests of tests/cli, have a name that begins with the module's or with one of the words listed here.

cd "$(dirname "$0")/../.." || exit 2
module=${1-} mode=${MODE:-release}
build=build/$mode
case $module in
base) words='error idmap limits number byte_sink convert-full' ;;
codec) words='decode roundtrip cat-canonical cat-spellings' ;;
darshan) words=counter ;;
calls) words='dftracer perf' ;;
fdtable) words='tracker strace' ;;
filter) words='reorder slice anonymize rebase remap_ids stat' ;;
format) words='directive definitions names cat-framing cat-renamed' ;;
input) words='source convert-packed convert-parts convert-each' ;;
io) words='bufreader cat-formats cat-output' ;;
merge) words= ;;
packets) words='packet procstat reorder-packets sequence' ;;
export) words='show json cat-csv cat-export cat-formats' ;;
reader) words='source seek recovery verified parallel seek_points detect_base stream cat info' ;;
record) words='signals help options' ;;
recorder) words= ;;
sort) words='keysort sorter reorder' ;;
stat) words='unknown-figures' ;;
strace) words='convert-strace convert-order' ;;
ui) words='opts options help signals terminal progress same-files json' ;;
verify) words='check repair verified live-trace' ;;
writer) words='live-trace stream' ;;
*) words= ;;
esac

known=$(ls -d lib/*/ lib/*/*/ converters/*/ cli/*/ | sed 's|/$||; s|.*/||' | sort -u)
if ! printf '%s\n' $known | grep -qxF -e "$module"; then
	echo "check-module: M is '$module', expected one of" $known >&2
	exit 2
fi

# named FILE: whether its name without directory, "fuzz_" and suffix begins with the module's or a word
named() {
	name=${1##*/}
	name=${name%.*}
	name=${name#fuzz_}
	for word in $module $words; do
		case $name in "$word"*) return 0 ;; esac
	done
	return 1
}

concerns() {
	named "$1" || grep -Eq "^#include \"(lib|converters|cli)/$module/" "$1"
}

suites=
harnesses=
tests=
for file in tests/unit/*.c; do
	concerns "$file" || continue
	suites="$suites $(sed -n 's/^\(Parameterized\)\{0,1\}Test(\([a-z_0-9]*\),.*/\2/p' "$file" | sort -u)"
done
for file in fuzz/fuzz_*.c; do
	! concerns "$file" || harnesses="$harnesses $(basename "$file" .c)"
done
for file in tests/cli/*.t; do
	! named "$file" || tests="$tests $(basename "$file" .t)"
done

status=0
suites=$(printf '%s\n' $suites | sort -u | tr '\n' ' ')
echo "check-module: unit:" $suites
case $suites,$mode in
' ',*) ;;
*,tsan | *,plain) $build/unit $suites || status=1 ;;
*) $build/unit --filter "@($(echo $suites | tr ' ' '|'))/*" || status=1 ;;
esac
echo "check-module: fuzz:" $harnesses
for name in $harnesses; do
	echo "$build/$name fuzz/corpus/${name#fuzz_}"
	${MAKE:-make} -s --no-print-directory MODE="$mode" "$build/$name" && "$build/$name" "fuzz/corpus/${name#fuzz_}" ||
		status=1
done
echo "check-module: cli:" $tests
if [ -n "$tests" ]; then
	MODE=$mode sh tests/cli/run $tests || status=1
fi
exit $status
