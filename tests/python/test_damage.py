# SPDX-License-Identifier: BSD-2-Clause
"""Damaged input in Python: an IotraceError or the rows that `iotrace cat -f csv` finds without an error, never a table
that is short and looks whole."""
import os
import random
import subprocess
import unittest

import iotrace
from test_iotrace import COMMAND, TOP, Folder

CHANGES = 200
SOURCES = ("darshan/mpi4_dxt.darshan", "strace/sqlite.strace.gz", "strace/cp.strace", "blktrace/v7.blkparse.txt",
           "dftracer/cp-2023.pfw", "libcachesim/small.vscsi", "perf/script.txt")


def rows_of(path):
    """The number of rows, or None after an error."""
    try:
        return sum(len(batch) for batch in iotrace.open(path).batches(columns=["length"]))
    except iotrace.IotraceError as e:
        assert e.status < 0 and str(e) != ""
        return None


def rows_of_command(path):
    """The number of rows that the command prints, or None if it fails or states a loss."""
    done = subprocess.run([COMMAND, "cat", "-q", "-f", "csv", "--no-header", "--columns=length", path], check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.count(b"\n") if done.returncode == 0 else None


def changed(data, count=CHANGES):
    """Yields data cut at `count` places, and with a bit flipped at as many others."""
    some = random.Random(1)
    for _ in range(count):
        at = some.randrange(len(data))
        yield data[:at]
        at = some.randrange(len(data))
        yield data[:at] + bytes([data[at] ^ 1 << some.randrange(8)]) + data[at + 1:]


class Damage(Folder):
    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def converted(self, name):
        path = self.path(name)
        subprocess.run([COMMAND, "convert", "-q", "-o", path, os.path.join(TOP, "testdata/darshan/mpi4_dxt.darshan")], check=True)
        with open(path, "rb") as f:
            return rows_of(path), f.read()

    def test_traces_are_whole_or_refused(self):
        for name in ("t.iot", "t.iot.gz", "t.iot.zst"):
            wanted, data = self.converted(name)
            for damaged in changed(data):
                self.assertIn(rows_of(self.write("damaged", damaged)), (wanted, None), name)

    def test_logs_have_the_rows_of_the_command_or_are_refused(self):
        for source in SOURCES:
            path = os.path.join(TOP, "testdata", source)
            with open(path, "rb") as f:
                data = f.read()
            for damaged in changed(data):
                rows = rows_of(self.write("damaged", damaged))
                if rows is not None:
                    self.assertEqual(rows, rows_of_command(self.path("damaged")), source)

    def test_inputs_of_fuzzers_have_the_rows_of_the_command_or_are_refused(self):
        refused = tables = 0
        for folder, _, names in sorted(os.walk(os.path.join(TOP, "fuzz/corpus"))):
            for path in (os.path.join(folder, name) for name in sorted(names)):
                rows = rows_of(path)
                refused += rows is None
                if rows is not None:
                    tables += 1
                    self.assertEqual(rows, rows_of_command(path), path)
        self.assertGreater(refused, 1000)
        self.assertGreater(tables, 50)


if __name__ == "__main__":
    unittest.main()
