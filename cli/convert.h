/* SPDX-License-Identifier: BSD-2-Clause */
/* One conversion: foreign input, in order of start, to one trace; and what is to be said of it. */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include "converters/converter.h"

#include "cli/ui/options.h"
#include "cli/ui/output.h"
#include "cli/filter/time_shift.h"
#include "cli/filter/rounding.h"
#include "cli/ui/same_file.h"

enum ops { OPS_ALL, OPS_NAMES, OPS_NONE };

/* What is the same for all conversions of a command. */
struct convert_options {
	const struct command_spec *command;
	const struct converter *converter; /* NULL: find out */
	const struct setting *settings;
	size_t setting_count;
	struct write_options write; /* but for path */
	uint64_t memory;
	int ops, progress;
	bool unsorted, strict, quiet, verbose;
	bool names_inputs;         /* warnings name the input: it is one of many */
	const struct files *files; /* that no file in an input may be; NULL: none */
};

/* What a setting of a converter is called as an option. */
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
	struct iot_event trace; /* %trace, until it is known where time begins */
	char *trace_text;
	bool piped, source_open, begun, taken, started_restart, kept,
	    violated;        /* violated: --strict */
	bool out_restart;    /* the output appears when it is complete, under its name */
	int64_t flushed_ms;  /* of the monotonic clock */
	int64_t last_ns;     /* start of the last event written */
	struct error damage; /* why the input ended early */
	uint64_t runs, spilled, written;
	struct progress progress;
	uint64_t declared_ns; /* when the source told how far it is; its thread's */
};

/*
 * Converts paths to the trace `out`; tells what went wrong, and warns of what could not be done.
 * The exit status. Of signals see signals.h.
 */
int convert_inputs(struct conversion *c, const struct convert_options *o, const char *const *paths,
		   size_t count, const char *out);
void convert_free(struct conversion *c);

/* --report: a file of JSON about what was done. */
struct report_file {
	const char *path; /* NULL: nobody asks for it, and nothing is done */
	bool no_fsync;
	struct output out;
	struct json json;
};

/* The exit status. */
int report_open(struct report_file *f);
/* Whether work that came to this exit status has anything to be reported. */
bool report_is_due(int status);
/* Dropped where nothing is. The exit status of it all. */
int report_close(struct report_file *f, int status);

/* convert_inputs; then a line on stderr for everything that a user should know, and an object. */
int convert_and_report(const struct convert_options *o, const char *const *paths, size_t count,
		       const char *out, struct report_file *f);
/* Of the names that begin so. */
uint64_t convert_sum(const struct report *r, const char *prefix);

#endif
