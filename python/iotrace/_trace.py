# SPDX-License-Identifier: BSD-2-Clause
"""Traces and logs as tables."""
import ctypes
import mmap
import os
import sys
from urllib.parse import unquote

from . import _arrow, _library
from ._library import EFORMAT, ENOMEM, EUSAGE, IotraceError

COLUMNS = ("start_ns", "duration_ns", "op", "kind", "offset", "length", "process", "rank", "file", "path")
_REPEATABLE, _LINES, _UNPARSED, _TRACE = 4, 10, 14, 3


class _Source:
    """A source that is open. Its stream, if it has one, is freed before it."""

    def __init__(self, paths, options):
        self.traces, self.sources = _library.load()
        self.handle = self.sources.iot_source_new()
        if not self.handle:
            raise MemoryError
        for key, value in options.items():
            self._check(self.sources.iot_source_set(self.handle, key.encode(), os.fsencode(value)))
        array = (ctypes.c_char_p * len(paths))(*paths)
        self._check(_library.interruptible(self.cancel, self.sources.iot_source_open, self.handle, array, len(paths)))
        self.name = self.sources.iot_source_name(self.handle).decode()
        # The table has the order of a trace. Logs are sorted, as a conversion does.
        if self.name == "iotrace":
            self.set_order("input")

    def _check(self, status):
        if status != 0:
            text = _library.sentence(self.sources.iot_source_error(self.handle), status)
            self.close()
            raise IotraceError(text, status)

    def set_order(self, order):
        self._check(self.sources.iot_source_set(self.handle, b"order", order.encode()))

    def cancel(self):
        self.sources.iot_source_cancel(self.handle)

    def fact(self, number):
        return self.sources.iot_source_fact(self.handle, number)

    def _all(self, function):
        i = 0
        while (found := function(self.handle, i)):
            yield found
            i += 1

    def files(self):
        return [os.fsdecode(path) for path in self._all(self.sources.iot_source_file)]

    def stream(self, own=False):
        make = self.sources.iot_source_into_stream if own else self.sources.iot_source_stream
        stream = make(self.handle)
        if not stream:
            raise IotraceError(_library.sentence(self.sources.iot_source_error(self.handle), EUSAGE))
        if own:
            self.handle = None
        return stream

    def warnings(self):
        """Sentences about what the table does not have. Only after the stream has been freed."""
        found = [text.decode("utf-8", "replace") for text in self._all(self.sources.iot_source_note)]
        for count in self._all(self.sources.iot_source_count):
            name = count.contents.name.decode()
            if name.startswith("hidden.") and not count.contents.noted:
                found.append(f"I/O that the source does not show: {name}={count.contents.value}")
        for example in self._all(self.sources.iot_source_example):
            e = example.contents
            found.append(f"{e.file.decode(errors='replace')}:{e.line}: not understood: {e.text.decode(errors='replace')}")
        for difference in self._all(self.sources.iot_source_difference):
            d = difference.contents
            found.append(f"{d.where.decode(errors='replace')}: {d.what.decode()}: the source says {d.source_says}, "
                         f"its records {d.converted}")
        return found

    def close(self):
        if self.handle:
            self.sources.iot_source_free(self.handle)
            self.handle = None

    def __del__(self):
        self.close()


class Texts:
    """Texts of a column, if pandas is not installed: codes (numpy, -1: unknown) and the list categories."""

    def __init__(self, codes, categories):
        self.codes, self.categories = codes, categories

    def __len__(self):
        return len(self.codes)

    def __array__(self, dtype=None, copy=None):
        import numpy
        return numpy.array(list(self.categories) + [None], dtype=object)[self.codes]


def _texts(values, known, dictionary):
    import numpy
    codes = values if known is None else numpy.where(known, values, values.dtype.type(-1))
    try:
        import pandas
    except ImportError:
        return Texts(codes, tuple(dictionary.texts))
    return pandas.Categorical.from_codes(codes, dtype=dictionary.categories(), validate=False)


