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

enum iot_ops { IOT_OPS_ALL, IOT_OPS_NAMES, IOT_OPS_NONE };

/* What is the same for all conversions of a command. */
struct iot_convert_options {
	const struct iot_command *command;
	const struct iot_converter *converter; /* NULL: find out */
	const struct iot_setting *settings;
	size_t setting_count;
	struct iot_write_options write; /* but for path */
	uint64_t memory;
	int ops, progress;
	bool unsorted, strict, quiet, verbose;
	const struct iot_files *files; /* that no file in an input may be; NULL: none */
};

/* What a setting of a converter is called as an option. */
const char *iot_setting_shown(const char *name);

struct iot_conversion {
	const struct iot_convert_options *options;
	const char *const *paths;
	size_t path_count;
	struct iot_write_options write;

	struct iot_input *input;
	struct iot_source source;
	struct iot_sorter *sorter; /* NULL: unsorted */
	struct iot_writer *writer;
	struct iot_rebase rebase;
	struct iot_rounding rounding;
	struct iot_event *out;  /* a batch */
	struct iot_event trace; /* %trace, until it is known where time begins */
	char *trace_text;
	bool piped, source_open, begun, taken, started_anew, kept,
	    violated;            /* violated: --strict */
	bool out_anew;           /* the output appears when it is complete, under its name */
	int64_t flushed_ms;      /* of the monotonic clock */
	int64_t last_ns;         /* start of the last event written */
	struct iot_error damage; /* why the input ended early */
	uint64_t runs, spilled, written;
	struct iot_progress progress;
	uint64_t said_ns; /* when the source told how far it is; its thread's */
};

/*
 * Converts paths to the trace `out`; tells what went wrong, and warns of what could not be done.
 * The exit status. Of signals see signals.h.
 */
int iot_convert(struct iot_conversion *c, const struct iot_convert_options *o,
		const char *const *paths, size_t count, const char *out);
void iot_convert_free(struct iot_conversion *c);

/* --report: a file of JSON about what was done. */
struct iot_report_file {
	const char *path; /* NULL: nobody asks for it, and nothing is done */
	bool no_fsync;
	struct iot_out out;
	struct iot_json json;
};

/* The exit status. */
int iot_report_open(struct iot_report_file *f);
/* Whether work that came to this exit status has anything to be reported. */
bool iot_report_is_due(int status);
/* Dropped where nothing is. The exit status of it all. */
int iot_report_close(struct iot_report_file *f, int status);

/* iot_convert; then a line on stderr for everything that a user should know, and an object. */
int iot_convert_and_tell(const struct iot_convert_options *o, const char *const *paths,
			 size_t count, const char *out, struct iot_report_file *f);
/* Of the names that begin so. */
uint64_t iot_convert_sum(const struct iot_report *r, const char *prefix);

#endif
