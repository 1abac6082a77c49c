#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What `make install` leaves is enough to build against, by pkg-config alone, as README.md says;
# `make uninstall` leaves no file; and `iotrace record` finds its library wherever both are installed.
#
#	sh tests/tools/check_install.sh

cd "$(dirname "$0")/../.." || exit 2
MODE=${MODE:-release}
prefix=$(mktemp -d) || exit 2
trap 'rm -rf "$prefix"' EXIT
flags=
case $MODE in
asan) flags='-fsanitize=address,undefined' ;;
coverage) flags='--coverage' ;;
esac

fail() {
	echo "not ok: $1"
	exit 1
}

install() { # VARIABLE=VALUE...
	${MAKE:-make} --no-print-directory MODE="$MODE" "$@" install >"$prefix/log" 2>&1 || {
		cat "$prefix/log"
		fail "make $* install"
	}
}

install PREFIX="$prefix"
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' README.md >"$prefix/example.c"
awk '/^```c$/ { c = 1 } c && /^```text$/ { on = 1; next } /^```/ { on = 0 } on' \
	README.md >"$prefix/expected"
options=$(sed -n 's/.*\$(pkg-config \([^)]*\)).*/\1/p' README.md)
[ -n "$options" ] || fail 'README.md does not say how to compile'
# shellcheck disable=SC2086
built=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config $options) || fail "pkg-config $options"
# shellcheck disable=SC2086
${CC:-cc} $flags -o "$prefix/example" "$prefix/example.c" $built || fail 'the program of README.md'
LD_LIBRARY_PATH="$prefix/lib" "$prefix/example" testdata/format/example.iot >"$prefix/seen" ||
	fail 'the program of README.md, run'
diff "$prefix/expected" "$prefix/seen" || fail 'what the program of README.md prints'
built=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs libiotrace-sources) ||
	fail 'pkg-config libiotrace-sources'
# shellcheck disable=SC2086
${CC:-cc} -std=gnu11 $flags -o "$prefix/example" examples/lru.c $built || fail 'examples/lru.c'
LD_LIBRARY_PATH="$prefix/lib" "$prefix/example" 64 testdata/strace/sqlite.strace.gz >"$prefix/seen" ||
	fail 'examples/lru.c, run'
# A page for each function.
[ "$(cat "$prefix/share/man/man3/iot_reader_open.3")" = '.so man3/iot_reader.3' ] || fail 'man iot_reader_open'
for name in $(sed -n 's/^IOT_API.*[ *]\(iot_[a-z_]*\)(.*/\1/p' include/iotrace/*.h); do
	[ -e "$prefix/share/man/man3/$name.3" ] || fail "no page $name(3)"
done

# Every header alone, in strict C and C++ of all versions.
for header in "$prefix"/include/iotrace/*.h; do
	for std in c11 c17 c2x; do
		${CC:-cc} -std=$std -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -x c "$header" ||
			fail "$header in $std"
	done
	command -v c++ >/dev/null || { echo 'skipped: c++ not installed'; continue; }
	for std in c++11 c++17 c++20; do
		c++ -std=$std -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -x c++ "$header" ||
			fail "$header in $std"
	done
done
rm "$prefix/log" "$prefix/example" "$prefix/example.c" "$prefix/expected" "$prefix/seen"
${MAKE:-make} --no-print-directory MODE="$MODE" PREFIX="$prefix" uninstall >/dev/null || fail 'make uninstall'
[ -z "$(find "$prefix" ! -type d)" ] || fail "left by make uninstall: $(find "$prefix" ! -type d)"

# Names in lower case win, and what other programs are built by moves with the prefix.
install PREFIX="$prefix/no" prefix="$prefix/a" libdir="$prefix/a/lib"
[ ! -e "$prefix/no" ] || fail 'PREFIX wins over prefix'
mv "$prefix/a" "$prefix/moved"
built=$(PKG_CONFIG_PATH="$prefix/moved/lib/pkgconfig" pkg-config --define-prefix --cflags --libs libiotrace)
case $built in
*"$prefix/moved/include"*"$prefix/moved/lib"*) ;;
*) fail "pkg-config --define-prefix: $built" ;;
esac
rm -r "$prefix/moved"

# A program that CMake builds.
if ! command -v cmake >/dev/null; then
	echo 'skipped: cmake not installed'
elif [ "$MODE" = release ]; then
	install prefix="$prefix/a"
	mkdir "$prefix/project"
	cp examples/lru.c "$prefix/project"
	cat >"$prefix/project/CMakeLists.txt" <<-'END'
		cmake_minimum_required(VERSION 3.18)
		project(lru C)
		find_package(iotrace 0.1 REQUIRED)
		add_executable(lru lru.c)
		target_link_libraries(lru iotrace::sources iotrace::iotrace)
	END
	(cmake -S "$prefix/project" -B "$prefix/project/build" -DCMAKE_PREFIX_PATH="$prefix/a" -DCMAKE_C_COMPILER="${CC##* }" &&
		cmake --build "$prefix/project/build") >"$prefix/log" 2>&1 || { cat "$prefix/log"; fail 'find_package(iotrace)'; }
	"$prefix/project/build/lru" 64 testdata/strace/sqlite.strace.gz >/dev/null || fail 'what CMake built'
	rm -r "$prefix/project" "$prefix/a" "$prefix/log"
fi

# records PROGRAM [VARIABLE=VALUE]
records() {
	env $2 "$1" record -q -o "$prefix/true.iot" true || fail "$1 record${2:+ with $2}"
}
if [ -e "build/$MODE/libiotrace-record.so" ]; then
	install prefix="$prefix/a" libdir="$prefix/a/libs/64"
	records "$prefix/a/bin/iotrace"
	mv "$prefix/a" "$prefix/b"
	records "$prefix/b/bin/iotrace"
	mv "$prefix/b/bin/iotrace" "$prefix/iotrace"
	(records "$prefix/iotrace") 2>/dev/null >&2 && fail 'record without its library'
	(cd "$prefix" && records ./iotrace IOTRACE_LIBDIR=b/libs/64/iotrace) || exit 1
	install DESTDIR="$prefix/c" PREFIX=/usr LIBDIR=/usr/lib64
	records "$prefix/c/usr/bin/iotrace"
fi
echo 'installed, built against, uninstalled'
