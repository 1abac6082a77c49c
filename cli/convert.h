/* SPDX-License-Identifier: BSD-2-Clause */
/* One conversion: foreign input, in order of start, to one trace; and its report. */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include <iotrace/filter.h>
#include <iotrace/source.h>

#include "cli/ui/options.h"
#include "cli/ui/same_file.h"
#include "cli/ui/json.h"
#include "cli/ui/trace_out.h"

/* A setting of a format, as of iot_source_set. */
struct convert_setting {
	const char *name, *value;
};

/* Settings that all conversions of a command share. */
struct convert_options {
	const struct command_spec *command;
	const char *format; /* NULL: detect */
	const struct convert_setting *settings;
	size_t setting_count;
	struct trace_out_options write; /* all settings except the path */
	uint64_t memory;
	int progress;
	bool unsorted, strict, quiet, verbose;
	bool names_inputs; /* warnings name the input, because it is one of several */
	const struct same_file_set *files; /* files that no file in an input may be, or NULL */
};

/* One conversion, which is attempted once or twice. */
struct conversion {
	const struct convert_options *options;
	const char *const *paths;
	size_t path_count;
	struct trace_out_options write;
	struct iot_source *source;
	struct progress progress;
	bool piped;
	bool rewritable; /* the output appears under its name when it is complete */
	bool restarted;  /* this is the second attempt */
	bool refused;    /* the input is a trace */
	bool misused;    /* options do not fit: nothing is reported */
	bool violated;   /* --strict was violated */
	struct iot_rounding rounding;
	struct iot_writer *writer;
	int64_t flushed_ms; /* of the monotonic clock */
	uint64_t written;
	bool kept;
};

/* --report: a JSON file about the run. */
struct report_file {
	const char *path; /* NULL: not requested, and nothing is done */
	bool no_fsync, due;
	struct output out;
	struct json json;
};

/* Returns the exit status. */
enum exit_status report_file_open(struct report_file *f);
/* Between these calls, each document is an element of a list. */
void report_file_list(struct report_file *f);
void report_file_list_end(struct report_file *f);
/* Discards the report unless it is due, and after a signal. Returns the final exit status. */
enum exit_status report_file_close(struct report_file *f, enum exit_status status);

/*
 * Converts paths to the trace `out`, prints errors, warns about information that was lost, and
 * appends an object to the report. Returns the exit status. For signals see signals.h.
 */
enum exit_status convert_and_report(const struct convert_options *o, const char *const *paths,
				    size_t count, const char *out, struct report_file *f);

/* convert_report.c */

/* The name of a converter's setting as an option. */
const char *setting_shown(const char *name);
void convert_warn(const struct conversion *c);

#endif
