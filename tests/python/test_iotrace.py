# SPDX-License-Identifier: BSD-2-Clause
"""The module iotrace: tables equal to `iotrace cat -f csv`, lifetimes, errors, other programs' readers.

Run by `make check-python`, which sets IOTRACE_LIBRARY and IOTRACE_COMMAND. What needs a module that is not installed is skipped.
"""
import ast
import csv
import gc
import importlib.util
import inspect
import io
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import iotrace

COMMAND = os.environ["IOTRACE_COMMAND"]
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CP = os.path.join(TOP, "testdata/strace/cp.strace")
DXT = os.path.join(TOP, "testdata/darshan/mpi4_dxt.darshan")
ALL = ("start_ns,duration_ns,op,kind,offset,length,process,rank,file,path,cpu_ns,relative_offset,operation,object,program,"
       "host,to,result,size").split(",")
TEXTS = {"op", "kind", "rank", "path", "program", "host", "to", "result"}


def needs(*modules):
    missing = [m for m in modules if importlib.util.find_spec(m) is None]
    return unittest.skipIf(missing, f"{' '.join(missing)} not installed")


def cells(path, columns=ALL, options=()):
    done = subprocess.run([COMMAND, "cat", "-q", "-f", "csv", "--no-header", "--all-events", f"--columns={','.join(columns)}",
                           *options, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.returncode, list(csv.reader(io.StringIO(done.stdout.decode())))


def strings(column):
    """Cells of a column as csv has them: empty where unknown."""
    import numpy
    if hasattr(column, "codes"):
        texts = list(column.categories) + [""]
        return [texts[code] for code in column.codes]
    mask = numpy.ma.getmaskarray(column)
    return ["" if unknown else str(value) for value, unknown in zip(numpy.ma.getdata(column).tolist(), mask)]


def rows(table, columns=ALL):
    return [list(row) for row in zip(*(strings(table[name]) for name in columns))]


def made(path, texts):
    """Writes a trace from lines of the format without framing."""
    subprocess.run([COMMAND, "cat", "-q", "--framed", "-o", path], input="\n".join(texts).encode() + b"\n", check=True)
    return path


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)


@needs("numpy")
class Values(Folder):
    def check(self, path):
        try:
            table = iotrace.open(path, lossy=True).to_numpy(columns=ALL, all_events=True)
        except iotrace.IotraceError:
            return False
        status, wanted = cells(path)
        self.assertEqual(rows(table), wanted, path)
        return status == 0

    def test_every_file_of_testdata_has_the_cells_of_csv(self):
        equal = 0
        for folder, _, names in os.walk(os.path.join(TOP, "testdata")):
            equal += sum(self.check(os.path.join(folder, name)) for name in sorted(names)
                         if not name.endswith((".md", ".out", ".py", ".tar.xz", ".tar.gz")))
        self.assertGreater(equal, 60)

    def test_extremes(self):
        path = self.path("t.iot")
        with iotrace.writer(path) as w:
            w.file(1, 3, bytes(c for c in range(256) if c != 0))
            w.records({"start_ns": [0, 1], "length": [2**64 - 1, 0], "offset": [0, 2**64 - 1], "op": ["read", "write"],
                       "process": [1, 1], "file": [3, 3]})
            w.operation("stat", 5, 6, path="/a b,\"c\"", result="ENOENT")
        self.assertTrue(self.check(path))
        t = iotrace.open(path).to_numpy(columns=["offset", "length", "duration_ns"])
        self.assertEqual(t["offset"].tolist(), [0, 2**64 - 1])
        self.assertEqual(t["duration_ns"].tolist(), [None, None])

    def test_numbers_of_rows(self):
        import numpy
        for count in (0, 1, 65535, 65536, 65537):
            path = self.path("t.iot")
            with iotrace.writer(path) as w:
                w.records({"start_ns": numpy.arange(count), "length": numpy.ones(count, int),
                           "op": numpy.full(count, "read", object), "path": ["/%d" % (i % 1000) for i in range(count)]})
            batches = list(iotrace.open(path))
            self.assertEqual(sum(map(len, batches)), count)
            self.assertEqual(len(batches), (count + 65535) // 65536)
            if count > 0:
                self.assertEqual(strings(batches[-1]["path"])[-1], "/%d" % ((count - 1) % 1000))

    def test_many_paths(self):
        count = 100000
        with iotrace.writer(self.path("t.iot.zst")) as w:
            w.records({"start_ns": range(count), "length": [1] * count, "op": ["read"] * count,
                       "path": [f"/{i:06}" for i in range(count)]})
        t = iotrace.open(self.path("t.iot.zst")).to_numpy(columns=["path"])
        self.assertEqual(strings(t["path"]), [f"/{i:06}" for i in range(count)])

    def test_options_of_formats(self):
        posix, mpi = (iotrace.open(DXT, layer=layer).to_numpy(columns=["length"]) for layer in ("posix", "mpiio"))
        self.assertNotEqual(len(posix["length"]), len(mpi["length"]))
        with self.assertRaises(iotrace.IotraceError):
            iotrace.open(DXT, no_such_option=3)

    def test_info_and_warnings(self):
        t = iotrace.open(CP)
        self.assertEqual((t.source, t.info["command"][:2], len(t.warnings)), ("strace", "cp", 1))
        self.assertIn("hidden.mmap", t.warnings[0])

    def test_representations(self):
        self.assertEqual(repr(iotrace.open(DXT)), f"<iotrace.Trace of {DXT}: darshan>")
        batch = next(iotrace.open(CP).batches(columns=["op", "length"]))
        self.assertEqual(repr(batch), f"<iotrace.Batch of {len(batch)} rows: op, length>")

    def test_wrong_columns(self):
        with self.assertRaisesRegex(iotrace.IotraceError, "sizes"):
            iotrace.open(CP).to_numpy(columns=["sizes"])


@needs("numpy")
class Lifetimes(Folder):
    def test_random_orders(self):
        for seed in range(1000):
            some = random.Random(seed)
            trace = iotrace.open(CP)
            kept = [trace, trace.batches(rows=some.choice((1, 7, 100)))]
            for _ in range(some.randrange(4)):
                batch = next(kept[1], None)
                if batch is None:
                    break
                kept += [batch, batch["length"], batch["offset"][1:]]
                if importlib.util.find_spec("pandas"):
                    kept.append(batch["path"])
            if seed % 3 == 0:
                kept.append(trace.__arrow_c_stream__())
                kept.append(trace.__arrow_c_schema__())
            arrays = [(a, a.tolist()) for a in kept if hasattr(a, "tolist")]
            some.shuffle(kept)
            del trace
            while kept:
                kept.pop()
                if "batch" in locals():
                    del batch
                if seed % 50 == 0:
                    gc.collect()
            for array, values in arrays:
                self.assertEqual(array.tolist(), values)

    def test_exit_with_everything_alive(self):
        code = ("import iotrace, sys; t = iotrace.open(sys.argv[1]); i = t.batches(rows=5); b = next(i); a = b['length'];"
                "c = t.__arrow_c_stream__(), t.__arrow_c_schema__(); x = [c]; x.append(x)")
        done = subprocess.run([sys.executable, "-c", code, CP], stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_views_are_read_only(self):
        batch = next(iotrace.open(CP).batches())
        with self.assertRaises(ValueError):
            batch["length"][0] = 1

    def test_two_threads_on_two_handles(self):
        sums = []
        threads = [threading.Thread(target=lambda: sums.append(int(iotrace.open(CP).to_numpy()["length"].sum())))
                   for _ in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(sums, [6006092] * 2)


class Errors(Folder):
    def test_no_file(self):
        with self.assertRaises(iotrace.IotraceError) as raised:
            iotrace.open(self.path("none"))
        self.assertEqual(raised.exception.status, -2)
        self.assertIn("No such file", str(raised.exception))

    def run_with(self, library):
        return subprocess.run([sys.executable, "-c", "import iotrace; iotrace.open('x')"], check=False,
                              env=dict(os.environ, IOTRACE_LIBRARY=library), stderr=subprocess.PIPE).stderr.decode()

    def test_library_that_is_not_there(self):
        said = self.run_with(self.folder.name)
        self.assertIn("the libraries of iotrace were not found", said)
        self.assertIn(self.folder.name, said)

    def test_without_numpy(self):
        code = ("import sys; sys.modules['numpy'] = None; import iotrace; t = iotrace.open(sys.argv[1])\n"
                "print(len(t.warnings), sum(len(b) for b in t.batches()))\n"
                "try: next(t.batches())['length']\n"
                "except ImportError as e: print(e)")
        done = subprocess.run([sys.executable, "-c", code, CP], stdout=subprocess.PIPE, check=True)
        rows = cells(CP, ["op"])[1]
        records = sum(op in ("read", "write") for op, in rows)
        self.assertEqual(done.stdout.decode().splitlines(),
                         [f"1 {records}", "columns are arrays of numpy, which is not installed: pip install numpy"])

    def test_library_of_another_version(self):
        source = self.path("old.c")
        with open(source, "w") as f:
            f.write('const char *iot_version(void) { return "7.8.9"; }\n')
        for name in ("libiotrace.so.0", "libiotrace-sources.so.0"):
            subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-shared", "-fPIC", "-o", self.path(name), source], check=True)
        self.assertIn("has version 7.8.9", self.run_with(self.folder.name))

    @needs("numpy")
    def test_good_rows_precede_the_error(self):
        path = made(self.path("t.iot"), ["c0 22 0 8 0 1f4 3 7 0", "c0 ec 3e8 1f5 3e8"])
        with open(path, "rb") as f:
            data = f.read()
        with open(path, "wb") as f:
            f.write(data[:data.index(b"ff %end")])
        batches = iotrace.open(path).batches()
        self.assertEqual(len(next(batches)), 2)
        with self.assertRaises(iotrace.IotraceError) as raised:
            next(batches)
        self.assertEqual(raised.exception.status, -6)

    def test_a_pipe_can_be_read_once(self):
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        with open(CP, "rb") as f:
            data = f.read()

        def write():
            with open(fifo, "wb") as f:
                f.write(data)

        feed = threading.Thread(target=write)
        feed.start()
        t = iotrace.open(fifo)
        t.__arrow_c_stream__()
        with self.assertRaisesRegex(iotrace.IotraceError, "once only"):
            t.__arrow_c_stream__()
        feed.join()

    def test_ctrl_c_ends_the_wait_for_a_pipe(self):
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        code = "import iotrace, sys; iotrace.open(sys.argv[1]).to_numpy()"
        waits = subprocess.Popen([sys.executable, "-c", code, fifo], stderr=subprocess.PIPE,
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # nohup ignores it
        with open(fifo, "wb") as f:
            f.write(b"1 1.000000 openat(AT_FDCWD, \"a\", O_RDWR) = 3 <0.000001>\n")
            f.flush()
            time.sleep(1)
            for _ in range(2):
                waits.send_signal(signal.SIGINT)
                time.sleep(0.2)
            _, said = waits.communicate(timeout=30)
        self.assertIn(b"KeyboardInterrupt", said)

    def test_empty_file(self):
        path = self.path("empty")
        with open(path, "wb"):
            pass
        with self.assertRaisesRegex(iotrace.IotraceError, "empty file, not a trace"):
            t = iotrace.open(path)
            list(t.batches(columns=["length"]))

    @needs("numpy")
    def test_wrong_tables(self):
        w = iotrace.writer(self.path("t.iot"))
        for table in ({"start_ns": [1]}, {"start_ns": [1], "length": [1], "op": ["stat"]},
                      {"start_ns": [1], "length": [-1], "op": ["read"]}, {"start_ns": [0.5], "length": [1], "op": ["read"]},
                      {"start_ns": [1], "length": [1], "op": ["read"], "kind": ["tape"]}):
            with self.assertRaises(iotrace.IotraceError):
                w.records(table)
        w.abandon()
        self.assertEqual(os.listdir(self.folder.name), [])
        with self.assertRaisesRegex(iotrace.IotraceError, "closed"):
            w.process(1)


@needs("numpy")
class Writing(Folder):
    def test_tables_return(self):
        ignored = ("rank", "program", "host", "to", "result", "size")
        for source, options, more in ((CP, {}, ()), (DXT, {"layer": "posix"}, ()), ("testdata/blktrace/v7.blkparse.txt", {}, ("object",))):
            path = os.path.join(TOP, source)
            columns = [c for c in ALL if c not in (*ignored, *more)]
            table = iotrace.open(path, lossy=True, **options).to_numpy(columns=columns)
            with iotrace.writer(self.path("t.iot.zst")) as w:
                w.records(table)
            again = iotrace.open(self.path("t.iot.zst")).to_numpy(columns=columns)
            for name in columns:
                self.assertEqual(strings(again[name]), strings(table[name]), (source, name))

    def test_an_exception_leaves_no_file(self):
        with self.assertRaises(ZeroDivisionError):
            with iotrace.writer(self.path("t.iot")) as w:
                w.process(1, "a")
                1 / 0
        self.assertEqual(os.listdir(self.folder.name), [])


class Stubs(unittest.TestCase):
    def test_parameters_are_those_of_the_module(self):
        path = os.path.join(os.path.dirname(iotrace.__file__), "__init__.pyi")
        with open(path, encoding="utf-8") as f:
            body = ast.parse(f.read()).body
        public = {node.name: node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual(set(public), set(iotrace.__all__) - {"__version__"})
        for name, node in public.items():
            thing = getattr(iotrace, name)
            inside = node.body if isinstance(node, ast.ClassDef) else []
            pairs = [(getattr(thing, f.name), f) for f in inside if isinstance(f, ast.FunctionDef) and not f.decorator_list]
            for function, stub in pairs or [(thing, node)]:
                there = inspect.signature(function).parameters
                stated = [a.arg for a in stub.args.args + stub.args.kwonlyargs]
                if not any(p.kind is p.VAR_KEYWORD for p in there.values()):
                    self.assertEqual(stated, list(there), f"{name}.{stub.name}")


class Commands(unittest.TestCase):
    def test_results_are_dicts(self):
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            values = iotrace.analyze(CP, sections=["totals", "sizes"])
            self.assertEqual(values["totals"]["reads"], 33)
            self.assertNotIn("order", values)
            self.assertEqual(iotrace.stat(CP)["total"]["reads"], 33)
            self.assertIn("simulations", iotrace.simulate(CP, cache="1M"))
            self.assertTrue(iotrace.mrc(CP))

    def test_errors(self):
        with self.assertRaisesRegex(iotrace.IotraceError, "No such file"):
            iotrace.stat("/no/such/file")


@needs("pyarrow")
class Parquet(unittest.TestCase):
    def test_cells_are_those_of_csv(self):
        files = [os.path.join(TOP, "testdata", name) for name in
                 ("strace/cp.strace", "strace/sqlite.strace.gz", "darshan/mpi4_dxt.darshan", "format/example.iot",
                  "format/extremes.iot", "format/empty.iot")]
        tool = os.path.join(TOP, "tests/python/compare_parquet.py")
        done = subprocess.run([sys.executable, tool, COMMAND, *files], stdout=subprocess.PIPE, check=False)
        self.assertEqual(done.stdout.decode(), f"{len(files)} passed, 0 failed\n")

    @needs("duckdb", "polars")
    def test_groups_of_rows(self):
        """More rows than a group has, with unknown values, and texts that only some groups have."""
        import duckdb
        import polars
        count = 2200000
        with tempfile.TemporaryDirectory() as folder:
            trace, path = os.path.join(folder, "t.iot"), os.path.join(folder, "t.parquet")
            with open(trace, "w") as f:
                f.write("c0 22 0 1 0 1 1 1 0\n" * (count // 2))
                f.write("ff %file process=2 id=1 path=/late offset=unknown\n")
                f.write("80 22 0 1 0 1 1 2 0\n" * (count // 2))
            subprocess.run([COMMAND, "cat", "-q", "-f", "parquet", "-o", path, trace], check=True)
            sums = duckdb.sql(f"select op, path, count(*), count(\"offset\"), sum(length)::bigint from '{path}' "
                              "group by all order by op").fetchall()
            self.assertEqual(sums, [("read", "/late", count // 2, 0, 512 * count // 2),
                                    ("write", None, count // 2, count // 2, 512 * count // 2)])
            self.assertEqual(polars.read_parquet(path)["length"].sum(), 512 * count)


class OtherReaders(unittest.TestCase):
    def setUp(self):
        status, table = cells(CP, ["path", "length"], ())
        self.assertEqual(status, 0)
        self.wanted = {}
        for path, length in (row for row in table if row[1]):
            self.wanted[path] = self.wanted.get(path, 0) + int(length)

    @needs("polars")
    def test_polars(self):
        import polars
        sums = polars.DataFrame(iotrace.open(CP)).group_by("path").agg(polars.col("length").sum())
        self.assertEqual(dict(sums.iter_rows()), self.wanted)

    @needs("pyarrow")
    def test_pyarrow(self):
        import pyarrow
        table = pyarrow.table(iotrace.open(CP).table(rows=7))
        table.validate(full=True)
        sums = table.unify_dictionaries().group_by("path").aggregate([("length", "sum")]).to_pydict()
        self.assertEqual(dict(zip(sums["path"], sums["length_sum"])), self.wanted)
        self.assertEqual(pyarrow.schema(iotrace.open(CP)), table.schema)

    @needs("pyarrow")
    def test_timestamps(self):
        import pyarrow
        table = pyarrow.table(iotrace.open(CP).table(columns=["start_ns"], timestamps=True))
        self.assertEqual(str(table.schema.field("start_ns").type), "timestamp[ns, tz=UTC]")
        self.assertEqual(table["start_ns"][0].value, iotrace.open(CP).info["epoch"] + 789000)

    @needs("duckdb", "pyarrow")
    def test_duckdb(self):
        import duckdb
        t = iotrace.open(CP)  # pylint: disable=unused-variable
        self.assertEqual(dict(duckdb.sql("select path, sum(length)::bigint from t group by 1").fetchall()), self.wanted)

    @needs("pandas")
    def test_pandas(self):
        sums = iotrace.open(CP).to_pandas().groupby("path", observed=True)["length"].sum()
        self.assertEqual(sums.to_dict(), self.wanted)

    @needs("pandas")
    def test_pandas_has_missing_values(self):
        frame = iotrace.open(CP).to_pandas(columns=["cpu_ns", "start_ns"], timestamps=True)
        self.assertTrue(frame["cpu_ns"].isna().all())
        self.assertEqual(str(frame["start_ns"].dtype), "datetime64[ns, UTC]")


if __name__ == "__main__":
    unittest.main()
