/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace put in order of start: what was asked for, the work, and what is to be said of it. */
#ifndef CLI_FILTER_REORDER_H
#define CLI_FILTER_REORDER_H

#include "cli/ui/trace_in.h"

struct reorder_options {
	const struct command_spec *command;
	struct read_options read;
	struct write_options write;
	uint64_t memory;
	uint64_t window_ns; /* NOT_GIVEN: all of it is held */
};

struct reorder_report {
	uint64_t records, late, late_by_ns; /* late_by_ns: of the worst */
	uint64_t runs, spilled;             /* sorted runs in temporary files, and their bytes */
	uint64_t written;                   /* bytes */
	bool kept;                          /* the output is complete */
};

/* The exit status; what went wrong was told. Of signals see signals.h. */
int reorder_trace(const struct reorder_options *o, const char *in, struct reorder_report *r);

#endif
