/* SPDX-License-Identifier: BSD-2-Clause */
/* Text output: to a file (temporary name, then rename) or stdout; the first error sticks. */
#ifndef CLI_UI_OUTPUT_H
#define CLI_UI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <iotrace/iotrace.h>

#include "cli/cmd.h"

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
 * path "-" is stdout; .gz and .zst compress. how: bits of lib/base/atomic_file.h. Returns EXIT_OK,
 * or EXIT_FAILED after a message.
 */
enum exit_status output_open(struct output *o, const char *path, unsigned how);
/* Writes the last bytes; reports an error, if any (not a closed pipe). Returns the exit status. */
enum exit_status output_close(struct output *o);
/* Discards the output; a file at the final path is left unchanged. */
void output_abandon(struct output *o);
/* Flushes the data written so far. */
void output_flush(struct output *o);

void output_spill(struct output *o);
void output_write(struct output *o, const void *data, size_t size);
void output_printf(struct output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes text for a column separated by tabs, as percent_encode_cell encodes it. */
void output_encoded(struct output *o, const char *text, size_t n);

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
 * Returns whether standard output is a pipe without a reader: there is none for a message either,
 * and `| head` is not an error.
 */
bool output_is_unread(void);
bool output_has_suffix(const char *path, const char *suffix);
/* Returns the compression that the suffix of a path selects. */
enum iot_compression output_compression(const char *path);

#endif
