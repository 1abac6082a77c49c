/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the writer share: the handle, and the lines that open and close a trace.
 *
 * writer.c makes, sets, opens, closes and asks a handle; writer_text.c makes the text.
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
	WRITER_COMMENT_MAX = IOT_COMMENT_MAX + 8, /* a comment line, whatever its mark */
	FLAGS_CAPACITY = 64,                      /* all keys of %file that are =unknown */
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
	char *scratch; /* for texts with their times in ticks; a %file being built */

	uint64_t flush, flush_ns; /* between flushes; 0: no limit */
	uint64_t since_flush;     /* events */
	int64_t flushed_ns;
	uint32_t interval; /* counts %syncs */
	uint64_t sync, since_sync;
	uint64_t records, comments, text_bytes;
};

/* Ways to fail: all return the status. */
int writer_refuse(struct iot_writer *w, const char *why);
int writer_sink_failed(struct iot_writer *w);
int writer_memory_failed(struct iot_writer *w, int status);

/* IOT_OK while events may be written; else why not. */
int writer_ready(struct iot_writer *w);
/* Hands the buffer to the sink. */
int writer_empty_buffer(struct iot_writer *w);
/* Whether the trace is flushed regularly, and so that a reader can verify what it gets. */
static inline bool writer_is_live(const struct iot_writer *w)
{
	return w->in_place || w->flush > 0 || w->flush_ns > 0;
}
/* Ends an interval, if there is anything in it, and sends all text to its destination. */
int writer_flush_interval(struct iot_writer *w);
int writer_put_header(struct iot_writer *w);
int writer_put_end(struct iot_writer *w);

#endif
