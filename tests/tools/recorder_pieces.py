#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Packs a Recorder trace into one file, for the fuzz harness and for damage: "NAME SIZE" lines and bytes.

	recorder_pieces.py FOLDER OUT [--option BYTE] [--last NAME] [--functions N]

--option: the byte of the harness in front. --last: this file at the end, so that cutting OUT cuts
it alone. --functions: all but so many names are left out of recorder.mt of 3.0, to make it small.
"""
import argparse
import os


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    p.add_argument("out")
    p.add_argument("--option", default="")
    p.add_argument("--last")
    p.add_argument("--functions", type=int)
    a = p.parse_args()
    with open(a.out, "wb") as out:
        out.write(a.option.encode())
        for name in sorted(os.listdir(a.folder), key=lambda n: (n == a.last, n)):
            with open(os.path.join(a.folder, name), "rb") as file:
                data = file.read()
            if name == "recorder.mt" and a.functions and data[1023:1024] == b"\0" and data[1024:1030] == b"creat\n":
                data = data[:1024] + b"".join(data[1024:].splitlines(True)[:a.functions])
            out.write(f"{name} {len(data)}\n".encode() + data)


if __name__ == "__main__":
    main()
