# SPDX-License-Identifier: BSD-2-Clause
"""Checks that identifiers and comments use the terms of docs/glossary.md.

    check_words.py [--commits A..B]

Reports every identifier in lib/, converters/, cli/ and include/ that contains a retired word, with the term to use
instead, every private name with the public prefix "iot_", and every message of lib/ or converters/ that names an
option of a program. In the directories of PLAIN it also reports retired words in comments, and lines of more than 100
columns; in those of CLEAR, comments that leave out the noun. With --commits it checks the subjects of these commits
instead: at most 72 characters, and none of the words that comments must not have.
"""
import glob
import re
import subprocess
import sys

RETIRED = {
    "retold": "scope", "telling": "definition", "bearing": "scope", "subject": "entity", "relay": "event_queue",
    "tally": "stats", "upto": "end", "falls": "descents", "meet": "on_first_use", "news": "first_use",
    "room": "capacity", "folder": "directory", "said": "declared", "anew": "restart",
    "undated": "untimed", "vocabulary": "allowlist", "told": "reported, declared or known", "tell": "report",
    "least": "min", "most": "max", "unborn": "provisional", "kin": "ancestors", "nameless": "unlinked",
    "doubt": "ambiguity", "parcel": "message", "ledger": "sequence", "fate": "disposition", "guess": "candidate",
    "behind": "after", "beside": "alongside", "people": "human", "figures": "counters",
}
RETIRED_IN_COMMENTS = {
    r"told|tells?|telling": "report, declare, record, specify or known",
    r"behind": "after or following",
    r"room": "capacity",
    r"so many": "a number or the name of the parameter",
    r"whom|whoever": "a noun",
    r"no memory:|: no memory": "'Returns NULL if out of memory.'",
    r"undated": "untimed",
}
UNCLEAR = {
    r"^(/\*|//|\s*\*)?\s*Of (a|an|the|all|each|one|n|several|these|those|its?|records?)\b": "a verb: 'Returns ... of'",
    r"\bis no (?!longer|more|later|less|fewer)\w+": "'is not a'",
    r"\b(those|that) of\b": "the noun",
}
UNCLEAR_TEXT = re.compile(r"\b(those|that) of\b|(?<!there )\bis no (?!longer|more|wider)\w+", re.I)
SUBJECT = 71
METRICS = "lib/result/metric_list.h"  # defines values that are options of a command
FOREIGN_OPTIONS = {"--log_offset"}  # of fio
COLUMNS = 100
TAB = 8
TOKEN = re.compile(r'^[ \t]*#[ \t]*include[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*'
                   r'|\b[A-Za-z_]\w*', re.S | re.M)


def sources():
    for top in ("include", "lib", "converters", "cli", "record", "examples", "fuzz", "bench", "tests"):
        for suffix in "ch":
            yield from sorted(glob.glob(f"{top}/**/*.{suffix}", recursive=True))


def identifiers(path):
    with open(path) as file:
        text = file.read()
    for found in TOKEN.finditer(text):
        if found.group(0)[0].isalpha() or found.group(0)[0] == "_":
            yield text.count("\n", 0, found.start()) + 1, found.group(0)


def public_names():
    names = set()
    for path in [*glob.glob("include/iotrace/*.h"), "lib/libiotrace.map"]:
        with open(path) as file:
            names |= set(re.findall(r"\b(?:iot|IOT)_\w+", file.read()))
    return names


def wrong_words():
    public = public_names()
    for path in sources():
        for line, name in identifiers(path):
            if name in public:
                continue
            for word in re.sub(r"at_(least|most)", "", name.lower()).split("_"):
                if word in RETIRED:
                    yield f"{path}:{line}: {name}: use '{RETIRED[word]}' instead of '{word}'"
            if re.match(r"(iot|IOT)_\w", name) and not path.startswith("include/"):
                yield f"{path}:{line}: {name}: a private name with the public prefix"


