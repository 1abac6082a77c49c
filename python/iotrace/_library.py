# SPDX-License-Identifier: BSD-2-Clause
"""Finds and loads the libraries, and declares the functions that the module calls."""
import ctypes
import os
import signal
import threading
import _thread

VERSION = "0.1.0"
STATUS = {0: "ok", -1: "format error", -2: "input/output error", -3: "out of memory", -4: "wrong use", -5: "limit", -6: "truncated"}
OK, EFORMAT, EIO, ENOMEM, EUSAGE, ELIMIT, ETRUNCATED = 0, -1, -2, -3, -4, -5, -6
NAMES = ("libiotrace.so.0", "libiotrace-sources.so.0")


class IotraceError(Exception):
    """An error of the library.

    status: a negative number, enum iot_status of iotrace.h: -1 input that is wrong, -2 a system call, -3 memory,
    -4 wrong use, -5 a limit, -6 input that ends early. str(error) is the sentence of the library.
    """

    def __init__(self, sentence, status=EUSAGE):
        super().__init__(sentence)
        self.status = status


class Record(ctypes.Structure):
    _fields_ = [("start_ns", ctypes.c_int64), ("duration_ns", ctypes.c_uint64), ("cpu_ns", ctypes.c_int64),
                ("offset", ctypes.c_uint64), ("length", ctypes.c_uint64), ("operation", ctypes.c_uint32),
                ("file", ctypes.c_uint32), ("process", ctypes.c_uint32), ("object", ctypes.c_uint32),
                ("type", ctypes.c_uint8), ("flags", ctypes.c_uint8), ("zero", ctypes.c_uint16),
                ("spare", ctypes.c_uint32)]


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Event(ctypes.Structure):
    _fields_ = [("rec", Record), ("text", Text), ("kind", ctypes.c_uint32), ("has", ctypes.c_uint32)]


class Batch(ctypes.Structure):
    _fields_ = [("events", ctypes.POINTER(Event)), ("count", ctypes.c_size_t), ("capacity", ctypes.c_size_t),
                ("watermark_ns", ctypes.c_int64), ("bytes_done", ctypes.c_uint64), ("bytes_total", ctypes.c_uint64)]


class Operation(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("start_ns", ctypes.c_int64), ("duration_ns", ctypes.c_uint64),
                ("process", ctypes.c_uint32), ("file", ctypes.c_uint32), ("path", Text), ("to", Text),
                ("result", ctypes.c_char_p), ("size", ctypes.c_uint64), ("has_size", ctypes.c_int),
                ("count", ctypes.c_uint64)]


class Count(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_uint64), ("noted", ctypes.c_int)]


class Example(ctypes.Structure):
    _fields_ = [("line", ctypes.c_uint64), ("file", ctypes.c_char * 256), ("text", ctypes.c_char * 160)]


class Difference(ctypes.Structure):
    _fields_ = [("where", ctypes.c_char * 256), ("what", ctypes.c_char * 64), ("source_says", ctypes.c_uint64),
                ("converted", ctypes.c_uint64)]


class ArrowOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("columns", ctypes.c_char_p), ("rows", ctypes.c_uint32),
                ("all_events", ctypes.c_uint32), ("timestamps", ctypes.c_uint32), ("incomplete", ctypes.c_uint32)]


POINTER, INT, TEXT, SIZE = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t
U32, U64 = ctypes.c_uint32, ctypes.c_uint64

