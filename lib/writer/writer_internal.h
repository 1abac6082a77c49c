/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writer: records from the codec in a buffer, comments between them, framing around them.
 *
 * A record is encoded first; if it is the first use of a process or file in its interval, the
 * directives that are due are inserted before its line. That is possible because comments change no
 * codec state. A %sync is written only when an event follows it, never directly before %end, so
 * that the same events always produce the same bytes.
 *
 *	lines.c     the buffer: comments of any kind, framing, and flushes
 *	comments.c  comments of a caller
 *	records.c   records, and the directives that are due before them
 *	writer.c    the handle
 */
#ifndef LIB_WRITER_WRITER_INTERNAL_H
#define LIB_WRITER_WRITER_INTERNAL_H

#include <xxhash.h>

#include "lib/base/byte_sink.h"
#include "lib/base/error.h"
#include "lib/codec/codec.h"
#include "lib/format/definitions.h"
#include "lib/format/directive_codec.h"

enum {
	BUFFER_SIZE = 256 * 1024,
	COMMENT_MAX = IOT_COMMENT_MAX + 8, /* a comment line with either mark */
};

struct writer_settings {
	bool framing, compression_given, no_fsync, undeclared_disks, in_place, is_new, no_index;
	enum iot_compression compression;
	uint64_t level, threads, tick_ns, base, memory_max, sync, version;
	uint64_t flush, flush_ns; /* between flushes; 0: no limit */
};

struct iot_writer {
	struct error error;
	struct writer_settings set;
	bool open, closed;

	struct byte_sink *sink;
	struct iot_codec *codec;
	size_t codec_size;
	struct directive_codec *directives; /* NULL: they are written in full */
	struct definitions names;
	XXH3_state_t *hash;
	char *buffer; /* BUFFER_SIZE bytes */
	size_t used;
	size_t hashed; /* bytes of the buffer that are in the hash, or need not be */
	char *scratch; /* for texts with their times in ticks, or a %file under construction */
	char *encoded; /* for an encoded directive */

	uint64_t since_flush; /* events since the last flush */
	int64_t flushed_ns;
	uint32_t interval;              /* number of %syncs so far */
	uint64_t since_sync;            /* records */
	uint64_t operations_since_sync; /* and other comments, without names */
	uint64_t records, comments, text_bytes;
};

/* Errors; each returns the status. */

/* Errors; each returns the status. */
int writer_refuse(struct iot_writer *w, const char *why);
int writer_too_long(struct iot_writer *w);
int writer_sink_failed(struct iot_writer *w);
int writer_out_of_memory(struct iot_writer *w);
int writer_limit_reached(struct iot_writer *w);
int writer_memory_failed(struct iot_writer *w, int status);

int writer_empty_buffer(struct iot_writer *w);

/*
 * Writes a comment whose times are in nanoseconds; `recognized`: the codec of directives recognized
 * it.
 */
int writer_put_comment(struct iot_writer *w, struct iot_text text, bool recognized);
int writer_put_text(struct iot_writer *w, struct iot_text text);

int writer_put_header(struct iot_writer *w);
int writer_put_sync(struct iot_writer *w);
int writer_put_end(struct iot_writer *w);

/*
 * Writes no %sync if no record has been written since the last one: two with the same record= would
 * be damage.
 */
int writer_flush_interval(struct iot_writer *w);

/* Called after the events of a caller have been written. */
int writer_flush_if_late(struct iot_writer *w);

/* The meaning of an event is taken only from its text, because that is what readers will see. */
int writer_comment(struct iot_writer *w, const struct iot_event *given);

/* Returns IOT_OK while events may be written; otherwise the error. */
static inline int check_open(struct iot_writer *w)
{
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (!w->open || w->closed)
		return writer_refuse(w,
				     w->closed ? "the writer is closed" : "the writer is not open");
	return IOT_OK;
}

static inline int reserve_capacity(struct iot_writer *w, size_t n)
{
	return n <= BUFFER_SIZE - w->used ? IOT_OK : writer_empty_buffer(w);
}

static inline int sync_if_due(struct iot_writer *w)
{
	const uint64_t n = w->set.sync, max = n > IOT_SYNC_DEFAULT ? n : IOT_SYNC_DEFAULT;
	const bool due = w->since_sync == n || w->operations_since_sync >= max;
	return n > 0 && due ? writer_put_sync(w) : IOT_OK;
}

static inline int flush_if_full(struct iot_writer *w)
{
	return w->set.flush > 0 && w->since_flush >= w->set.flush ? writer_flush_interval(w)
								  : IOT_OK;
}

#endif
