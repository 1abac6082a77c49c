# SPDX-License-Identifier: BSD-2-Clause
"""docs/metrics.md, the table of all metrics, from lib/result/metric_list.h.

	python3 tests/tools/metrics_table.py >docs/metrics.md
	python3 tests/tools/metrics_table.py --check
"""
import re
import sys

SOURCE, TABLE = "lib/result/metric_list.h", "docs/metrics.md"
STRING = r'"(?:[^"\\]|\\.)*"'
METRIC = re.compile(r'^METRIC(?:_OF_PAPER)?\((\w+), (?:"(\w+)", )?(%s), IOT_(\w+), IOT_\w+,\s+(\w+),\s*((?:%s\s*)+)\)$'
                    % (STRING, STRING), re.M)
QUANTITIES = {"COUNT": "count", "BYTES": "bytes", "NS": "ns", "SHARE": "share (0 to 1)",
              "RATIO": "ratio", "BYTES_PER_S": "bytes/s", "PER_S": "1/s", "ID": "id",
              "FLAG": "true or false", "WORD": "word", "NAME": "name", "NESTED": "table"}
BY_DIRECTION = {"IOT_ONE": "", "HOMONYM": "", "IOT_BY_DIRECTION": ", by direction", "WRITTEN_BY_DIRECTION": ", by direction",
                "REQUESTS_BY_DIRECTION": ", by direction", "SERIES_BY_DIRECTION": ", by direction, and of operations"}
HEAD = """# Metrics

The values in the results of all commands: the key in JSON and the column in TSV, the heading in text, and the unit. A metric by
direction also has values of reads and of writes, whose names begin with `read_` and `write_` (`written_` if it is bytes; of
`requests` they are `reads` and `writes`); names of values of operations begin with `operation_`. The symbol is the name in the
study that defines the metric. `tests/tools/metrics_table.py` makes this page from `lib/result/metric_list.h`. A value that is not
known is `null` in JSON, an empty field in TSV, and `-` in text.
"""


def joined(strings):
    text = "".join(s[1:-1] for s in re.findall(STRING, strings))
    return text.replace('\\"', '"').replace("\\\\", "\\").replace("|", "\\|")


def sections(source):
    """The title of each section, and the text up to the next one."""
    titles = list(re.finditer(r"^/\* ([A-Z][^*\n]*[^.\n]) \*/$", source, re.M))
    for title, following in zip(titles, titles[1:] + [None]):
        yield title[1], source[title.end():following.start() if following else len(source)]


def page(source):
    lines, count = [HEAD], 0
    for title, text in sections(source):
        found = METRIC.findall(text)
        if not found:
            continue
        lines += [f"## {title}\n", "| key | heading | unit | symbol | value |", "|---|---|---|---|---|"]
        lines += [f"| `{name}` | {joined(label)} | {QUANTITIES[quantity]}{BY_DIRECTION[split]} | {symbol} | {joined(definition)} |"
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
