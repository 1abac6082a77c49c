# SPDX-License-Identifier: BSD-2-Clause
"""Writes traces."""
import ctypes
import os

from . import _library
from ._library import EUSAGE, IotraceError

_TICK_NS, _LEVEL = 5, 11
_UNKNOWN = {"offset": 1, "duration_ns": 2, "cpu_ns": 4, "start_ns": 8}
_WRITE, _LOGICAL = 0x40, 0x80
_BLOCK = 512
_DATA = ("file", "metadata", "read-ahead", "virtual-memory")
_MARKS = {"4": 0x04, "async": 0x08, "hit": 0x10, "miss": 0x20}


def _type_of(kind):
    """Returns the bits of a type whose column kind is this text."""
    base, *marks = kind.split("+")
    disk = base == "disk" or base.startswith("disk-")
    data = base[5:] or "file" if disk else base
    try:
        return _DATA.index(data) | (0 if disk else _LOGICAL) | sum(_MARKS[mark] for mark in marks)
    except (ValueError, KeyError):
        raise IotraceError(f"kind is {kind!r}, expected a kind of iotrace-cat(1), such as 'file'") from None


def _categories(column):
    """Returns codes (-1: unknown) and the list of different texts."""
    import numpy
    if not hasattr(column, "codes"):
        column = getattr(column, "array", column)
    if hasattr(column, "codes") and hasattr(column, "categories"):
        return numpy.asarray(column.codes), list(column.categories)
    values = numpy.asarray(column, dtype=object)
    known = numpy.array([isinstance(v, str) for v in values], dtype=bool)
    codes = numpy.full(len(values), -1)
    texts, codes[known] = numpy.unique(values[known].astype(str), return_inverse=True)
    return codes, texts.tolist()


def _decoded(path):
    """Takes back the percent-encoding of a table: a path is bytes."""
    from urllib.parse import unquote_to_bytes
    return unquote_to_bytes(path)


