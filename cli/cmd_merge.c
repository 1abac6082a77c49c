/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace merge: many traces, one stream in order. */
#include <stdlib.h>
#include <string.h>

#include "cli/merge/merge.h"

static const char notes[] =
    "Inputs may differ in tick, base and compression. They are aligned by epoch= of their\n"
    "%trace where all have one, else by their time zero; --shift comes on top of that. TIME is\n"
    "a number with ns, us, ms, s, m, h or d behind it; of seconds where nothing is.\n"
    "I/Os that start together are ordered by process, then file. The order of the IN does not\n"
    "matter. An id that two inputs use stays with the one that comes first; the other's gets a\n"
    "new number, in directives too.\n"
    "A damaged or truncated IN ends with %lost, the rest is complete; the exit status is 1.\n";

static const char examples[] =
    "  iotrace merge -o job.iot.zst node*.iot.zst        one trace of all nodes\n"
    "  iotrace merge --shift=b.iot=+1.5s a.iot b.iot     the clock of b was 1.5 s behind\n"
    "  iotrace merge --shift-by=host --shift=n7=-20ms -o job.iot node*.iot\n"
    "  iotrace merge --keep-ids -o whole.iot part*.iot   parts of one trace, put together\n"
    "  iotrace merge --reorder -o job.iot unordered.iot other.iot\n";

static const char *take_shift(const struct iot_opt *opt, const char *value)
{
	return iot_merge_shift_add(opt->target, value);
}

static int work(struct iot_merge_options *o, char **argv, size_t count)
{
	if (o->keep_ids && o->join_paths)
		return iot_opts_wrong(o->command, "--keep-ids and --join-paths exclude each other");
	return iot_merge(o, argv, count);
}

int iot_cmd_merge(int argc, char **argv)
{
	struct iot_merge_options o = {.read = IOT_READ_OPTIONS_INIT,
				      .write = IOT_WRITE_OPTIONS_INIT,
				      .memory = IOT_MEMORY_DEFAULT};
	const struct iot_opt options[] = {
	    IOT_OPT_OUTPUT(o.write),
	    IOT_CALL("shift", "NAME=TIME", &o, "add TIME to the times of input NAME (repeatable)",
		     take_shift),
	    IOT_OPTION(CHOICE, 0, "shift-by", "file|host", &o.shift_by,
		       "what NAME is: an IN, or a host= of %trace (default: file)"),
	    IOT_OPTION(FLAG, 0, "join-paths", NULL, &o.join_paths,
		       "files of the same host and path are one object"),
	    IOT_OPTION(FLAG, 0, "keep-ids", NULL, &o.keep_ids,
		       "ids mean the same in all IN: they are parts of one trace"),
	    IOT_OPTION(FLAG, 0, "reorder", NULL, &o.reorder, "sort IN that are not in order"),
	    IOT_OPT_MEMORY(&o.memory),
	    IOT_OPTION(FLAG, 'v', "verbose", NULL, &o.verbose, "tell what the tick has rounded"),
	    IOT_OPT_QUIET(o.read.quiet, o.read.progress),
	    IOT_GROUP("Reading"),
	    IOT_OPT_READING(o.read),
	    IOT_GROUP("Writing"),
	    IOT_OPT_TICK(o.write, "the greatest that divides all ticks"),
	    IOT_OPT_BASE(o.write),
	    IOT_OPT_WRITING(o.write),
	    IOT_OPTIONS_END,
	};
	const struct iot_command command = {
	    .name = "merge",
	    .summary = "Merge traces to one, in order of time",
	    .synopsis = "[OPTION]... IN...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 1,
	};
	size_t count;
	int status = iot_opts_parse(&command, argc, argv, &count);
	o.command = &command;
	if (status == IOT_OPTS_GO_ON)
		status = work(&o, argv, count);
	for (size_t i = 0; i < o.shift_count; i++)
		free(o.shifts[i].name);
	free(o.shifts);
	return status;
}
