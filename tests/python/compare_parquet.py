# SPDX-License-Identifier: BSD-2-Clause
"""Compares `iotrace cat -f parquet` with `-f csv`, cell by cell: compare_parquet.py IOTRACE INPUT... Needs pyarrow."""
import csv
import io
import os
import subprocess
import sys
import tempfile

import pyarrow.parquet

COLUMNS = ("start_ns,duration_ns,op,kind,offset,length,process,rank,file,path,cpu_ns,relative_offset,operation,object,program,"
           "host,to,result,size")


def cat(iotrace, path, form, *options):
    return subprocess.run([iotrace, "cat", "-q", "-f", form, "--all-events", f"--columns={COLUMNS}", *options, path],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


def differences(iotrace, path, scratch):
    with open(scratch, "wb") as f:  # through a pipe, which cannot seek
        f.write(cat(iotrace, path, "parquet"))
    if os.path.getsize(scratch) == 0:
        return None
    table = pyarrow.parquet.read_table(scratch)
    columns = [["" if v is None else str(v) for v in table[name].to_pylist()] for name in COLUMNS.split(",")]
    wanted = list(csv.reader(io.StringIO(cat(iotrace, path, "csv", "--no-header").decode())))
    return sum(list(a) != b for a, b in zip(zip(*columns), wanted)) + abs(table.num_rows - len(wanted))


def main(iotrace, *paths):
    compared = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            found = differences(iotrace, path, os.path.join(folder, "t.parquet"))
            if found is None:
                continue
            compared += 1
            wrong += found > 0
            if found:
                print(f"{path}: {found} rows differ")
    print(f"{compared - wrong} passed, {wrong} failed")
    return wrong > 0 or compared == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