class Writer:
    """A trace that is being written; made by iotrace.writer. At the end of a with statement it is complete; after an
    exception nothing is left. One thread at a time."""

    def __init__(self, path, tick_ns, level):
        self._traces, _ = _library.load()
        self._handle = self._traces.iot_writer_new()
        if not self._handle:
            raise MemoryError
        self._check(self._traces.iot_writer_set(self._handle, _TICK_NS, tick_ns))
        if level is not None:
            self._check(self._traces.iot_writer_set(self._handle, _LEVEL, level))
        self._check(self._traces.iot_writer_open(self._handle, os.fsencode(path)))

    def _check(self, status):
        if status != 0:
            raise IotraceError(_library.sentence(self._traces.iot_writer_error(self._handle), status), status)

    def _open(self):
        if not self._handle:
            raise IotraceError("the writer is closed", EUSAGE)
        return self._handle

    def process(self, process, name=None, parent=0):
        """Declares a process; parent 0: unknown."""
        self._check(self._traces.iot_writer_process(self._open(), process, parent, name and os.fsencode(name)))

    def file(self, process, file, path=None, object=0):
        """Declares a file, before its first record; object: equal numbers are the same file, 0: unknown."""
        self._check(self._traces.iot_writer_file(self._open(), process, file, object, path and os.fsencode(path)))

    def operation(self, name, start_ns, duration_ns=0, process=1, file=0, path=None, to=None, result="0", size=None):
        """Writes an operation that moves no data, such as "open". Times in nanoseconds, size in bytes."""
        kept = [os.fsencode(text) if text is not None else None for text in (path, to)]
        texts = [_library.Text(ctypes.cast(text, ctypes.c_void_p), len(text)) if text is not None else _library.Text()
                 for text in kept]
        op = _library.Operation(os.fsencode(name), start_ns, duration_ns, process, file, *texts,
                                result and os.fsencode(result), size or 0, size is not None, 0)
        self._check(self._traces.iot_writer_operations(self._open(), ctypes.byref(op), 1))

    def records(self, table):
        """Writes the rows of a DataFrame, or of a dict of arrays, in their order.

        Columns are named as in iotrace-cat(1); start_ns, length and op are required. Without offset, duration_ns or
        cpu_ns these are unknown, and so are their missing values. Without process it is 1, without file each path has a
        number. The columns rank, program, host, to, result and size are ignored, and object in rows
        of disks.
        """
        import numpy
        missing = [name for name in ("start_ns", "length", "op") if name not in table]
        if missing:
            raise IotraceError(f"the table lacks the columns {', '.join(missing)}")
        count = len(table["start_ns"])
        rec = numpy.zeros(count, dtype=numpy.dtype(_library.Record))
        self._numbers(table, rec)
        self._types(table, rec)
        self._write(rec, self._files(table, rec))

    def _numbers(self, table, rec):
        import numpy
        for name in ("start_ns", "duration_ns", "cpu_ns", "offset", "length", "process", "file", "object", "operation"):
            if name not in table:
                rec["flags"] |= _UNKNOWN.get(name, 0)
                continue
            values, known = _values(table[name], rec.dtype[name])
            rec[name] = values
            rec["flags"][~known] |= _UNKNOWN.get(name, 0)
            if not known.all() and name not in _UNKNOWN and name not in ("object", "operation"):
                raise IotraceError(f"{name} has unknown values")
        if "process" not in table:
            rec["process"] = 1
        if "relative_offset" in table:
            values, known = _values(table["relative_offset"], rec.dtype["offset"])
            rec["offset"] = numpy.where(known, values, rec["offset"])

    def _types(self, table, rec):
        import numpy
        codes, ops = _categories(table["op"])
        if set(numpy.array(ops + [""], dtype=object)[numpy.unique(codes)]) - {"read", "write"}:
            raise IotraceError("op has other values than 'read' and 'write'; operation() writes operations")
        rec["type"] = numpy.array([_WRITE if op == "write" else 0 for op in ops] + [0], dtype="u1")[codes]
        if "kind" not in table:
            rec["type"] |= _LOGICAL
            return
        codes, kinds = _categories(table["kind"])
        used = set(numpy.unique(codes).tolist())
        types = [_type_of(kind) if i in used else 0 for i, kind in enumerate(kinds)]
        rec["type"] |= numpy.array(types + [_LOGICAL], dtype="u1")[codes]
        disks = (rec["type"] & _LOGICAL) == 0
        for name in ("offset", "length"):
            rec[name][disks] //= _BLOCK

    def _files(self, table, rec):
        """Returns declarations (row, path) of files, which precede these rows."""
        import numpy
        if "path" not in table:
            codes, paths = numpy.full(len(rec), -1), []
        else:
            codes, paths = _categories(table["path"])
        if "file" not in table:
            rec["file"] = codes + 1
        disk = (rec["type"] & _LOGICAL) == 0
        order = numpy.lexsort((numpy.arange(len(rec)), rec["file"], rec["process"], disk))
        changed = numpy.ones(len(rec), dtype=bool)
        if len(rec) > 1:
            a, b = order[:-1], order[1:]
            changed[b] = ((rec["file"][a] != rec["file"][b]) | (rec["process"][a] != rec["process"][b]) |
                          (disk[a] != disk[b]) | (codes[a] != codes[b]))
        rows = numpy.flatnonzero(changed & ((codes >= 0) | disk))
        return [(int(row), _decoded(paths[codes[row]]) if codes[row] >= 0 else None) for row in rows]

    def _write(self, rec, declarations):
        done, size = 0, rec.dtype.itemsize
        for row, path in declarations + [(len(rec), None)]:
            if row > done:
                self._check(self._traces.iot_writer_records(self._open(), rec.ctypes.data + done * size, row - done))
                done = row
            if row == len(rec):
                return
            r = rec[row]
            if r["type"] & _LOGICAL:
                self._check(self._traces.iot_writer_file(self._open(), int(r["process"]), int(r["file"]), int(r["object"]),
                                                         path))
            else:
                self._check(self._traces.iot_writer_disk(self._open(), int(r["process"]), int(r["file"]), path))

    def close(self):
        """Completes the trace."""
        if self._handle:
            try:
                self._check(self._traces.iot_writer_close(self._handle))
            finally:
                self.abandon()

    def abandon(self):
        """Discards the trace."""
        if self._handle:
            self._traces.iot_writer_free(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.close()
        else:
            self.abandon()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.abandon()


def _whole(column):
    """Returns an array of a sequence of int, of the type that they need."""
    import numpy
    if not all(isinstance(value, int) for value in column):
        raise IotraceError("expected whole numbers")
    try:
        return numpy.array(column, dtype="u8" if min(column, default=0) >= 0 else "i8")
    except OverflowError:
        raise IotraceError("a number has more than 64 bits") from None


def _values(column, dtype):
    """Returns numbers, and which of them are known."""
    import numpy
    if not hasattr(column, "dtype"):
        column = _whole(column)
    mask = numpy.ma.getmaskarray(column) if isinstance(column, numpy.ma.MaskedArray) else None
    if hasattr(column, "isna"):
        mask = numpy.asarray(column.isna())
        column = column.fillna(0) if mask.any() else column
    values = numpy.ma.getdata(column) if isinstance(column, numpy.ma.MaskedArray) else numpy.asarray(column)
    if values.dtype.kind not in "iu":
        raise IotraceError(f"expected whole numbers, found {values.dtype}")
    known = numpy.ones(len(values), bool) if mask is None else ~mask
    info = numpy.iinfo(dtype)
    if len(values) and known.any() and (int(values[known].min()) < info.min or int(values[known].max()) > info.max):
        raise IotraceError(f"a number is not in {info.min} .. {info.max}")
    return numpy.where(known, values, 0).astype(dtype), known


def writer(path, *, tick_ns=1, level=None):
    """Opens a trace for writing and returns a Writer. The suffix .zst or .gz of the path selects compression.

    tick_ns: times are rounded down to multiples of it, in nanoseconds. level: of compression. Use it in a with
    statement. Raises IotraceError.
    """
    return Writer(path, tick_ns, level)
