# SPDX-License-Identifier: BSD-2-Clause
"""The structs of Apache Arrow's C interfaces, capsules of them, and their memory as arrays of numpy."""
import ctypes
import errno
import functools

from . import _library


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                   ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
                   ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]


class Array(ctypes.Structure):
    pass


Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                  ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
                  ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.POINTER(Array)), ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]


class Stream(ctypes.Structure):
    _fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
                ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
                ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
                ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]


Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def release(struct, call=Release, address=ctypes.addressof):
    """Releases a struct once. The defaults are there when the interpreter ends, too."""
    if struct.release:
        call(struct.release)(address(struct))


STATUS = {errno.EBADMSG: _library.EFORMAT, errno.ENODATA: _library.ETRUNCATED, errno.EIO: _library.EIO,
          errno.ENOMEM: _library.ENOMEM, errno.EINVAL: _library.EUSAGE, errno.EOVERFLOW: _library.ELIMIT}
TYPES = {b"l": "<i8", b"L": "<u8", b"I": "<u4", b"i": "<i4", b"tsn:UTC": "<M8[ns]"}


# Capsules. What their destructor needs must exist when the last capsule goes, whatever has gone before: it is never freed.

def _immortal(value):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
    return value


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_allocate = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(("PyMem_RawMalloc", ctypes.pythonapi))
_free = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyMem_RawFree", ctypes.pythonapi))


def _kind_of_capsule(struct, name):
    text = _immortal(ctypes.create_string_buffer(name))

    def destroy(capsule, struct=struct, name=ctypes.addressof(text), pointer=_pointer, free=_free, release=release):
        at = pointer(capsule, name)
        release(struct.from_address(at))
        free(at)

    return struct, ctypes.addressof(text), _immortal(ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(destroy))


_STREAM = _kind_of_capsule(Stream, b"arrow_array_stream")
_SCHEMA = _kind_of_capsule(Schema, b"arrow_schema")
for _ in (_pointer, _allocate, _free, release, Release):
    _immortal(_)


def _capsule(kind, fill):
    """Returns a capsule with a struct that fill(struct) has filled; its consumer, or its end, releases the struct."""
    struct, name, destroy = kind
    at = _allocate(ctypes.sizeof(struct))
    if not at:
        raise MemoryError
    ctypes.memset(at, 0, ctypes.sizeof(struct))
    try:
        fill(struct.from_address(at))
    except BaseException:
        _free(at)
        raise
    return _new(at, name, ctypes.cast(destroy, ctypes.c_void_p))


stream_capsule = functools.partial(_capsule, _STREAM)
schema_capsule = functools.partial(_capsule, _SCHEMA)


# Columns

class _Memory:
    """A column that was moved out of its batch. Arrays of numpy keep it, and it is released after the last of them."""

    def __init__(self, child):
        self.array = Array()
        ctypes.memmove(ctypes.byref(self.array), ctypes.byref(child), ctypes.sizeof(Array))
        child.release = None

    def __del__(self, release=release):
        release(self.array)


class _View:
    """A buffer in the form that numpy asks for."""

    def __init__(self, memory, buffer, kind, length):
        self.memory = memory
        self.__array_interface__ = {"version": 3, "shape": (length,), "typestr": kind,
                                    "data": (memory.array.buffers[buffer] or 0, True)}


def _numpy():
    try:
        import numpy
    except ImportError:
        raise ImportError("columns are arrays of numpy, which is not installed: pip install numpy") from None
    return numpy


class Column:
    """Values of a column: `values`, `known` (None: all), and for texts the dictionary `texts`."""

    def __init__(self, child, kind, texts):
        self._memory, self._kind, self.texts = _Memory(child), kind, texts
        self.length = self._memory.array.length
        if texts is not None:
            texts.extend(self._memory.array.dictionary.contents)

    @functools.cached_property
    def values(self):
        return _numpy().asarray(_View(self._memory, 1, self._kind, self.length))

    @functools.cached_property
    def known(self):
        if not self._memory.array.null_count:
            return None
        numpy = _numpy()
        bits = numpy.asarray(_View(self._memory, 0, "|u1", (self.length + 7) // 8))
        return numpy.unpackbits(bits, count=self.length, bitorder="little").view(bool)


class Dictionary:
    """The texts of a column. Only new texts are decoded."""

    def __init__(self):
        self.texts, self._categories = [], None

    def extend(self, array):
        first, count = len(self.texts), array.length
        if count == first:
            return
        offset = (ctypes.c_int32 * (count + 1)).from_address(array.buffers[1])[first:]
        data = ctypes.string_at(array.buffers[2] + offset[0], offset[-1] - offset[0])
        self.texts += [data[a - offset[0]:b - offset[0]].decode() for a, b in zip(offset, offset[1:])]

    def categories(self):
        """A type of pandas, made again only if there are more texts."""
        import pandas
        if self._categories is None or len(self._categories.categories) < len(self.texts):
            self._categories = pandas.CategoricalDtype(self.texts)
        return self._categories


class Table:
    """A stream of batches, which Python pulls; source: what it reads, freed after it."""

    def __init__(self, stream, cancel, close):
        self.stream, self.cancel, self._close = stream, cancel, close
        self.columns = []

    def close(self):
        if self._close is not None:
            release(self.stream)
            close, self._close = self._close, None
            close()

    def __del__(self):
        self.close()

    def _check(self, error):
        if error:
            status = STATUS.get(error, _library.EIO)
            text = self.stream.get_last_error(ctypes.addressof(self.stream))
            raise _library.IotraceError(_library.sentence(text, status), status)

    def read_schema(self):
        schema = Schema()
        self._check(_library.interruptible(self.cancel, self.stream.get_schema, ctypes.addressof(self.stream),
                                           ctypes.addressof(schema)))
        for i in range(schema.n_children):
            child = schema.children[i].contents
            self.columns.append((child.name.decode(), TYPES[child.format], Dictionary() if child.dictionary else None))
        release(schema)

    def next(self):
        """Returns the columns of the next batch by name; None at the end."""
        array = Array()
        self._check(_library.interruptible(self.cancel, self.stream.get_next, ctypes.addressof(self.stream),
                                           ctypes.addressof(array)))
        if not array.release:
            return None
        try:
            return {name: Column(array.children[i].contents, kind, texts)
                    for i, (name, kind, texts) in enumerate(self.columns)}
        finally:
            release(array)
