# SPDX-License-Identifier: BSD-2-Clause
"""Plots the bytes per second of a trace, in cells of a notebook: notebook.py INPUT [PLOT.png]

Needs pandas and matplotlib. INPUT is a trace, or the log of any tool that iotrace reads.
"""
# %% What is in the trace?
import sys

import iotrace
import matplotlib
import pandas

trace = iotrace.open(sys.argv[1])
print(trace.source, trace.info)
print("\n".join(trace.warnings))

# %% All rows, with unknown starts left out
rows = trace.to_pandas(columns=["start_ns", "op", "length", "path"])
rows = rows[rows["start_ns"].notna()]
rows["seconds"] = rows["start_ns"].astype("int64") / 1e9
print(rows.groupby("path", observed=True)["length"].sum().nlargest(10))

# %% Bytes per second, in a hundredth of the time each
matplotlib.use("Agg")
bins = pandas.cut(rows["seconds"], 100)
width = bins.cat.categories[0].length
rate = rows.pivot_table(values="length", index=bins, columns="op", aggfunc="sum", observed=False).fillna(0) / width
rate.index = [interval.mid for interval in rate.index]
axes = rate.plot(xlabel="seconds", ylabel="bytes per second", title=sys.argv[1])
axes.figure.savefig(sys.argv[2] if len(sys.argv) > 2 else "rate.png")
