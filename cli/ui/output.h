/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the commands say and write: messages and progress on stderr, checked streams for data, JSON,
 * and the options that are the same wherever a trace is written.
 */
#ifndef CLI_UI_OUTPUT_H
#define CLI_UI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <iotrace/iotrace.h>

#include "cli/cmd.h"
#include "options.h"

/* Messages: one line on stderr, "iotrace: " before it. Foreign text goes through iot_escape. */
void iot_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "PATH: what". Returns IOT_EXIT_FAULT, as the next one does. */
int iot_fault(const char *path, const char *what);
int iot_no_memory(void);

/* "512 B", "1.50 MiB", "23.4 GiB"; returns text. */
const char *iot_people_bytes(char *text, size_t room, uint64_t bytes);
/* "at least 4", or "not known": what is behind "records lost"; returns text. */
const char *iot_people_lost(char *text, size_t room, uint64_t records);

/* Progress: one line on standard error, updated at most six times a second. */

struct iot_progress {
	bool on;
	bool shown;          /* the line is there now */
	uint64_t started_ns; /* of the monotonic clock */
	uint64_t last_ns;
};

enum { IOT_PROGRESS_AUTO, IOT_PROGRESS_ALWAYS, IOT_PROGRESS_NEVER };

/*
 * how: IOT_PROGRESS_.... AUTO shows the line if standard error is a terminal, the command is not
 * quiet, and its data does not go to a terminal; out: where it goes, NULL: nowhere meanwhile.
 */
void iot_progress_begin(struct iot_progress *p, int how, bool quiet, const char *out);
/* Cheap when called often. done of total bytes (total 0: not known), and records so far. */
void iot_progress_show(struct iot_progress *p, uint64_t done, uint64_t total, uint64_t records);
/* The same after all has been read: records written of all. */
void iot_progress_show_written(struct iot_progress *p, uint64_t records, uint64_t all);
/* For callers that pay to learn what they show: whether *last_ns is long enough ago; it becomes now. */
bool iot_progress_due(const struct iot_progress *p, uint64_t *last_ns);
/* Takes the line away: before any message, and at the end. */
void iot_progress_clear(struct iot_progress *p);

/* Streams: text out, to a file (temporary name, then rename) or stdout; the first error sticks. */

struct iot_sink;

enum { IOT_OUT_SIZE = 1 << 18 };

struct iot_out {
	struct iot_sink *sink;
	char *data; /* IOT_OUT_SIZE bytes */
	size_t used;
	bool standard; /* stdout */
	int status;    /* enum iot_status */
};

/*
 * path "-" is stdout; .gz and .zst compress. how: bits of lib/outfile.h. IOT_EXIT_OK, or
 * IOT_EXIT_FAULT: it was told.
 */
int iot_out_open(struct iot_out *o, const char *path, unsigned how);
/* The last bytes; tells what went wrong, if anything did (not a closed pipe). The exit status. */
int iot_out_close(struct iot_out *o);
/* Drops what was written; a file at the final path is left as it was. */
void iot_out_abandon(struct iot_out *o);
/* Sends what has been written so far on its way. */
void iot_out_flush(struct iot_out *o);

