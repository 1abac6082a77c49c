/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A part of a trace.
 *
 *	head.c    reads up to the first record, which times depend on
 *	range.c   where the slice begins and ends
 *	slice.c   copies the slice
 *	contents.c  what is in the trace, if the slice is empty
 */
#ifndef CLI_SLICE_SLICE_H
#define CLI_SLICE_SLICE_H

#include <iotrace/filter.h>

#include "cli/ui/trace_in.h"
#include "cli/ui/trace_time.h"
#include "contents.h"

enum { TRACES_MAX = 256 /* %trace before the first record */ };

struct slice_run {
	const struct command_spec *command;
	const char *path;
	struct trace_in in;
	struct trace_in_options read;
	struct trace_out_options write;
	struct trace_time from, to;
	struct trace_time_span span;
	struct iot_slice_options slice;
	struct iot_selection *selection;
	bool of_processes, of_ranks, of_paths; /* what the selection is about */
	int op;                                /* all, reads or writes */
	bool unsorted;
	struct iot_shift_options shift;
	uint64_t before_zero;
	bool moves_zero;
	bool no_starts; /* lacks=start */
	struct iot_writer *writer;
	struct iot_rounding rounding;
	bool verbose;
	struct iot_batch *head; /* the first events from which on IN is read */
	size_t count;           /* of them */
	char *traces[TRACES_MAX];
	size_t trace_count, traces_passed;
	struct contents contents; /* of IN if it is a pipe */
};

/*
 * Reads up to the first record; the events of a pipe or log are kept, as they cannot be read again.
 * Returns the number of events in the head; *whole: it begins with the first one.
 */
size_t slice_read_head(struct slice_run *r, bool *whole, bool *failed);

/* Finds the times of the slice, after the head has been read. */
enum exit_status slice_resolve_times(struct slice_run *r);

enum exit_status slice_run(struct slice_run *r, const struct command_spec *command,
			   const char *path);

#endif
