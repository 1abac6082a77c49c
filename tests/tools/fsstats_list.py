#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints a list of files as find(1) does, of a made file system at one of two times.

    fsstats_list.py earlier|later [FILES]

From the earlier to the later time, two months, the number of files doubles. Owner 1001 has 88 % of the new files and 15 % of
the new bytes; 90 % of the files were not accessed for a month.
"""
import sys

FILES = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
TIMES = {"earlier": 1260000000, "later": 1260000000 + 60 * 86400}
KIB, DAY = 1024, 86400


def line(number, owner, size, now, accessed_days, modified_days):
    blocks = (size + 4095) // 4096 * 8
    times = f"{now - modified_days * DAY}.0000000000 {now - modified_days * DAY}.5 {now - accessed_days * DAY}.25"
    print(f"f {size} {blocks} 1 {times} {owner} 100 64768 {number} project-{owner}/owner-{owner}.{number}")


def main():
    now = TIMES[sys.argv[1]]
    for i in range(FILES):  # of ten other owners
        line(i, 2000 + i % 10, 512 * KIB, now, 3 if i % 10 == 0 else 100, 400 if i % 50 else 10)
    if sys.argv[1] == "earlier":
        return
    new = FILES
    many = new * 88 // 100
    # Bytes of the new files: owner 1001 has 15 %.
    size = 96 * KIB
    other = many * size * 85 // (15 * (new - many))
    for i in range(many):
        line(FILES + i, 1001, size, now, 3 if i % 10 == 0 else 40, 40)
    for i in range(new - many):
        line(FILES + many + i, 2000 + i % 10, other, now, 3 if i % 10 == 0 else 40, 40)


main()
