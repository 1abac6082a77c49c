# SPDX-License-Identifier: BSD-2-Clause
"""The tests that the table of limits in SECURITY.md names exist.

	python3 tests/tools/check_test_names.py
"""
import glob
import re
import sys


def suites():
    found = set()
    for path in glob.glob("tests/unit/*.c"):
        with open(path, encoding="utf-8") as f:
            found.update(re.findall(r"^\w*Test\((\w+),", f.read(), re.M))
    return found


def names(cell):
    """Pairs of a kind of test and a name; a kind is valid for all names that follow it."""
    kind = "unit"
    for word, name in re.findall(r"\b(unit|fuzz)\b|`([^`]+)`", re.sub(r"`(fuzz_)", r"fuzz `\1", cell)):
        kind = word or kind
        if name.startswith("make "):
            yield "make", name[5:]
        elif name:
            yield "cli" if name.endswith(".t") else kind, name


def exists(kind, name, known):
    if kind == "unit":
        return name in known
    if kind == "make":
        with open("GNUmakefile", encoding="utf-8") as f:
            return re.search(rf"^{name}:", f.read(), re.M) is not None
    pattern = f"tests/cli/{name}" if kind == "cli" else f"fuzz/fuzz_{name.removeprefix('fuzz_')}.c"
    return bool(glob.glob(pattern))


def main():
    known = suites()
    passed = failed = 0
    with open("SECURITY.md", encoding="utf-8") as f:
        rows = [line.strip().strip("|").split("|") for line in f if line.startswith("| ")]
    for row in rows[1:]:
        for kind, name in names(row[-1]):
            if exists(kind, name, known):
                passed += 1
            else:
                failed += 1
                print(f"not ok: SECURITY.md names the test {name} ({kind}), which does not exist")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
