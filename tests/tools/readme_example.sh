#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What README.md, docs/sites.md and the manual show is true: every console block is run again and its output
# compared, and the C program of README.md is compiled, run, and its output compared with the text
# block that follows. If a page shows commands that run ./example, the C program under its EXAMPLES is
# compiled to example.
#
#	sh tests/tools/readme_example.sh
#
# A console block is ```console in README.md and docs/sites.md, and a literal display under EXAMPLES in a page whose
# first line begins with "$ ". Its commands run one after the other in a directory of their own that
# has testdata/ and build/release/ in it. Those of README.md are typed literally, all blocks in one
# shell with the PATH of the system; those of a page have one that is installed.

cd "$(dirname "$0")/../.." || exit 2
root=$PWD
build=$root/build/${MODE:-release}
. tests/tools/verdict.sh
# libraries, and what a sanitizer or coverage build needs to link
libraries='-lxxhash -lzstd -lz -lpthread'
flags=
case ${MODE:-release} in
asan) flags='-fsanitize=address,undefined' ;;
coverage) flags='--coverage' ;;
esac

# Writes the blocks of a page to $scratch/N.block, and all of README.md to one.
blocks_of() {
	case $1 in
	*.md)
		awk -v d="$scratch" '/^```console/ { on = 1; f = d "/1.block"; next }
			/^```/ { on = 0 } on { print > f }' "$1"
		;;
	*/iotrace-tutorial.7)
		awk -v d="$scratch" '/^\.Bd -literal/ { on = 1; f = d "/1.block"; next }
			/^\.Ed/ { on = 0 } on { gsub(/\\e/, "\\"); gsub(/\\-/, "-"); print > f }' "$1"
		;;
	*)
		awk -v d="$scratch" '/^\.Sh / { examples = /EXAMPLES/ }
			/^\.Bd -literal/ && examples { first = 1; next }
			/^\.Ed/ { on = first = 0 }
			first { first = 0; on = /^\$ / ; if (on) f = d "/" ++n ".block" }
			on { gsub(/\\e/, "\\"); gsub(/\\&/, ""); gsub(/\\-/, "-"); print > f }' "$1"
		;;
	esac
}

# Says what a terminal would show: each command and its output.
replay() {
	rm -rf "$scratch/run" && mkdir -p "$scratch/run/build"
	ln -s "$root/testdata" "$scratch/run/testdata"
	ln -s "$build" "$scratch/run/build/release"
	[ ! -x "$scratch/example" ] || ln -s "$scratch/example" "$scratch/run/example"
	(
		cd "$scratch/run" || exit
		case $2 in
		*.md) PATH=/usr/bin:/bin ;;
		*) PATH=$build:$PATH ;;
		esac
		while IFS= read -r line; do
			case $line in
			'$ '*)
				printf '%s\n' "$line"
				eval "${line#??}" 2>&1
				;;
			esac
		done <"$1"
	) </dev/null
}

# Prints the C program of README.md, or the one under EXAMPLES of a page.
program_of() {
	case $1 in
	*.md) awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$1" ;;
	*)
		awk '/^\.Sh / { examples = /EXAMPLES/ }
			/^#include/ && examples { on = 1 }
			/^\.Ed/ { on = 0 }
			on { gsub(/\\e/, "\\"); print }' "$1"
		;;
	esac
}

compile_program() {
	program_of "$1" >"$scratch/example.c"
	# shellcheck disable=SC2086
	${CC:-cc} -std=c11 -Wall -Wextra -Werror $flags -Iinclude -o "$scratch/example" \
		"$scratch/example.c" "$build/libiotrace.a" $libraries
	verdict $? "$1: the C program does not compile"
}

run_blocks() {
	rm -f "$scratch"/*.block "$scratch/example"
	blocks_of "$1"
	! grep -q '^\$ \./example' "$1" || compile_program "$1"
	for block in "$scratch"/*.block; do
		[ -f "$block" ] || continue
		replay "$block" "$1" >"$scratch/seen"
		difference=$(diff "$block" "$scratch/seen")
		verdict $? "$1: $(head -n 1 "$block") (< shown, > seen)
$difference"
	done
}

run_program() {
	compile_program README.md
	awk '/^```c$/ { c = 1 } c && /^```text$/ { on = 1; next } /^```/ { on = 0 } on' \
		README.md >"$scratch/expected"
	[ -x "$scratch/example" ] || return
	"$scratch/example" testdata/format/example.iot >"$scratch/seen"
	verdict $? 'README.md: the C program fails'
	difference=$(diff "$scratch/expected" "$scratch/seen")
	verdict $? "README.md: the C program (< shown, > seen)
$difference"
}

run_program
for page in README.md docs/sites.md man/*.[1357]; do
	run_blocks "$page"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
