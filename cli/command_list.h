/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * COMMAND(name, group, summary), in the order of the help, where the commands of a group are
 * adjacent. cli/cmd_NAME.c defines cmd_NAME().
 */
/* clang-format off */
#define LOOK "Look into traces and file systems"
COMMAND(record, "Make traces", "run a program and trace its I/O")
COMMAND(mount, "Make traces", "show a directory elsewhere and trace its I/O there")
COMMAND(control, "Make traces", "ask or change a record or mount that runs")
COMMAND(convert, "Make traces", "turn a log of another tool into a trace")
COMMAND(sample, "Make traces", "sample the counters of disks and file systems")
COMMAND(procstat, "Make traces", "gather packets that traced programs send")
COMMAND(merge, "Change traces", "make one trace of many, in order of time")
COMMAND(reorder, "Change traces", "put a trace, or packets, in order of time")
COMMAND(anonymize, "Change traces", "replace all names, so that a trace can be shared")
COMMAND(slice, "Change traces", "take a part: by time, record, process, file")
COMMAND(cat, LOOK, "write a trace as canonical text, CSV, JSON lines")
COMMAND(info, LOOK, "summarize traces and report whether they are complete")
COMMAND(stat, LOOK, "count opens, I/Os and bytes by file or process")
COMMAND(top, LOOK, "show the I/O of a trace while it is being written")
COMMAND(analyze, LOOK, "rates, request sizes and the order of requests of a job")
COMMAND(parts, LOOK, "plan tasks that read traces in parts")
COMMAND(simulate, LOOK, "simulate caches: hits by size and policy")
COMMAND(mrc, LOOK, "miss-ratio curves: the misses of caches of all sizes")
COMMAND(match, LOOK, "share counters of hosts among their jobs")
COMMAND(model, LOOK, "what logged I/O would take in another system")
COMMAND(check, LOOK, "validate traces; repair damaged ones")
COMMAND(fsstats, LOOK, "sizes and ages of files in trees")
#undef LOOK
