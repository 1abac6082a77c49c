/* SPDX-License-Identifier: BSD-2-Clause */
/* One conversion: foreign input, in order of start, to one trace; and its report. */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include "converters/converter.h"

#include "cli/ui/options.h"
#include "cli/ui/output.h"
#include "lib/filter/time_shift.h"
#include "cli/filter/rounding.h"
#include "cli/ui/same_file.h"

enum ops { OPS_ALL, OPS_NAMES, OPS_NONE };

/* Settings that all conversions of a command share. */
struct convert_options {
	const struct command_spec *command;
	const struct converter *converter; /* NULL: detect */
	const struct setting *settings;
	size_t setting_count;
	struct write_options write; /* all settings except the path */
	uint64_t memory;
	int ops, progress;
	bool unsorted, strict, quiet, verbose;
	bool names_inputs;         /* warnings name the input, because it is one of several */
	const struct files *files; /* files that no file in an input may be, or NULL */
};

/* The name of a converter's setting as an option. */
const char *setting_shown(const char *name);

struct conversion {
	const struct convert_options *options;
	const char *const *paths;
	size_t path_count;
	struct write_options write;

	struct input *input;
	struct source_state source;
	struct sorter *sorter; /* NULL: unsorted */
	struct iot_writer *writer;
	struct time_shift rebase;
	struct rounding rounding;
	struct iot_event *out;  /* a batch */
	struct iot_event trace; /* %trace, until time zero is known */
	char *trace_text;
	bool piped, source_open, begun, taken, started_restart, kept,
	    violated;        /* --strict was violated */
	bool out_restart;    /* the output appears under its name when it is complete */
	int64_t flushed_ms;  /* of the monotonic clock */
	int64_t last_ns;     /* start of the last event written */
	struct error damage; /* why the input ended early */
	uint64_t runs, spilled, written;
	struct progress progress;
	uint64_t declared_ns; /* when the source reported its progress; owned by its thread */
};

/*
 * Converts paths to the trace `out`, prints errors, and warns about information that was lost.
 * Returns the exit status. For signals see signals.h.
 */
int convert_inputs(struct conversion *c, const struct convert_options *o, const char *const *paths,
		   size_t count, const char *out);
void convert_free(struct conversion *c);

/* --report: a JSON file about the run. */
struct report_file {
	const char *path; /* NULL: not requested, and nothing is done */
	bool no_fsync;
	struct output out;
	struct json json;
};

/* Returns the exit status. */
int report_open(struct report_file *f);
/* Whether a run with this exit status has anything to report. */
bool report_is_due(int status);
/* Discards the report if there is none. Returns the final exit status. */
int report_close(struct report_file *f, int status);

/*
 * Runs convert_inputs, then prints a summary line to stderr, and appends an object to the report.
 */
int convert_and_report(const struct convert_options *o, const char *const *paths, size_t count,
		       const char *out, struct report_file *f);
/* The sum of the counts whose names begin with a prefix. */
uint64_t convert_sum(const struct report *r, const char *prefix);

#endif
