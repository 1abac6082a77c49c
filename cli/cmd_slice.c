/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace slice: extracts a part of a trace. */
#include <stdlib.h>
#include <string.h>

#include "cli/slice/slice.h"
#include "lib/base/number.h"

enum { READ_SIZE = 1 << 17 /* small reads waste little at both ends of the slice */ };

static const char notes[] =
    "T is a time of the trace (250ms, 90s, 5m, 1.5h, 2d; seconds without a unit), a share of it\n"
    "(50%, from the first record's start to the last's), or a wall clock time if the trace states "
    "its\n"
    "epoch (07:40:14, the first one in the trace or, of --to, after --from; 2026-11-21T10:00:00;\n"
    "both local or followed by Z or +01:00; @1700000000).\n"
    "Records are counted from 0; --from is inclusive, --to exclusive; A to B inclusive.\n"
    "Directives are selected by their time; comments go with the record that follows. --op and\n"
    "--every choose among records alone, --every last of all. LIST is numbers, ranges and names:\n"
    "7,9-12,mpi*; of ranks without names. In GLOB and names * ? [...] match anything, '/' too;\n"
    "without a '/' in it the last part of a path is enough.\n"
    "Reading starts at the %sync before the slice and ends at the first %sync after it; the\n"
    "intervals in between are verified, the rest of the file is not read. CPU times count from\n"
    "the previous record of the process, in the slice or not. IN must be sorted by start\n"
    "(reorder), unless --all-of-it is given.\n";

static const char examples[] =
    "  iotrace slice --from=90s --to=2m -o part.iot.zst t.iot.zst   half a minute\n"
    "  iotrace slice --from=99% t.iot.zst | iotrace stat            the last of it\n"
    "  iotrace slice --records=1000000-1000099 t.iot.zst            a hundred records\n"
    "  iotrace slice --from=2026-11-21T10:00:00Z --rebase t.iot.zst\n"
    "  iotrace slice --from=07:40:14 --to=07:41 t.iot.zst           by the clock on the wall\n"
    "  iotrace slice --process=7,9-12 --file='*.db' --op=write t.iot.zst\n"
    "  iotrace slice --rank=0 t.iot.zst | iotrace stat              what rank 0 did\n"
    "  iotrace slice --every=100 -o sample.iot.zst t.iot.zst        one I/O of a hundred\n";

static const char *take_time(const struct option *opt, const char *value)
{
	return trace_time_parse(value, opt->target);
}

static const char *take_records(const struct option *opt, const char *value)
{
	static const char expected[] = "numbers of records: A-B, A-, -B or A";
	struct iot_slice_options *s = opt->target;
	const char *dash = strchr(value, '-');
	const size_t n = dash != NULL ? (size_t)(dash - value) : strlen(value);
	uint64_t last = UINT64_MAX;
	s->first = 0;
	if (value[0] == '\0' || strcmp(value, "-") == 0)
		return expected;
	if (n > 0 && !number_decimal(value, n, &s->first))
		return expected;
	if (dash == NULL)
		last = s->first;
	else if (dash[1] != '\0' && !number_decimal(dash + 1, strlen(dash + 1), &last))
		return expected;
	s->end = last + 1; /* 0 is not an end */
	return s->first <= last ? NULL : expected;
}

static const char *select_list(struct slice_run *r, enum iot_select what, const char *list)
{
	static const char *const expected[] = {
	    [IOT_SELECT_PROCESSES] = "numbers, ranges and names with commas between them: "
				     "7,9-12,mpi*",
	    [IOT_SELECT_RANKS] = "numbers and ranges with commas between them: 0,4-7",
	    [IOT_SELECT_PATHS] = "a path"};
	const int status = iot_selection_add(r->selection, what, list);
	r->of_processes = r->of_processes || what != IOT_SELECT_PATHS;
	r->of_ranks = r->of_ranks || what == IOT_SELECT_RANKS;
	r->of_paths = r->of_paths || what == IOT_SELECT_PATHS;
	if (status == IOT_OK)
		return NULL;
	return status == IOT_EFORMAT  ? expected[what]
	       : status == IOT_ELIMIT ? "at most 1024 of them"
				      : option_no_memory;
}

static const char *take_ranks(const struct option *opt, const char *value)
{
	return select_list(opt->target, IOT_SELECT_RANKS, value);
}

static const char *take_processes(const struct option *opt, const char *value)
{
	return select_list(opt->target, IOT_SELECT_PROCESSES, value);
}

static const char *take_file(const struct option *opt, const char *value)
{
	return select_list(opt->target, IOT_SELECT_PATHS, value);
}

static enum exit_status parse_and_run(struct slice_run *r, int argc, char **argv)
{
	const struct option options[] = {
	    CALL("from", "T", &r->from, "from time T on", take_time),
	    CALL("to", "T", &r->to, "up to, but not including, time T", take_time),
	    CALL("records", "A-B", &r->slice, "records A to B, counted from 0", take_records),
	    CALL("process", "LIST", r, "I/O of these processes", take_processes),
	    CALL("rank", "LIST", r, "I/O of the processes of these MPI ranks", take_ranks),
	    CALL("file", "GLOB", r, "I/O on files whose path matches GLOB; repeatable", take_file),
	    OPTION(CHOICE, 0, "op", "all|read|write", &r->op, "reads or writes alone"),
	    RANGE(NUMBER, 0, "every", "N", &r->slice.every,
		  "of the selected records, the first and every Nth", 1, UINT64_MAX),
	    OPTION(FLAG, 0, "rebase", NULL, &r->moves_zero,
		   "move time zero to --from, or else to the beginning of the slice"),
	    OPTION(FLAG, 0, "all-of-it", NULL, &r->unsorted,
		   "IN is not sorted by start: read all of it"),
	    OPTION_OUTPUT(r->write),
	    OPTION(FLAG, 'v', "verbose", NULL, &r->verbose, "report what a coarser tick rounds"),
	    OPTION_QUIET(r->read.quiet, r->read.progress),
	    GROUP("Reading"),
	    OPTION_READING(r->read),
	    GROUP("Writing"),
	    OPTION_TICK(r->write, "as IN"),
	    OPTION_BASE_OF_IN(r->write),
	    OPTION_WRITING(r->write),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "slice",
	    .summary = "Take a part of a trace",
	    .synopsis = "[OPTION]... [IN]",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_max = 1,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	return slice_run(r, &command, count > 0 ? argv[0] : "-");
}

enum exit_status cmd_slice(int argc, char **argv)
{
	struct slice_run *r = calloc(1, sizeof *r);
	if (r == NULL)
		return message_no_memory();
	r->read = (struct trace_in_options)TRACE_IN_OPTIONS_INIT;
	r->read.read_size = READ_SIZE;
	r->read.verified = true;
	r->write = (struct trace_out_options)TRACE_OUT_OPTIONS_INIT;
	r->slice.to_ns = INT64_MAX;
	r->slice.every = 1;
	r->selection = iot_selection_new();
	r->head = iot_batch_new(TRACE_IN_BATCH);
	const enum exit_status status = r->selection != NULL && r->head != NULL
					    ? parse_and_run(r, argc, argv)
					    : message_no_memory();
	iot_selection_free(r->selection);
	iot_batch_free(r->head);
	contents_free(&r->contents);
	for (size_t i = 0; i < r->trace_count; i++)
		free(r->traces[i]);
	free(r);
	return status;
}
