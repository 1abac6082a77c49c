#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Which lines the harnesses reach with their corpora (and others, in folders of the same names below
# CORPORA), for each file and directory of lib/, converters/ and cli/. `make coverage` builds what it needs.
#
#	sh tests/tools/show_coverage.sh BUILD [CORPORA]

cd "$(dirname "$0")/../.." || exit 2
build=$1 more=${2-} objects=
rm -f "$build"/*.profraw
for harness in "$build"/fuzz_*; do
	case $harness in *.o | *.d | *.profraw) continue ;; esac
	[ -f "$harness" ] || continue
	name=${harness##*/fuzz_}
	set -- "fuzz/corpus/$name"
	[ -z "$more" ] || [ ! -d "$more/$name" ] || set -- "$@" "$more/$name"
	LLVM_PROFILE_FILE=$build/$name.profraw "$harness" "$@" >/dev/null 2>&1 || echo "failed: $name"
	objects="$objects -object $harness"
done
llvm-profdata merge -o "$build/all.profdata" "$build"/*.profraw || exit 1
# shellcheck disable=SC2086
llvm-cov export -summary-only -instr-profile="$build/all.profdata" $objects >"$build/coverage.json" || exit 1
python3 - "$build/coverage.json" <<'P'
import json, os, sys
with open(sys.argv[1], encoding="utf-8") as f:
    files = json.load(f)["data"][0]["files"]
folders = {}
for entry in sorted(files, key=lambda e: e["filename"]):
    name = os.path.relpath(entry["filename"])
    lines = entry["summary"]["lines"]
    if not name.endswith(".c") or not name.startswith(("lib/", "converters/", "cli/")):
        continue
    for folder in (os.path.dirname(name), "all of " + name.split("/")[0]):
        total = folders.setdefault(folder, [0, 0])
        total[0] += lines["covered"]
        total[1] += lines["count"]
    print("%5.1f %%  %5d lines  %s" % (lines["percent"], lines["count"], name))
for folder, (covered, count) in sorted(folders.items()):
    print("%5.1f %%  %5d lines  %s" % (100 * covered / max(count, 1), count, folder))
P