def wrong_in_messages():
    """The library does not know how a program spells its options."""
    for path in sources():
        if not path.startswith(("lib/", "converters/")) or path == METRICS:
            continue
        with open(path) as file:
            text = file.read()
        for found in TOKEN.finditer(text):
            option = re.search(r"--[a-z][a-z_-]+", found.group(0)) if found.group(0)[0] == '"' else None
            if option and option.group(0) not in FOREIGN_OPTIONS:
                yield f"{path}:{text.count(chr(10), 0, found.start()) + 1}: a message names the option {option.group(0)}"


def comments(text):
    for found in TOKEN.finditer(text):
        if found.group(0).startswith(("/*", "//")):
            yield text.count("\n", 0, found.start()) + 1, found.group(0)


def wrong_in_comments():
    for path in sources():
        with open(path) as file:
            text = file.read()
        for number, line in enumerate(text.split("\n"), 1):
            if len(line.expandtabs(TAB).rstrip("\\ ")) > COLUMNS:
                yield f"{path}:{number}: more than {COLUMNS} columns"
        for first, comment in comments(text):
            for number, line in enumerate(comment.split("\n"), first):
                for words, instead in RETIRED_IN_COMMENTS.items():
                    found = re.search(rf"(?<!\w)({words})(?!\w)", line, re.I)
                    if found:
                        yield f"{path}:{number}: comment: use {instead} instead of '{found.group(0)}'"


def unclear_comments():
    for path in sources():
        with open(path) as file:
            text = file.read()
        for first, comment in comments(text):
            # The beginning of a line is the beginning of a comment only in its first lines.
            for number, line in enumerate(comment.split("\n"), first):
                for words, instead in UNCLEAR.items():
                    if words.startswith("^") and not (number == first or
                                                      (number == first + 1 and comment.startswith("/*\n"))):
                        continue
                    found = re.search(words, line)
                    if found:
                        yield f"{path}:{number}: comment: use {instead} instead of '{found.group(0).strip()}'"


def unclear_messages():
    for path in sources():
        if not path.startswith(("lib/", "converters/", "cli/", "record/")):
            continue
        with open(path) as file:
            text = file.read()
        for token in TOKEN.finditer(text):
            found = UNCLEAR_TEXT.search(token.group(0)) if token.group(0)[0] == '"' else None
            if found:
                yield f"{path}:{text.count(chr(10), 0, token.start()) + 1}: message: use the noun, or 'is not', " \
                      f"instead of '{found.group(0)}'"


def unclear_documents():
    for path in sorted([*glob.glob("man/*"), *glob.glob("docs/*.md"), *glob.glob("*.md")]):
        with open(path) as file:
            for number, line in enumerate(file, 1):
                found = UNCLEAR_TEXT.search(line)
                if found and path != "CHANGELOG.md":
                    yield f"{path}:{number}: use the noun, or 'is not', instead of '{found.group(0)}'"


def wrong_subjects(commits):
    log = subprocess.run(["git", "log", "--format=%h %s", commits], check=True, capture_output=True, text=True)
    for line in log.stdout.splitlines():
        commit, subject = line.split(" ", 1)
        if len(subject) > SUBJECT:
            yield f"{commit}: {len(subject)} characters, expected at most {SUBJECT}: {subject}"
        if not re.match(r"[\w*./,() -]+: ", subject):
            yield f"{commit}: expected 'area: effect': {subject}"
        for words, instead in [*RETIRED_IN_COMMENTS.items(), *list(UNCLEAR.items())[1:]]:
            found = re.search(rf"(?<!\w)({words})(?!\w)", subject, re.I)
            if found:
                yield f"{commit}: use {instead} instead of '{found.group(0)}': {subject}"


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--commits":
        wrong = list(wrong_subjects(sys.argv[2]))
        print(*wrong, sep="\n", end="\n" if wrong else "")
        sys.exit(len(wrong) > 0)
    wrong = list(dict.fromkeys([*wrong_words(), *wrong_in_messages(), *wrong_in_comments(), *unclear_comments(),
                               *unclear_messages(), *unclear_documents()]))
    for sentence in wrong:
        print(sentence)
    sys.exit(len(wrong) > 0)


if __name__ == "__main__":
    main()