# Result and arguments of each function.
TRACES = {
    "iot_version": (TEXT,),
    "iot_batch_new": (ctypes.POINTER(Batch), SIZE),
    "iot_batch_free": (None, POINTER),
    "iot_stream_next": (INT, POINTER, POINTER),
    "iot_stream_free": (None, POINTER),
    "iot_stream_arrow": (INT, POINTER, POINTER, POINTER),
    "iot_writer_new": (POINTER,),
    "iot_writer_free": (None, POINTER),
    "iot_writer_set": (INT, POINTER, INT, U64),
    "iot_writer_open": (INT, POINTER, TEXT),
    "iot_writer_records": (INT, POINTER, POINTER, SIZE),
    "iot_writer_process": (INT, POINTER, U32, U32, TEXT),
    "iot_writer_file": (INT, POINTER, U32, U32, U32, TEXT),
    "iot_writer_disk": (INT, POINTER, U32, U32, TEXT),
    "iot_writer_operations": (INT, POINTER, POINTER, SIZE),
    "iot_writer_close": (INT, POINTER),
    "iot_writer_error": (TEXT, POINTER),
}
SOURCES = {
    "iot_source_new": (POINTER,),
    "iot_source_free": (None, POINTER),
    "iot_source_set": (INT, POINTER, TEXT, TEXT),
    "iot_source_open": (INT, POINTER, POINTER, SIZE),
    "iot_source_stream": (POINTER, POINTER),
    "iot_source_into_stream": (POINTER, POINTER),
    "iot_source_name": (TEXT, POINTER),
    "iot_source_file": (TEXT, POINTER, SIZE),
    "iot_source_error": (TEXT, POINTER),
    "iot_source_cancel": (None, POINTER),
    "iot_source_fact": (U64, POINTER, INT),
    "iot_source_count": (ctypes.POINTER(Count), POINTER, SIZE),
    "iot_source_example": (ctypes.POINTER(Example), POINTER, SIZE),
    "iot_source_difference": (ctypes.POINTER(Difference), POINTER, SIZE),
    "iot_source_note": (TEXT, POINTER, SIZE),
}


def _folders():
    """Folders that may have the libraries; "" stands for the search of the system's loader."""
    given = os.environ.get("IOTRACE_LIBRARY")
    if given:
        return [given if os.path.isdir(given) else os.path.dirname(given)]
    return [os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"), ""]


def _open_libraries():
    tried = []
    for folder in _folders():
        paths = [os.path.join(folder, name) for name in NAMES]
        try:
            return [ctypes.CDLL(path) for path in paths]
        except OSError as e:
            tried.append(f"{paths[0]} ({e})")
    raise IotraceError("the libraries of iotrace were not found; tried: " + "; ".join(tried))


def _declare(library, functions):
    for name, (result, *arguments) in functions.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise IotraceError(f"the library of iotrace has no {name}: it is older than this module, {VERSION}") from None
        function.restype, function.argtypes = result, arguments


def _load():
    traces, sources = _open_libraries()
    traces.iot_version.restype = TEXT
    found = traces.iot_version().decode()
    if found.split(".")[:2] != VERSION.split(".")[:2]:
        raise IotraceError(f"the library of iotrace has version {found}, and this module is for {VERSION}")
    _declare(traces, TRACES)
    _declare(sources, SOURCES)
    return traces, sources


_loaded = None
_lock = threading.Lock()


def load():
    """Returns both libraries, loaded at the first call."""
    global _loaded
    with _lock:
        if _loaded is None:
            _loaded = _load()
        return _loaded


def sentence(text, status):
    return (text or b"").decode("utf-8", "replace") or STATUS.get(status, str(status))


def interruptible(cancel, function, *arguments):
    """Calls a function of C. Ctrl-C calls cancel, waits for the end of the call, and raises KeyboardInterrupt.

    Python handles signals in the main thread alone, between its own instructions. So this thread waits, and another
    one calls.
    """
    if threading.current_thread() is not threading.main_thread() or \
            signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return function(*arguments)
    done, result = threading.Lock(), []

    def call():
        try:
            result.append(function(*arguments))
        finally:
            done.release()

    done.acquire()
    _thread.start_new_thread(call, ())
    interrupted = False
    while True:
        try:
            done.acquire()
            break
        except KeyboardInterrupt:
            interrupted = True
            cancel()
    if interrupted:
        raise KeyboardInterrupt
    return result[0]
