/* SPDX-License-Identifier: BSD-2-Clause */
/* The buffer of lines: comments of any kind, framing around intervals, and flushes. */
#include "writer_internal.h"

#include <string.h>
#include <time.h>

#include "lib/format/framing.h"

int writer_refuse(struct iot_writer *w, const char *why)
{
	return error_set(&w->error, IOT_EUSAGE, "%s", why);
}

int writer_sink_failed(struct iot_writer *w)
{
	const struct error *e = byte_sink_error(w->sink);
	return error_set(&w->error, e->status, "%s", e->text);
}

int writer_out_of_memory(struct iot_writer *w)
{
	return error_no_memory(&w->error);
}

int writer_limit_reached(struct iot_writer *w)
{
	return error_set(&w->error, IOT_ELIMIT,
			 "the trace needs more memory than the limit of %llu bytes "
			 "(IOT_SET_LIMIT_MEMORY)",
			 (unsigned long long)w->set.memory_max);
}

int writer_memory_failed(struct iot_writer *w, int status)
{
	return status == IOT_ENOMEM ? writer_out_of_memory(w) : writer_limit_reached(w);
}

static void hash_buffer(struct iot_writer *w)
{
	if (w->set.framing)
		XXH3_64bits_update(w->hash, w->buffer + w->hashed, w->used - w->hashed);
	w->hashed = w->used;
}

int writer_empty_buffer(struct iot_writer *w)
{
	hash_buffer(w);
	if (w->used > 0 && byte_sink_write(w->sink, w->buffer, w->used) != IOT_OK)
		return writer_sink_failed(w);
	w->text_bytes += w->used;
	w->used = w->hashed = 0;
	return IOT_OK;
}

/* Writes a comment line unchanged; the caller has checked the limits. */
static int put_line(struct iot_writer *w, struct iot_text text)
{
	const char *mark = w->set.base == 16 ? "ff " : "255 ";
	size_t n = strlen(mark) - (text.size == 0);
	if (reserve_capacity(w, COMMENT_MAX) != IOT_OK)
		return w->error.status;
	memcpy(w->buffer + w->used, mark, n);
	w->used += n;
	if (text.size > 0)
		memcpy(w->buffer + w->used, text.data, text.size);
	w->used += text.size;
	w->buffer[w->used++] = '\n';
	return IOT_OK;
}

int writer_too_long(struct iot_writer *w)
{
	return writer_refuse(w, "a comment line would be longer than 65536 bytes");
}

int writer_put_comment(struct iot_writer *w, struct iot_text text, bool recognized)
{
	const size_t mark = w->set.base == 16 ? 3 : 4;
	ssize_t n = 0;
	if (recognized && text.size + mark <= IOT_COMMENT_MAX)
		n = directive_codec_encode_recognized(w->directives, text, w->set.tick_ns,
						      w->encoded);
	if (n == 0) {
		if (w->set.tick_ns != 1 && text.size > 0 && text.data[0] == '%')
			directive_to_ticks(&text, w->set.tick_ns, w->scratch);
		if (text.size + mark > IOT_COMMENT_MAX)
			return writer_too_long(w);
		if (w->directives != NULL)
			n = directive_codec_encode(w->directives, text, w->encoded);
	}
	if (n < 0)
		return writer_out_of_memory(w);
	if (n > 0)
		text = (struct iot_text){w->encoded, (size_t)n};
	return text.size + mark > IOT_COMMENT_MAX ? writer_too_long(w) : put_line(w, text);
}

int writer_put_text(struct iot_writer *w, struct iot_text text)
{
	return writer_put_comment(w, text, false);
}

int writer_put_header(struct iot_writer *w)
{
	char text[FRAMING_MAX];
	const struct header_directive h = {
	    .version = w->set.version, .tick_ns = w->set.tick_ns, .sync = w->set.sync};
	return put_line(w, (struct iot_text){text, framing_build_header(text, &h)});
}

int writer_put_sync(struct iot_writer *w)
{
	char text[FRAMING_MAX];
	if (writer_empty_buffer(w) != IOT_OK)
		return w->error.status;
	if (byte_sink_frame(w->sink) != IOT_OK)
		return writer_sink_failed(w);
	const struct sync_directive s = {.time = (uint64_t)codec_start(w->codec),
					 .record = w->records,
					 .hash = XXH3_64bits_digest(w->hash)};
	int status = put_line(w, (struct iot_text){text, framing_build_sync(text, &s)});
	XXH3_64bits_reset(w->hash);
	w->hashed = w->used;
	iot_codec_forget(w->codec);
	directive_codec_forget(w->directives);
	w->since_sync = w->operations_since_sync = 0;
	w->interval++;
	return status;
}

static int64_t now_ns(void)
{
	struct timespec t;
	if (clock_gettime(CLOCK_MONOTONIC_COARSE, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int writer_flush_interval(struct iot_writer *w)
{
	/* Encoded directives begin anew after a %sync: none for each sample. */
	if (w->set.framing && w->since_sync > 0 && writer_put_sync(w) != IOT_OK)
		return w->error.status;
	if (writer_empty_buffer(w) != IOT_OK)
		return w->error.status;
	if (byte_sink_flush(w->sink) != IOT_OK)
		return writer_sink_failed(w);
	w->since_flush = 0;
	if (w->set.flush_ns > 0)
		w->flushed_ns = now_ns();
	return IOT_OK;
}

int writer_flush_if_late(struct iot_writer *w)
{
	if (w->set.flush_ns == 0 || w->since_flush == 0 ||
	    (uint64_t)(now_ns() - w->flushed_ns) < w->set.flush_ns)
		return IOT_OK;
	return writer_flush_interval(w);
}

int writer_put_end(struct iot_writer *w)
{
	char text[FRAMING_MAX];
	hash_buffer(w);
	const struct end_directive e = {
	    .records = w->records, .comments = w->comments, .hash = XXH3_64bits_digest(w->hash)};
	return put_line(w, (struct iot_text){text, framing_build_end(text, &e)});
}
