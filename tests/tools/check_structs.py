#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The manual shows the public structs: every struct with members in include/iotrace/*.h is in one
page of section 3, with the members and comments of the header. Line breaks and spaces may differ,
because a page is narrower. Prints the display to paste into the page for a struct that differs.

	python3 tests/tools/check_structs.py [HEADER_OR_PAGE ...]
"""
import glob
import re
import sys

STRUCT = re.compile(r"^struct (iot_\w+) \{\n.*?^\};\n", re.M | re.S)
DISPLAY = re.compile(r"^\.Bd -literal.*?\n(.*?)^\.Ed\n", re.M | re.S)


def structs(text):
    return [(m.group(1), m.group(0)) for m in STRUCT.finditer(text)]


def shown_in(page):
    text = "".join(DISPLAY.findall(page))
    return structs(text.replace("\\&", "").replace("\\e", "\\"))


def display(struct):
    text = struct.replace("\\", "\\e")
    return ".Bd -literal\n" + re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M) + ".Ed\n"


def tokens(struct):
    """The text without spaces and without the stars that begin the lines of a comment."""
    return re.sub(r"\s+", "", re.sub(r"^\s*\* ", "", struct, flags=re.M))


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def differences(headers, pages):
    declared = {name: text for path in headers for name, text in structs(read(path))}
    shown = {}
    for path in pages:
        for name, text in shown_in(read(path)):
            shown.setdefault(name, []).append((path, text))
    for name, text in declared.items():
        found = shown.pop(name, [])
        if len(found) != 1:
            places = ", ".join(path for path, _ in found) or "no page of section 3"
            yield f"struct {name} is in {places}, expected in one page:\n{display(text)}"
        elif tokens(found[0][1]) != tokens(text):
            yield f"{found[0][0]}: struct {name} differs from the header:\n{display(text)}"
    for name, found in shown.items():
        yield f"{found[0][0]}: struct {name} is not in a public header"


def main(paths):
    headers = [p for p in paths if p.endswith(".h")] or sorted(glob.glob("include/iotrace/*.h"))
    pages = [p for p in paths if not p.endswith(".h")] or sorted(glob.glob("man/*.3"))
    found = list(differences(headers, pages))
    print("\n".join(found), end="")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
