#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes a program for x86-64 Linux that no dynamic loader starts: it writes its text to standard output and exits.

	static_program.py FILE TEXT EXIT_STATUS
"""
import os
import struct
import sys

ADDRESS, HEADERS = 0x400000, 64 + 56


def code(text, status):
    """Returns machine code and text: write(1, text, size), exit(status)."""
    after = b"\xba" + struct.pack("<I", len(text)) + b"\x0f\x05\xb8\x3c\0\0\0\xbf" + struct.pack("<I", status) + b"\x0f\x05"
    return b"\xb8\x01\0\0\0\xbf\x01\0\0\0\x48\x8d\x35" + struct.pack("<i", len(after)) + after + text


def main():
    path, text, status = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
    body = code(text, status)
    size = HEADERS + len(body)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, ADDRESS + HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, ADDRESS, ADDRESS, size, size, 0x1000)
    with open(path, "wb") as f:
        f.write(ident + header + segment + body)
    os.chmod(path, 0o755)


if __name__ == "__main__":
    main()