def _array(values, known, dictionary):
    import numpy
    if dictionary is not None:
        return _texts(values, known, dictionary)
    return values if known is None else numpy.ma.masked_array(values, ~known)


def _series(values, known, dictionary):
    import pandas
    if dictionary is not None:
        return _texts(values, known, dictionary)
    if values.dtype.kind == "M":
        times = pandas.Series(values if known is None else values.copy())
        return (times if known is None else times.where(known)).dt.tz_localize("UTC")
    return values if known is None else pandas.arrays.IntegerArray(values, ~known)


def _code_kind(count):
    """The smallest type with a code for each of `count` texts, as pandas has it, so that it need not convert codes."""
    return "<i1" if count < 127 else "<i2" if count < 32767 else "<i4"


_POPULATE_WRITE = 23  # of Linux 5.14 and later


class _Growing:
    """An array that grows without copies of its values: the system moves their pages."""

    _populates = sys.platform == "linux"

    def __init__(self, kind):
        import numpy
        self.kind, self.count, self._memory, self._view = numpy.dtype(kind), 0, None, None

    def _reserve(self, count):
        import numpy
        if self._memory is None:
            self._memory = mmap.mmap(-1, max(count, 1 << 16) * self.kind.itemsize, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        elif count > len(self._view):
            self._view = None
            self._memory.resize(max(count, 2 * (len(self._memory) // self.kind.itemsize)) * self.kind.itemsize)
        if self._view is None:
            self._view = numpy.frombuffer(self._memory, self.kind)

    def _populate(self, count):
        """Makes the pages of the next values at once, because a fault for each of them takes longer than the copy."""
        first = self.count * self.kind.itemsize // mmap.PAGESIZE * mmap.PAGESIZE
        try:
            self._memory.madvise(_POPULATE_WRITE, first, (self.count + count) * self.kind.itemsize - first)
        except OSError:
            _Growing._populates = False

    def as_kind(self, kind):
        """Returns the values as an array of this type, which may be this array."""
        if self.kind == kind:
            return self
        converted = _Growing(kind)
        converted.append(self.array())
        return converted

    def append(self, values):
        self._reserve(self.count + len(values))
        if self._populates:
            self._populate(len(values))
        self._view[self.count:self.count + len(values)] = values
        self.count += len(values)

    def fill(self, value, count):
        """Appends a value until there are `count`."""
        if count > self.count:
            self._reserve(count)
            self._view[self.count:count] = value
            self.count = count

    def array(self):
        import numpy
        return numpy.empty(0, self.kind) if self._view is None else self._view[:self.count]


class Batch:
    """Rows that follow each other. batch["length"] is a column, as Table.to_numpy has them, read-only and without a
    copy; it stays valid when the batch is gone. len(batch) is the number of rows."""

    def __init__(self, columns):
        self._columns = columns
        self._length = next(iter(columns.values())).length

    def __repr__(self):
        return f"<iotrace.Batch of {self._length} rows: {', '.join(self._columns)}>"

    def __len__(self):
        return self._length

    def __getitem__(self, name):
        c = self._columns[name]
        return _array(c.values, c.known, c.texts)

    def __iter__(self):
        return iter(self._columns)

    def keys(self):
        return self._columns.keys()


class Table:
    """The rows of a trace, of some columns. What has __arrow_c_stream__ can be given to polars.DataFrame, pyarrow.table,
    duckdb and others. It may be iterated again, unless the input is a pipe."""

    def __init__(self, trace, columns, rows, all_events, timestamps):
        self._trace = trace
        names = None if columns is None else ",".join(columns).encode()
        self._options = _library.ArrowOptions(ctypes.sizeof(_library.ArrowOptions), names, rows, all_events, timestamps,
                                              trace._incomplete)

    def _export(self, source, own, to):
        stream = source.stream(own)
        status = source.traces.iot_stream_arrow(stream, ctypes.byref(self._options), ctypes.byref(to))
        if status == ENOMEM:
            raise MemoryError
        if status != 0:
            raise IotraceError(f"columns are {self._options.columns.decode()!r}, expected some of iotrace-cat(1), up to 64",
                               status)

    def _pull(self):
        source, stream = self._trace._take(), _arrow.Stream()
        self._export(source, False, stream)
        table = _arrow.Table(stream, source.cancel, lambda: self._trace._ended(source))
        table.read_schema()
        return table

    def batches(self):
        """Yields each Batch."""
        table = self._pull()
        try:
            while (columns := table.next()) is not None:
                yield Batch(columns)
        finally:
            table.close()
        self._trace._check_understood()

    __iter__ = batches

    def _collect(self, make):
        """Returns a dict of columns, each of which is complete before its batches are."""
        table = self._pull()
        made = {name: (_Growing(kind), _Growing("|b1")) for name, kind, _ in table.columns}
        while (columns := table.next()) is not None:
            for name, c in columns.items():
                values, known = made[name]
                if c.texts is not None:
                    values = values.as_kind(_code_kind(len(c.texts.texts)))
                    made[name] = values, known
                if c.known is not None:
                    known.fill(True, values.count)
                    known.append(c.known)
                values.append(c.values)
        table.close()
        self._trace._check_understood()
        for name, _, texts in table.columns:
            values, known = made[name]
            if known.count > 0:
                known.fill(True, values.count)
            made[name] = make(values.array(), known.array() if known.count > 0 else None, texts)
        return made

    def to_numpy(self):
        """Returns a dict of arrays. Columns with unknown values are masked arrays; texts are pandas.Categorical, or Texts
        without pandas."""
        return self._collect(_array)

    def to_pandas(self):
        """Returns a DataFrame. Columns with unknown values have the types Int64, UInt64 and UInt32 of pandas."""
        import pandas
        return pandas.DataFrame(self._collect(_series), copy=False)

    def __arrow_c_stream__(self, requested_schema=None):
        """A capsule of the Arrow PyCapsule interface; requested_schema is ignored, as the interface allows."""
        source = self._trace._take()
        return _arrow.stream_capsule(lambda to: self._export(source, True, to))

    def __arrow_c_schema__(self):
        """The types of the columns, as a capsule."""
        if self._options.timestamps:
            table = self._pull()
            return _arrow.schema_capsule(lambda to: table.stream.get_schema(ctypes.addressof(table.stream),
                                                                           ctypes.addressof(to)))
        traces, _ = _library.load()
        return _arrow.schema_capsule(self._fill_schema)

    def _fill_schema(self, to):
        """The types do not depend on the input, so an empty one has them."""
        source, stream = _Source([os.fsencode(os.devnull)], {"format": "iotrace"}), _arrow.Stream()
        self._export(source, False, stream)
        stream.get_schema(ctypes.addressof(stream), ctypes.addressof(to))
        _arrow.release(stream)


class Trace:
    """A trace, or a log of any tool that iotrace reads, as a table. Made by iotrace.open.

    source: the name of its format, such as "darshan", or "iotrace". files: the paths that it consists of.
    """

    def __init__(self, paths, options, incomplete):
        self._paths, self._options, self._incomplete = paths, options, incomplete
        self._next = _Source(paths, options)
        self._repeatable = bool(self._next.fact(_REPEATABLE))
        self.source, self.files = self._next.name, self._next.files()
        self._input = self.files[0] if self.files else "the input"
        self._info = self._warnings = None
        self._lines = self._unparsed = 0

    def __repr__(self):
        more = f" and {len(self.files) - 1} more" if len(self.files) > 1 else ""
        return f"<iotrace.Trace of {self._input}{more}: {self.source}>"

    def _take(self):
        """Returns an open source, which is the caller's."""
        source, self._next = self._next, None
        if source is not None:
            return source
        if not self._repeatable:
            raise IotraceError(f"{self._input}: a pipe can be read once only")
        return _Source(self._paths, self._options)

    def _ended(self, source):
        """Keeps what a stream has counted, and frees its source."""
        self._warnings = source.warnings()
        self._unparsed, self._lines = source.fact(_UNPARSED), source.fact(_LINES)
        source.close()

    def _check_understood(self):
        """If most lines were not understood, the rows are not a table of the input."""
        if self._lines > 0 and self._unparsed > self._lines // 2 and not self._incomplete:
            raise IotraceError(f"{self._input}: {self._unparsed} of {self._lines} lines not understood", EFORMAT)

    def _first_events(self):
        """Returns the texts of the directives before the first record."""
        source = self._take()
        source.set_order("input")
        stream, texts = source.stream(), []
        batch = source.traces.iot_batch_new(1024)
        if batch and _library.interruptible(source.cancel, source.traces.iot_stream_next, stream, batch) > 0:
            for event in batch.contents.events[:batch.contents.count]:
                if event.kind == 1:
                    break
                texts.append((event.kind, ctypes.string_at(event.text.data, event.text.size).decode("utf-8", "replace")))
        source.traces.iot_batch_free(batch)
        source.traces.iot_stream_free(stream)
        source.close()
        return texts

    @property
    def info(self):
        """What is known before the first record: a dict with source, files, and the keys that the trace states of itself,
        such as epoch (nanoseconds since 1970), command, and lacks: what the source does not know. Of a pipe, only the
        first two."""
        if self._info is None:
            self._info = {"source": self.source, "files": self.files}
            for kind, text in self._first_events() if self._repeatable else []:
                if kind != _TRACE:
                    continue
                for word in text.split(" ")[1:]:
                    key, _, value = word.partition("=")
                    self._info.setdefault(key, int(value) if key == "epoch" and value.isdigit() else unquote(value))
        return dict(self._info)

    @property
    def warnings(self):
        """Sentences about I/O that the table does not have, after all of the input has been read, which this does if
        nothing else has."""
        if self._warnings is None:
            for _ in self.table(columns=["length"]).batches():
                pass
        return list(self._warnings)

    def table(self, columns=None, rows=65536, all_events=False, timestamps=False):
        """Returns a Table.

        columns: names, as iotrace-cat(1) lists them; by default start_ns, duration_ns, op, kind, offset, length, process,
        rank, file, path. Times are nanoseconds since the zero of the trace, sizes are bytes. rows: of a batch, at most.
        all_events: rows for operations without data, too. timestamps: start_ns as time of day, if the trace has an epoch.
        """
        return Table(self, columns, rows, all_events, timestamps)

    def batches(self, **options):
        """Yields each Batch; takes the options of table."""
        return self.table(**options).batches()

    def to_numpy(self, **options):
        """See Table.to_numpy; takes the options of table."""
        return self.table(**options).to_numpy()

    def to_pandas(self, **options):
        """See Table.to_pandas; takes the options of table."""
        return self.table(**options).to_pandas()

    def __iter__(self):
        return self.batches()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self):
        return self.table().__arrow_c_schema__()


def paths_of(paths):
    """Returns a list of paths as bytes."""
    return [os.fsencode(p) for p in ([paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths)]


def open(paths, *, lossy=False, **options):
    """Opens a trace of iotrace, or a log of another tool, and returns a Trace.

    paths: a path, or a list of paths that are parts of one input; "-" is standard input. lossy: neither a lost
    interval nor a log of which most lines are not understood is an error at the end. Takes options of iotrace-convert(1), such as layer="posix", and format; "-" in their
    names is "_", and True stands for an option without a value. Raises IotraceError.
    """
    given = {"fallback": "iotrace"}
    given.update((key.replace("_", "-"), "" if value is True else str(value))
                 for key, value in options.items() if value is not None and value is not False)
    return Trace(paths_of(paths), given, lossy)
