#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures how small records become if zstd compresses each field by itself: a table in Markdown.

    columns.py MAKE_TRACE [RECORDS]      of the workload mixed; 1000000

"text": the values as they are written; "bytes": numbers, as one plane of their lowest bytes, one of the next, and so on.
"""
import subprocess
import sys

FIELDS = ("type", "compression", "offset", "length", "start", "completion", "operation", "file", "process", "cpu")
OMITTED = {"offset": 0x40, "length": 0x04, "operation": 0x20, "file": 0x80, "process": 0x08}


def zstd_size(data, level):
    return len(subprocess.run(["zstd", f"-{level}", "-c", "--single-thread"], input=data, stdout=subprocess.PIPE, check=True).stdout)


def split(records):
    columns = {field: [] for field in FIELDS}
    for record in records:
        values = record.split()
        compression = int(values[1], 16)
        present = [field for field in FIELDS if not compression & OMITTED.get(field, 0)]
        for field, value in zip(present, values):
            columns[field].append(value)
    return columns


def planes(values):
    """Signed numbers have their sign in the lowest bit."""
    signed = any(value.startswith("-") for value in values)
    numbers = [int(value.lstrip("-"), 16) * (1 + signed) + value.startswith("-") for value in values]
    width = max((max(numbers, default=0).bit_length() + 7) // 8, 1)
    return b"".join(bytes(number >> 8 * i & 255 for number in numbers) for i in range(width))


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
    text = subprocess.run([sys.argv[1], "mixed", str(count), "1", "/dev/stdout"], stdout=subprocess.PIPE, check=True).stdout.decode()
    records = [line for line in text.splitlines() if not line.startswith("ff")]
    columns = split(records)
    forms = {"lines": ["\n".join(records).encode()],
             "columns of text": ["\n".join(values).encode() for values in columns.values()],
             "columns of bytes": [planes(values) for values in columns.values()]}
    print("| form | zstd -1 | -3 | -19 |\n|---|---|---|---|")
    for form, parts in forms.items():
        sizes = [sum(zstd_size(part, level) for part in parts) / count for level in (1, 3, 19)]
        print(f"| {form} | " + " | ".join(f"{size:.2f}" for size in sizes) + " |", flush=True)


main()
