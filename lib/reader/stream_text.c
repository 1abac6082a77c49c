/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reader on a stream: a writer turns each batch into text, which the decoder reads as it reads
 * any trace. So there is one implementation of definitions, facts and seeks, and its result cannot
 * differ from that for a file of these events. The cost is that of the codec, some tens of
 * nanoseconds per record.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/stream.h>

#include "lib/base/array.h"
#include "reader_internal.h"

struct text_of_stream {
	struct stream_text shared; /* first: the decoder has its address */
	struct iot_stream *stream;
	struct iot_batch *batch;
	struct iot_writer *writer;
	char *text;
	size_t size, next, capacity;
	bool ended;
};

static ssize_t append(void *context, const void *data, size_t size)
{
	struct text_of_stream *t = context;
	if (!array_reserve(&t->text, &t->capacity, t->size + size, 1)) {
		errno = ENOMEM;
		return -1;
	}
	memcpy(t->text + t->size, data, size);
	t->size += size;
	return (ssize_t)size;
}

static int fail(struct text_of_stream *t, int status, const char *sentence)
{
	return error_set(&t->shared.why, status, "%s",
			 sentence[0] != '\0' ? sentence : "out of memory");
}

/* Writes the next batch; flushes it, as the next one may come much later. */
static int write_batch(struct text_of_stream *t)
{
	const int got = iot_stream_next(t->stream, t->batch);
	int status = got;
	if (got < 0)
		return fail(t, got, iot_stream_error(t->stream));
	t->shared.done = t->batch->bytes_done;
	t->shared.total = t->batch->bytes_total;
	t->ended = got == 0;
	if (got == 0)
		status = iot_writer_close(t->writer);
	else if (t->batch->count > 0)
		status = iot_writer_events(t->writer, t->batch->events, t->batch->count);
	if (status >= IOT_OK && t->batch->count > 0)
		status = iot_writer_flush(t->writer);
	return status >= IOT_OK ? IOT_OK : fail(t, status, iot_writer_error(t->writer));
}

/* An iot_read_fn. */
static ssize_t read_text(void *context, void *buffer, size_t size)
{
	struct text_of_stream *t = context;
	if (t->next == t->size)
		t->next = t->size = 0;
	while (t->size == 0 && !t->ended && t->shared.why.status == IOT_OK)
		(void)write_batch(t);
	const size_t n = t->size - t->next < size ? t->size - t->next : size;
	if (n > 0)
		memcpy(buffer, t->text + t->next, n);
	t->next += n;
	if (n > 0 || t->ended)
		return (ssize_t)n;
	errno = EIO;
	return -1;
}

static void free_text(void *context)
{
	struct text_of_stream *t = context;
	iot_writer_free(t->writer);
	iot_batch_free(t->batch);
	iot_stream_free(t->stream);
	free(t->text);
	free(t);
}

/* No hash is needed: nothing can damage the text. */
static int open_writer(struct text_of_stream *t, const struct reader_settings *s)
{
	const uint64_t tick_ns = s->tick_given ? s->tick_ns : 1;
	int status = iot_writer_set(t->writer, IOT_SET_TICK_NS, tick_ns);
	if (status == IOT_OK)
		status = iot_writer_set(t->writer, IOT_SET_SYNC, 0);
	if (status == IOT_OK)
		status = iot_writer_set(t->writer, IOT_SET_UNDECLARED_DISKS, 1);
	if (status == IOT_OK)
		status = iot_writer_set(t->writer, IOT_SET_LIMIT_MEMORY, s->memory_max);
	return status == IOT_OK ? iot_writer_open_callback(t->writer, append, t, "stream") : status;
}

/* Takes over the stream in every case. Returns NULL if out of memory. */
static struct text_of_stream *new_text(struct iot_stream *stream, const struct reader_settings *s)
{
	struct text_of_stream *t = calloc(1, sizeof(*t));
	if (t == NULL) {
		iot_stream_free(stream);
		return NULL;
	}
	t->shared.done_with = free_text;
	t->stream = stream;
	t->batch = iot_batch_new(IOT_BATCH_EVENTS);
	t->writer = iot_writer_new();
	if (stream != NULL && t->batch != NULL && t->writer != NULL && open_writer(t, s) == IOT_OK)
		return t;
	free_text(t);
	return NULL;
}

static void use_text(struct reader_settings *s, struct text_of_stream *t)
{
	s->text = &t->shared;
	s->verify = s->verified = s->recover = s->tick_given = false;
	s->tick_ns = IOT_TICK_DEFAULT_NS;
	s->base = 0;
	s->threads = 1;
	s->allow_empty = true;
}

int iot_reader_open_stream(struct iot_reader *r, struct iot_stream *stream)
{
	struct decoder *d = &r->decoder;
	if (d->error.status != IOT_OK || d->bufreader != NULL) {
		iot_stream_free(stream);
		return reader_prepare(r, "stream");
	}
	struct text_of_stream *t = new_text(stream, &r->settings);
	if (t == NULL)
		return error_set(&d->error, IOT_ENOMEM, "out of memory");
	use_text(&r->settings, t);
	const int status = reader_prepare(r, "stream");
	if (d->bufreader == NULL) {
		r->settings.text = NULL;
		free_text(t);
		return status;
	}
	return reader_opened(r, bufreader_open_callback(d->bufreader, read_text, t));
}
