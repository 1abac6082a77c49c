# SPDX-License-Identifier: BSD-2-Clause
"""I/O traces, and the logs of strace, Darshan, Recorder and other tools, as tables.

    import iotrace
    t = iotrace.open("app.darshan")          # any input of iotrace; a list: parts of one input
    t.source, t.info, t.warnings             # its format, what it states of itself, what it cannot show
    t.to_pandas()                            # a DataFrame; to_numpy(): a dict of arrays
    polars.DataFrame(t)                      # and pyarrow.table(t), and duckdb: "from t"
    for b in t.batches(columns=["length"]):  # in pieces of 65536 rows, without copies
        b["length"].sum()
    iotrace.analyze("app.iot.zst")["totals"] # also stat, simulate, mrc: what the commands print as JSON
    with iotrace.writer("out.iot.zst") as w:
        w.records(t.to_pandas())

iotrace-cat(1) lists the columns: times in nanoseconds since the zero of the trace, sizes in bytes. Unknown values are
masked (numpy) or missing (pandas), never 0. Errors are IotraceError, with the sentence of the library. A trace, a table and
a writer may each be used by one thread at a time; several threads with their own run in parallel. Ctrl-C ends a call.

The libraries libiotrace.so.0 and libiotrace-sources.so.0 are found in the folder $IOTRACE_LIBRARY, beside this module, or
where the system looks; the program iotrace, for analyze, stat, simulate and mrc, by $IOTRACE_COMMAND, beside this module,
or in PATH.
"""
from ._commands import analyze, mrc, simulate, stat
from ._library import VERSION as __version__, IotraceError
from ._trace import Batch, Table, Texts, Trace, open
from ._writer import Writer, writer

__all__ = ["Batch", "IotraceError", "Table", "Texts", "Trace", "Writer", "analyze", "mrc", "open", "simulate", "stat",
           "writer", "__version__"]
