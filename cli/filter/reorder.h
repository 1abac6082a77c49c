/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts a trace by start: settings, run, and report. */
#ifndef CLI_FILTER_REORDER_H
#define CLI_FILTER_REORDER_H

#include "cli/ui/trace_in.h"

struct reorder_options {
	const struct command_spec *command;
	struct read_options read;
	struct write_options write;
	uint64_t memory;
	uint64_t window_ns; /* NOT_GIVEN: the whole trace is held */
};

struct reorder_report {
	uint64_t records, late, late_by_ns; /* late_by_ns: the maximum */
	uint64_t runs, spilled;             /* sorted runs in temporary files, and their bytes */
	uint64_t written;                   /* bytes */
	bool kept;                          /* the output is complete */
};

/* Returns the exit status, after a message on errors. For signals see signals.h. */
int reorder_trace(const struct reorder_options *o, const char *in, struct reorder_report *r);

#endif
