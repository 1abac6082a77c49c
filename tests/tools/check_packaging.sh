#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks the build steps of the recipes in packaging/: make and make install with prefix alone, by a compiler that is a wrapper, in an
# environment of its own and a copy of the tracked files; then the program, the library and the module from that prefix.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tree" "$folder/bin"
git ls-files -z | xargs -0 tar c | tar x -C "$folder/tree"
printf '#!/bin/sh\nexec %s "$@"\n' "${CC:-cc}" >"$folder/bin/wrapped-cc"
chmod +x "$folder/bin/wrapped-cc"
clean() { env -i PATH="$PATH" HOME="$folder" ${CCACHE_DIR:+CCACHE_DIR="$CCACHE_DIR"} "$@"; }
cd "$folder/tree"
for target in all install; do
	clean make -j2 CC="$folder/bin/wrapped-cc" prefix="$folder/prefix" $target >"$folder/log" 2>&1 ||
		{ tail -n 20 "$folder/log"; exit 1; }
done
cp -r python/iotrace "$folder/prefix/module"
mkdir "$folder/modules" && mv "$folder/prefix/module" "$folder/modules/iotrace"
cd "$folder"
log=$folder/tree/testdata/strace/cp.strace
clean "$folder/prefix/bin/iotrace" stat "$log" >/dev/null
clean "$folder/prefix/bin/iotrace" record -q -o t.iot.zst true
clean PYTHONPATH="$folder/modules" IOTRACE_LIBRARY="$folder/prefix/lib" python3 -c \
	"import iotrace; assert iotrace.open('t.iot.zst').source == 'iotrace'"
for recipe in "$folder/tree/packaging/spack/package.py" "$folder/tree/packaging/wheel.py"; do
	python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$recipe"
done
echo '1 passed, 0 failed'
