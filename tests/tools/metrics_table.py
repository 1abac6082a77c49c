# SPDX-License-Identifier: BSD-2-Clause
"""docs/metrics.md, the table of all metrics, from lib/result/metric_list.h.

	python3 tests/tools/metrics_table.py >docs/metrics.md
	python3 tests/tools/metrics_table.py --check

A column of cli/ may have another name than its metric: the table lists it. A name has one meaning: no name of a column
is the name of another metric, or of columns of two metrics.
"""
import glob
import re
import sys

SOURCE, TABLE = "lib/result/metric_list.h", "docs/metrics.md"
STRING = r'"(?:[^"\\]|\\.)*"'
METRIC = re.compile(r'^METRIC(?:_OF_PAPER)?\((\w+), (?:"(\w+)", )?(%s), IOT_(\w+), IOT_\w+,\s+(\w+),\s*((?:%s\s*)+)\)$'
                    % (STRING, STRING), re.M)
QUANTITIES = {"COUNT": "count", "BYTES": "bytes", "NS": "ns", "SHARE": "share (0 to 1)",
              "RATIO": "ratio", "BYTES_PER_S": "bytes/s", "PER_S": "1/s", "ID": "id",
              "FLAG": "true or false", "WORD": "word", "NAME": "name", "NESTED": "table"}
BY_DIRECTION = {"IOT_ONE": "", "IOT_BY_DIRECTION": ", by direction", "WRITTEN_BY_DIRECTION": ", by direction",
                "REQUESTS_BY_DIRECTION": ", by direction", "SERIES_BY_DIRECTION": ", by direction, and of operations"}
COLUMN_AS = re.compile(r'COLUMN(?:_(READ|WRITE))?_AS\((\w+),\s*"(\w+)"\)')
ESCAPED = {("key", "value_key")}  # the same, of names from a trace and of values that are printable
HEAD = """# Metrics

The values in the results of all commands: the key in JSON and the column in TSV, the heading in text, and the unit. A metric by
direction also has values of reads and of writes, whose names begin with `read_` and `write_` (`written_` if it is bytes; of
`requests` they are `reads` and `writes`); names of values of operations begin with `operation_`. Some tables use a shorter
name, which follows the key. The symbol is the name in the study that defines the metric. `tests/tools/metrics_table.py` makes this page from `lib/result/metric_list.h`. A value that is not
known is `null` in JSON, an empty field in TSV, and `-` in text.
"""


def joined(strings):
    text = "".join(s[1:-1] for s in re.findall(STRING, strings))
    return text.replace('\\"', '"').replace("\\\\", "\\").replace("|", "\\|")


def names_of(name, split):
    """The names of the columns of a metric, by direction."""
    if split == "IOT_ONE":
        return {"": name}
    if name == "requests":
        return {"": name, "READ": "reads", "WRITE": "writes"}
    return {"": name, "READ": "read_" + name, "WRITE": ("written_" if "bytes" in name else "write_") + name}


def columns():
    """The metric, direction and name of each column that has a name of its own."""
    for path in sorted(glob.glob("cli/**/*.[ch]", recursive=True)):
        with open(path, encoding="utf-8") as file:
            for direction, metric, name in COLUMN_AS.findall(file.read()):
                yield path, metric, direction, name


def short_names(source):
    """The names of columns that differ from their metrics, by metric; exits if a name has two meanings."""
    owner, short = {}, {}
    for name, _, _, _, split, _ in METRIC.findall(source):
        owner.update({each: name for each in names_of(name, split).values() if each not in owner or each == name})
    for path, metric, _, name in columns():
        if owner.setdefault(name, metric) != metric and (name, metric) not in ESCAPED:
            sys.exit(f"{path}: the column '{name}' shows {metric}, but the name means {owner[name]}")
        if name not in names_of(metric, "IOT_BY_DIRECTION").values() and not name.isdigit():
            short.setdefault(metric, set()).add(name)
    return short


def sections(source):
    """The title of each section, and the text up to the next one."""
    titles = list(re.finditer(r"^/\* ([A-Z][^*\n]*[^.\n]) \*/$", source, re.M))
    for title, following in zip(titles, titles[1:] + [None]):
        yield title[1], source[title.end():following.start() if following else len(source)]


def page(source):
    lines, count, short = [HEAD], 0, short_names(source)
    for title, text in sections(source):
        found = METRIC.findall(text)
        if not found:
            continue
        lines += [f"## {title}\n", "| key | heading | unit | symbol | value |", "|---|---|---|---|---|"]
        lines += [f"| {', '.join(f'`{each}`' for each in [name, *sorted(short.get(name, ()))])} | {joined(label)} | {QUANTITIES[quantity]}{BY_DIRECTION[split]} | {symbol} | {joined(definition)} |"
                  for name, symbol, label, quantity, split, definition in found]
        lines.append("")
        count += len(found)
    if count != len(re.findall(r"^METRIC(?:_OF_PAPER)?\(", source, re.M)):
        sys.exit(f"{SOURCE}: a metric has another form, or no section")
    return "\n".join(lines).rstrip("\n") + "\n"


def main():
    with open(SOURCE, encoding="utf-8") as file:
        made = page(file.read())
    if sys.argv[1:] != ["--check"]:
        sys.stdout.write(made)
        return
    with open(TABLE, encoding="utf-8") as file:
        if file.read() != made:
            sys.exit(f"{TABLE} differs from {SOURCE}: run "
                     f"python3 tests/tools/metrics_table.py >{TABLE}")


main()