void iot_out_spill(struct iot_out *o);
void iot_out_write(struct iot_out *o, const void *data, size_t size);
void iot_out_printf(struct iot_out *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void iot_out_text(struct iot_out *o, const char *text)
{
	iot_out_write(o, text, strlen(text));
}

/* Room for n bytes (<= 64 KiB); the caller says afterwards where it stopped. */
static inline char *iot_out_room(struct iot_out *o, size_t n)
{
	if (IOT_OUT_SIZE - o->used < n)
		iot_out_spill(o);
	return o->data + o->used;
}

static inline void iot_out_took(struct iot_out *o, const char *end)
{
	o->used = (size_t)(end - o->data);
}

/*
 * JSON. Bytes that are not UTF-8 are written as \u00XX, as if they were Latin-1: every reader takes
 * that. pretty: one member a line, indented; else all on one line.
 */
struct iot_json {
	struct iot_out *out;
	bool pretty, comma;
	unsigned depth;
};

/* key NULL: an element of an array, or the top. */
void iot_json_open(struct iot_json *j, const char *key, char bracket); /* '{' or '[' */
void iot_json_close(struct iot_json *j, char bracket);                 /* '}' or ']' */
void iot_json_text(struct iot_json *j, const char *key, const char *text, size_t n);
void iot_json_number(struct iot_json *j, const char *key, uint64_t value);
void iot_json_signed(struct iot_json *j, const char *key, int64_t value);
void iot_json_null(struct iot_json *j, const char *key);
/* The number, or null if it is not known. */
void iot_json_known(struct iot_json *j, const char *key, bool known, uint64_t value);
void iot_json_real(struct iot_json *j, const char *key, double value); /* six digits behind '.' */
void iot_json_bool(struct iot_json *j, const char *key, bool value);
void iot_json_string(struct iot_out *o, const char *text, size_t n); /* with its quotes */

/* Traces out: the options that mean the same in every command that writes one. */

struct iot_write_options {
	const char *path; /* "-" */
	uint64_t level, threads;
	uint64_t tick_ns, base, sync; /* IOT_NOT_GIVEN, or what was asked for */
	bool bare, framed, no_fsync;
	int compression; /* enum iot_compression; -1: by the path's suffix */
};

#define IOT_NOT_GIVEN UINT64_MAX

#define IOT_WRITE_OPTIONS_INIT                                                                     \
	{                                                                                          \
		.path = "-", .tick_ns = IOT_NOT_GIVEN, .base = IOT_NOT_GIVEN,                      \
		.sync = IOT_NOT_GIVEN, .compression = -1,                                          \
	}

enum { IOT_MEMORY_DEFAULT = 256 << 20 };

/* Elements of an array of options, for a struct iot_write_options w. */
/* clang-format off */
#define IOT_OPT_OUTPUT(w)                                                                          \
	IOT_OPTION(STRING, 'o', "output", "OUT", &(w).path,                                        \
		   "write to OUT; .gz and .zst compress (default: standard output)")
#define IOT_OPT_TICK(w, default_)                                                                  \
	IOT_CALL("tick", "NS|us|ms", &(w).tick_ns,                                                 \
		 "what a tick stands for (default: " default_ ")", iot_opt_tick)
#define IOT_OPT_BASE(w)                                                                            \
	IOT_CALL("base", "16|10", &(w).base, "base of the numbers (default: 16)", iot_opt_base)
#define IOT_OPT_BASE_OF_IN(w)                                                                      \
	IOT_CALL("base", "16|10", &(w).base, "base of the numbers (default: that of IN)",          \
		 iot_opt_base)
#define IOT_OPT_WRITING(w)                                                                         \
	IOT_OPTION(CHOICE, 0, "compress", "plain|gzip|zstd", &(w).compression,                     \
		   "compress so, whatever the name of OUT says"),                                  \
	IOT_RANGE(NUMBER, 0, "level", "N", &(w).level,                                             \
		  "compression level: gzip 1 to 9 (default: 6), zstd 1 to 19 (1)", 1, 19),         \
	IOT_RANGE(NUMBER, 0, "threads", "N", &(w).threads,                                         \
		  "threads that compress beside this one (zstd)", 0, 256),                         \
	IOT_OPTION(FLAG, 0, "bare", NULL, &(w).bare,                                               \
		   "records and comments alone, without %iotrace, %sync and %end"),                \
	IOT_OPTION(NUMBER, 0, "sync", "N", &(w).sync, "a %sync after every N records (0: none)"),  \
	IOT_OPT_NO_FSYNC((w).no_fsync)
#define IOT_OPT_NO_FSYNC(target)                                                                   \
	IOT_OPTION(FLAG, 0, "no-fsync", NULL, &(target),                                           \
		   "do not wait until files are on the disk")
#define IOT_OPT_MEMORY(target)                                                                     \
	IOT_RANGE(SIZE, 0, "memory", "SIZE", target,                                               \
		  "for sorting; beyond it temporary files are used (default: 256M)", 1 << 16, 0)
#define IOT_OPT_QUIET(quiet, progress)                                                             \
	IOT_OPTION(FLAG, 'q', "quiet", NULL, &(quiet), "no progress, no warnings"),                \
	IOT_OPTION(CHOICE, 0, "progress", "auto|always|never", &(progress),                         \
		   "show the progress on standard error (default: auto, on a terminal)")
/* clang-format on */

/* "16" or "10" into the uint64_t target. */
iot_opt_fn iot_opt_base;
/* Nanoseconds, or ns, us, ms, into the uint64_t target. */
iot_opt_fn iot_opt_tick;

/*
 * Checks what was asked for, sets it and opens the writer. Settings that are IOT_NOT_GIVEN are left
 * alone. Refuses compressed data to a terminal. IOT_EXIT_OK, or the exit status: it was told.
 */
int iot_write_open(struct iot_writer *w, const struct iot_write_options *o,
		   const struct iot_command *cmd);
/* IOT_OPTS_GO_ON, or the exit status: the name promises a compression that is not made. */
int iot_refuse_suffix(const struct iot_command *cmd, const char *path);
/* iot_writer_close; a signal meanwhile does not end the process. */
int iot_write_close(struct iot_writer *w);
/* Says that the output ends where a signal ended the input. */
void iot_tell_cut(const char *path);
/* Tells why a writer failed, unless its standard output is a pipe that nobody reads any more. */
int iot_write_fault(const struct iot_writer *w, const struct iot_write_options *o);

/* The directory of --output-dir; one that is there will do. The exit status: a failure was told. */
int iot_make_folder(const char *path);

#endif
