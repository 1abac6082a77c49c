/* SPDX-License-Identifier: BSD-2-Clause */
/* Output traces: a writer, and the options of all commands that write a trace. */
#ifndef CLI_UI_TRACE_OUT_H
#define CLI_UI_TRACE_OUT_H

#include <iotrace/filter.h>

#include "message.h"
#include "options.h"
#include "progress.h"

struct trace_out_options {
	const char *path; /* "-" */
	uint64_t level, threads;
	uint64_t tick_ns, base, sync, version; /* NOT_GIVEN, or the requested value */
	bool bare, framed, no_fsync, no_index;
	int compression; /* enum iot_compression; -1: by the path's suffix */
};

#define TRACE_OUT_OPTIONS_INIT                                                                     \
	{                                                                                          \
		.path = "-", .tick_ns = NOT_GIVEN, .base = NOT_GIVEN, .sync = NOT_GIVEN,           \
		.version = NOT_GIVEN, .compression = -1,                                           \
	}

enum { MEMORY_DEFAULT = 256 << 20 };

/* Elements of an array of options, for a struct trace_out_options w. */
/* clang-format off */
#define OPTION_OUTPUT(w)                                                                          \
	OPTION(STRING, 'o', "output", "OUT", &(w).path,                                        \
		   "write to OUT; .gz and .zst compress (default: standard output)")
#define OPTION_TICK(w, default_)                                                                  \
	CALL("tick", "NS|us|ms", &(w).tick_ns,                                                 \
		 "tick length (default: " default_ ")", option_tick)
#define OPTION_BASE(w)                                                                            \
	CALL("base", "16|10", &(w).base, "base of the numbers (default: 16)", option_base)
#define OPTION_BASE_OF_IN(w)                                                                      \
	CALL("base", "16|10", &(w).base, "base of the numbers (default: as IN)",          \
		 option_base)
#define OPTION_WRITING(w)                                                                         \
	OPTION(CHOICE, 0, "compress", "plain|gzip|zstd", &(w).compression,                     \
		   "compress so, whatever the name of OUT says"),                                  \
	RANGE(NUMBER, 0, "level", "N", &(w).level,                                             \
		  "compression level: gzip 1 to 9 (default: 6), zstd 1 to 19 (1)", 1, 19),         \
	RANGE(NUMBER, 0, "threads", "N", &(w).threads,                                         \
		  "additional compression threads (zstd)", 0, 256),                         \
	OPTION(FLAG, 0, "bare", NULL, &(w).bare,                                               \
		   "records and comments alone, without %iotrace, %sync and %end"),                \
	OPTION(NUMBER, 0, "sync", "N", &(w).sync, "a %sync after every N records (0: none)"),  \
	RANGE(NUMBER, 0, "format-version", "N", &(w).version,                                   \
		  "version of the format: 1, or 2 with encoded directives", 1, 2),                \
	OPTION(FLAG, 0, "no-index", NULL, &(w).no_index,                                       \
		   "write no seek table at the end of .zst"),                                   \
	OPTION_NO_FSYNC((w).no_fsync)
#define OPTION_NO_FSYNC(target)                                                                   \
	OPTION(FLAG, 0, "no-fsync", NULL, &(target),                                           \
		   "do not wait until files are on the disk")
#define OPTION_MEMORY(target)                                                                     \
	RANGE(SIZE, 0, "memory", "SIZE", target,                                               \
		  "for sorting; beyond it temporary files are used (default: 256M)", 1 << 16, 0)
/* clang-format on */

/* Reports the tick of a bare output, which does not state it, unless it is the default. */
void trace_out_note_bare(const struct trace_out_options *o);
/*
 * Checks the options, sets them and opens the writer. Options that are NOT_GIVEN are left at their
 * defaults. Rejects compressed data to a terminal. Returns EXIT_OK, or the exit status after a
 * message.
 */
enum exit_status trace_out_open(struct iot_writer *w, const struct trace_out_options *o,
				const struct command_spec *cmd);
/* Returns EXIT_OK, or the exit status if the suffix promises an unsupported compression. */
enum exit_status trace_out_check_suffix(const struct command_spec *cmd, const char *path);
/* Calls iot_writer_close, during which a signal does not end the process. */
int trace_out_close(struct iot_writer *w);
/* Records that a signal ended the input at the end of the output. */
void trace_out_report_cut(const char *path);
/* Prints that a signal has interrupted the command, which has not written its output. */
void trace_out_report_discarded(const char *path);
/*
 * Counts the times that w rounds down from here on, if `wanted`; prints a message if there are any.
 */
struct iot_rounding trace_out_rounding(const struct iot_writer *w, bool wanted);
void trace_out_report_rounding(const struct iot_rounding *r);
/* Reports why a writer failed, unless its standard output is a closed pipe. */
enum exit_status trace_out_error(const struct iot_writer *w, const struct trace_out_options *o);

/*
 * Creates the directory of --output-dir, unless it exists. Returns the exit status after a message.
 */
enum exit_status trace_out_make_directory(const char *path);

/* The last component of a path; "stdin" of "-". */
struct iot_text trace_out_name_part(const char *path);
/* Returns DIR/IN.iot.zst, or with the suffix of o's compression; NULL if out of memory. */
char *trace_out_name(const struct trace_out_options *o, const char *directory, const char *path);

#endif
