/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of the writer: the handle, and the lines that begin and end a trace.
 *
 * writer.c creates, configures, opens, closes and queries a handle; writer_text.c produces the
 * text.
 */
#ifndef LIB_WRITER_WRITER_INTERNAL_H
#define LIB_WRITER_WRITER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

#include "lib/base/error.h"
#include "lib/format/definitions.h"
#include "lib/io/byte_sink.h"

enum {
	WRITER_BUFFER = 256 * 1024,
	WRITER_COMMENT_MAX = IOT_COMMENT_MAX + 8, /* a comment line with either mark */
	FLAGS_CAPACITY = 64,                      /* all keys of %file with the value "unknown" */
};

struct iot_writer {
	struct error error;
	bool framing, open, closed, reported_compression, no_fsync, undeclared_disks, in_place;
	enum iot_compression compression;
	uint64_t level, threads, tick_ns, base, memory_max;

	struct byte_sink *sink;
	struct iot_codec *codec;
	size_t codec_size;
	struct definitions names;
	XXH3_state_t *hash;
	char *buffer; /* WRITER_BUFFER bytes */
	size_t used;
	size_t hashed; /* bytes of the buffer that are in the hash, or need not be */
	char *scratch; /* for texts with their times in ticks, or a %file under construction */

	uint64_t flush, flush_ns; /* between flushes; 0: no limit */
	uint64_t since_flush;     /* events since the last flush */
	int64_t flushed_ns;
	uint32_t interval; /* number of %syncs so far */
	uint64_t sync, since_sync;
	uint64_t records, comments, text_bytes;
};

/* Set an error and return its status. */
int writer_refuse(struct iot_writer *w, const char *why);
int writer_sink_failed(struct iot_writer *w);
int writer_memory_failed(struct iot_writer *w, int status);

/* Returns IOT_OK while events may be written; otherwise the error. */
int writer_ready(struct iot_writer *w);
/* Passes the buffer to the sink. */
int writer_empty_buffer(struct iot_writer *w);
/*
 * Returns whether the trace is flushed regularly, with a %sync each time so that a reader can
 * verify the flushed part.
 */
static inline bool writer_is_live(const struct iot_writer *w)
{
	return w->in_place || w->flush > 0 || w->flush_ns > 0;
}
/* Ends the current interval, unless it is empty, and passes all text to the destination. */
int writer_flush_interval(struct iot_writer *w);
int writer_put_header(struct iot_writer *w);
int writer_put_end(struct iot_writer *w);

#endif
