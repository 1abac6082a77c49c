# SPDX-License-Identifier: BSD-2-Clause
"""Readers outside of Python, from `make readers`: DuckDB of Arrow and Parquet, hyparquet and Polars of Parquet.
Their counts, sums and groups equal what `iotrace cat -f csv` prints."""
import ctypes
import glob
import json
import os
import shutil
import subprocess
import unittest

import iotrace
from test_iotrace import COMMAND, CP, DXT, TOP, Folder, cells

READERS = os.path.join(TOP, "build/npm")
SOURCES = (CP, DXT, os.path.join(TOP, "testdata/strace/sqlite.strace.gz"), os.path.join(TOP, "testdata/format/example.iot"))


def needs_package(name):
    there = shutil.which("node") and os.path.isdir(os.path.join(READERS, "node_modules", name))
    return unittest.skipUnless(there, f"{name} not installed")


def number(cell):
    return int(cell) if cell else 0


def wanted(path):
    _, rows = cells(path, ["length", "offset", "path"])
    groups = {}
    for length, _, name in rows:
        groups[name] = groups.get(name, 0) + number(length)
    return {"rows": len(rows), "length": sum(number(row[0]) for row in rows), "offset": sum(number(row[1]) for row in rows),
            "groups": groups}


def parquet(path, to):
    subprocess.run([COMMAND, "cat", "-q", "-f", "parquet", "--all-events", "-o", to, path], stderr=subprocess.DEVNULL, check=True)
    return to


class DuckDB:
    """A database in memory of libduckdb.so, without a module of Python."""

    def __init__(self):
        self.library = ctypes.CDLL(glob.glob(os.path.join(READERS, "node_modules/@duckdb/node-bindings-*/libduckdb.so"))[0])
        self.library.duckdb_value_varchar.restype = ctypes.c_void_p
        self.library.duckdb_row_count.restype = ctypes.c_uint64
        self.database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.library.duckdb_open(None, ctypes.byref(self.database)))
        self.check(self.library.duckdb_connect(self.database, ctypes.byref(self.connection)))

    @staticmethod
    def check(state):
        assert state == 0

    def scan(self, table, capsule):
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self.check(self.library.duckdb_arrow_scan(self.connection, table.encode(),
                                                  ctypes.c_void_p(pointer(capsule, b"arrow_array_stream"))))

    def rows(self, query, columns):
        result = ctypes.create_string_buffer(256)  # a duckdb_result
        self.check(self.library.duckdb_query(self.connection, query.encode(), result))
        count = self.library.duckdb_row_count(result)
        rows = [[self.text(result, column, row) for column in range(columns)] for row in range(count)]
        self.library.duckdb_destroy_result(result)
        return rows

    def text(self, result, column, row):
        found = self.library.duckdb_value_varchar(result, ctypes.c_uint64(column), ctypes.c_uint64(row))
        text = ctypes.string_at(found).decode() if found else ""
        self.library.duckdb_free(ctypes.c_void_p(found))
        return text

    def close(self):
        self.library.duckdb_disconnect(ctypes.byref(self.connection))
        self.library.duckdb_close(ctypes.byref(self.database))


class Readers(Folder):
    def check_node(self, reader):
        for path in SOURCES:
            done = subprocess.run(["node", os.path.join(TOP, "tests/python/readers.mjs"), reader,
                                   parquet(path, self.path("t.parquet"))], cwd=READERS, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
            found["groups"] = {name: int(sum_) for name, sum_ in found["groups"].items()}
            found.update((name, int(found[name])) for name in ("rows", "length", "offset"))
            self.assertEqual(found, wanted(path), (reader, path))

    @needs_package("hyparquet")
    def test_hyparquet(self):
        self.check_node("hyparquet")

    @needs_package("nodejs-polars-linux-x64-gnu")
    def test_polars(self):
        self.check_node("nodejs-polars")

    def check_duckdb(self, of):
        for path in SOURCES:
            database = DuckDB()
            # A stream can be read once, so one query has all.
            rows = database.rows("select path, count(*), sum(length), sum(\"offset\") from " + of(database, path) + " group by 1", 4)
            found = {"groups": {name: number(length) for name, _, length, _ in rows}}
            for i, name in ((1, "rows"), (2, "length"), (3, "offset")):
                found[name] = sum(number(row[i]) for row in rows)
            self.assertEqual(found, wanted(path), path)
            database.close()

    @needs_package("@duckdb")
    def test_duckdb_scans_arrow(self):
        def scan(database, path):
            # DuckDB expects of this interface the columns that a query uses, in their order, and no others.
            self.capsule = iotrace.open(path).table(columns=["path", "length", "offset"], all_events=True).__arrow_c_stream__()
            database.scan("t", self.capsule)
            return "t"
        self.check_duckdb(scan)

    @needs_package("@duckdb")
    def test_duckdb_reads_parquet(self):
        self.check_duckdb(lambda _, path: f"read_parquet('{parquet(path, self.path('t.parquet'))}')")


if __name__ == "__main__":
    unittest.main()
