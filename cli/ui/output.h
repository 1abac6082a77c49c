/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output of the commands: messages and progress on stderr, checked streams for data, JSON, and the
 * options of all commands that write a trace.
 */
#ifndef CLI_UI_OUTPUT_H
#define CLI_UI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <iotrace/filter.h>

#include "cli/cmd.h"
#include "options.h"

/* Messages: one line on stderr, preceded by "iotrace: ". Escape foreign text with escape_text. */
void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "PATH: text"; escapes the path. */
void print_message_about(const char *path, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "PATH: what". Returns EXIT_FAULT, as does the next one. */
int report_error(const char *path, const char *what);
int out_of_memory(void);

/* "512 B", "1.50 MiB", "23.4 GiB"; returns text. */
const char *format_size(char *text, size_t capacity, uint64_t bytes);
/* "at least 4", or "not known": the value of "records lost"; returns text. */
const char *format_lost(char *text, size_t capacity, uint64_t records);

/* Progress: one line on standard error, updated up to six times a second. */

struct progress {
	bool on;
	bool shown;          /* the line is visible */
	uint64_t started_ns; /* of the monotonic clock */
	uint64_t last_ns;
};

enum { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/*
 * how: PROGRESS_.... AUTO shows the line if standard error is a terminal, the command is not quiet,
 * and its data does not go to a terminal; out: the destination of the data, or NULL.
 */
void progress_begin(struct progress *p, int how, bool quiet, const char *out);
/* Cheap if called often. done of total bytes (total 0: unknown), and records so far. */
void progress_show(struct progress *p, uint64_t done, uint64_t total, uint64_t records);
/* The same after the input has been read: records written of all. */
void progress_show_written(struct progress *p, uint64_t records, uint64_t all);
/* For callers with expensive values: whether *last_ns is long enough ago; it becomes now. */
bool progress_due(const struct progress *p, uint64_t *last_ns);
/* Erases the line: before any message, and at the end. */
void progress_clear(struct progress *p);

/* Streams: text out, to a file (temporary name, then rename) or stdout; the first error sticks. */

struct byte_sink;

enum { OUTPUT_SIZE = 1 << 18 };

struct output {
	struct byte_sink *sink;
	char *data; /* OUTPUT_SIZE bytes */
	size_t used;
	bool standard; /* stdout */
	int status;    /* enum iot_status */
};

/*
 * path "-" is stdout; .gz and .zst compress. how: bits of lib/io/atomic_file.h. Returns EXIT_OK, or
 * EXIT_FAULT after a message.
 */
int output_open(struct output *o, const char *path, unsigned how);
/* Writes the last bytes; reports an error, if any (not a closed pipe). Returns the exit status. */
int output_close(struct output *o);
/* Discards the output; a file at the final path is left unchanged. */
void output_abandon(struct output *o);
/* Flushes the data written so far. */
void output_flush(struct output *o);

void output_spill(struct output *o);
void output_write(struct output *o, const void *data, size_t size);
void output_printf(struct output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline void output_text(struct output *o, const char *text)
{
	output_write(o, text, strlen(text));
}

/* Reserves n bytes (<= 64 KiB); the caller then passes the end of the data. */
static inline char *output_reserve(struct output *o, size_t n)
{
	if (OUTPUT_SIZE - o->used < n)
		output_spill(o);
	return o->data + o->used;
}

static inline void output_took(struct output *o, const char *end)
{
	o->used = (size_t)(end - o->data);
}

/*
 * JSON. Bytes that are not UTF-8 are written as \u00XX, as if they were Latin-1, which every reader
 * accepts. pretty: one member per line, indented; otherwise all on one line.
 */
struct json {
	struct output *out;
	bool pretty, comma;
	unsigned depth;
};

/* key NULL: an element of an array, or the top level. */
void json_open(struct json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *j, char bracket);                 /* '}' or ']' */
void json_text(struct json *j, const char *key, const char *text, size_t n);
void json_number(struct json *j, const char *key, uint64_t value);
void json_signed(struct json *j, const char *key, int64_t value);
void json_null(struct json *j, const char *key);
/* The number, or null if it is unknown. */
void json_known(struct json *j, const char *key, bool known, uint64_t value);
void json_real(struct json *j, const char *key, double value); /* six decimals */
void json_bool(struct json *j, const char *key, bool value);
void json_string(struct output *o, const char *text, size_t n); /* with its quotes */

/* Output traces: the options of every command that writes a trace. */

struct write_options {
	const char *path; /* "-" */
	uint64_t level, threads;
	uint64_t tick_ns, base, sync; /* NOT_GIVEN, or the requested value */
	bool bare, framed, no_fsync;
	int compression; /* enum iot_compression; -1: by the path's suffix */
};

#define NOT_GIVEN UINT64_MAX

#define WRITE_OPTIONS_INIT                                                                         \
	{                                                                                          \
		.path = "-", .tick_ns = NOT_GIVEN, .base = NOT_GIVEN, .sync = NOT_GIVEN,           \
		.compression = -1,                                                                 \
	}

enum { MEMORY_DEFAULT = 256 << 20 };

/* Elements of an array of options, for a struct write_options w. */
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
	CALL("base", "16|10", &(w).base, "base of the numbers (default: that of IN)",          \
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
	OPTION_NO_FSYNC((w).no_fsync)
#define OPTION_NO_FSYNC(target)                                                                   \
	OPTION(FLAG, 0, "no-fsync", NULL, &(target),                                           \
		   "do not wait until files are on the disk")
#define OPTION_MEMORY(target)                                                                     \
	RANGE(SIZE, 0, "memory", "SIZE", target,                                               \
		  "for sorting; beyond it temporary files are used (default: 256M)", 1 << 16, 0)
#define OPTION_QUIET(quiet, progress)                                                             \
	OPTION(FLAG, 'q', "quiet", NULL, &(quiet), "no progress, no warnings"),                \
	OPTION(CHOICE, 0, "progress", "auto|always|never", &(progress),                         \
		   "show the progress on standard error (default: auto, on a terminal)")
/* clang-format on */

/* Parses "16" or "10" into the uint64_t target. */
option_fn option_base;
/* Parses nanoseconds, or ns, us, ms, into the uint64_t target. */
option_fn option_tick;

/*
 * Checks the options, sets them and opens the writer. Options that are NOT_GIVEN are left at their
 * defaults. Rejects compressed data to a terminal. Returns EXIT_OK, or the exit status after a
 * message.
 */
int write_open(struct iot_writer *w, const struct write_options *o, const struct command_spec *cmd);
/* Returns EXIT_OK, or the exit status if the suffix promises an unsupported compression. */
int refuse_suffix(const struct command_spec *cmd, const char *path);
/* Calls iot_writer_close, during which a signal does not end the process. */
int write_close(struct iot_writer *w);
/* Records that a signal ended the input at the end of the output. */
void report_input_cut(const char *path);
/*
 * Counts the times that w rounds down from here on, if `wanted`; prints a message if there are any.
 */
struct iot_rounding rounding_begin(const struct iot_writer *w, bool wanted);
void rounding_report(const struct iot_rounding *r);
/* Reports why a writer failed, unless its standard output is a closed pipe. */
int report_write_error(const struct iot_writer *w, const struct write_options *o);

/*
 * Creates the directory of --output-dir, unless it exists. Returns the exit status after a message.
 */
int make_output_directory(const char *path);

#endif
