/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace merge: merges traces to one ordered stream. */
#include <stdlib.h>

#include "cli/merge/merge.h"

static const char notes[] =
    "Inputs may differ in tick, base and compression. They are aligned by epoch= of their\n"
    "%trace where all have one, else by their time zero; --shift comes on top of that. TIME is\n"
    "a number followed by ns, us, ms, s, m, h or d; without a unit, seconds.\n"
    "I/Os that start together are ordered by process, then file. The order of the IN does not\n"
    "matter. An id that two inputs use stays with the one that comes first; the other's gets a\n"
    "new number, in directives too.\n"
    "Files with the same path are one object in IN of one job (job= of their %trace), except on\n"
    "node-local file systems such as /tmp of different hosts.\n"
    "A damaged or truncated IN ends with %lost, the rest is complete; the exit status is 1.\n";

static const char examples[] =
    "  iotrace merge -o job.iot.zst node*.iot.zst        one trace of all nodes\n"
    "  iotrace merge --shift=b.iot=+1.5s a.iot b.iot     the clock of b was 1.5 s behind\n"
    "  iotrace merge --shift-by=host --shift=n7=-20ms -o job.iot node*.iot\n"
    "  iotrace merge --keep-ids -o whole.iot part*.iot   parts of one trace, put together\n"
    "  iotrace merge --reorder -o job.iot unordered.iot other.iot\n"
    "  iotrace merge --physical=sda.blktrace.0 -o tied.iot run.iot\n";

static const char *add_physical(const struct option *opt, const char *value)
{
	struct merge_options *o = opt->target;
	const char **grown = realloc(o->physical, (o->physical_count + 1) * sizeof *grown);
	if (grown == NULL)
		return option_no_memory;
	o->physical = grown;
	o->physical[o->physical_count++] = value;
	return NULL;
}

/* Merges the operands and the inputs of --physical. */
static enum exit_status merge_all(const struct merge_options *o, char **operands, size_t count)
{
	const size_t all = count + o->physical_count;
	char **paths = calloc(all, sizeof *paths);
	if (paths == NULL)
		return message_no_memory();
	for (size_t i = 0; i < all; i++)
		paths[i] = i < count ? operands[i] : (char *)(uintptr_t)o->physical[i - count];
	const enum exit_status status = merge_traces(o, paths, all);
	free(paths);
	return status;
}

static enum exit_status work(const struct merge_options *o, char **argv, size_t count)
{
	if (o->keep_ids && o->join_paths)
		return options_wrong(o->command, "--keep-ids and --join-paths exclude each other");
	if (o->join_paths && o->distinct_paths)
		return options_wrong(o->command,
				     "--join-paths and --distinct-paths exclude each other");
	if (o->keep_ids && o->physical_count > 0)
		return options_wrong(o->command, "--keep-ids and --physical exclude each other");
	return merge_all(o, argv, count);
}

enum exit_status cmd_merge(int argc, char **argv)
{
	struct merge_options o = {.read = TRACE_IN_OPTIONS_INIT,
				  .write = TRACE_OUT_OPTIONS_INIT,
				  .memory = MEMORY_DEFAULT};
	const struct option options[] = {
	    OPTION_OUTPUT(o.write),
	    CALL("shift", "NAME=TIME", &o, "add TIME to the times of input NAME (repeatable)",
		 merge_add_shift),
	    OPTION(CHOICE, 0, "shift-by", "file|host", &o.shift_by,
		   "what NAME is: an IN, or a host= of %trace (default: file)"),
	    OPTION(FLAG, 0, "join-paths", NULL, &o.join_paths,
		   "files of the same host and path are one object, whatever their jobs"),
	    OPTION(FLAG, 0, "distinct-paths", NULL, &o.distinct_paths,
		   "files of different IN are different objects"),
	    OPTION(FLAG, 0, "keep-ids", NULL, &o.keep_ids,
		   "ids mean the same in all IN: they are parts of one trace"),
	    CALL("physical", "BLKTRACE", &o,
		 "tie the physical records of BLKTRACE to logical records of IN (repeatable)",
		 add_physical),
	    OPTION(FLAG, 0, "reorder", NULL, &o.reorder, "sort IN that are not in order"),
	    OPTION_MEMORY(&o.memory),
	    OPTION(FLAG, 'v', "verbose", NULL, &o.verbose, "report what a coarser tick rounds"),
	    OPTION_QUIET(o.read.quiet, o.read.progress),
	    GROUP("Reading"),
	    OPTION_READING(o.read),
	    GROUP("Writing"),
	    OPTION_TICK(o.write, "the greatest that divides all ticks"),
	    OPTION_BASE(o.write),
	    OPTION_WRITING(o.write),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "merge",
	    .summary = "Merge traces to one, in order of time",
	    .synopsis = "[OPTION]... IN...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 1,
	};
	size_t count;
	enum exit_status status;
	o.command = &command;
	if (options_parse(&command, argc, argv, &count, &status))
		status = work(&o, argv, count);
	for (size_t i = 0; i < o.shift_count; i++)
		free(o.shifts[i].name);
	free(o.shifts);
	free(o.physical);
	return status;
}
