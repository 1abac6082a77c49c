/* SPDX-License-Identifier: BSD-2-Clause */
/* The handle of a stream, and its end: a writer. */
#include <assert.h>
#include <stdlib.h>

#include <iotrace/stream.h>

#include "lib/base/error.h"

struct iot_stream {
	const struct iot_stage *stage;
	void *context;
	struct iot_stream *upstream;
	bool over;  /* the last batch was delivered */
	int status; /* after that: the result of every call */
	struct error error;
};

struct iot_stream *iot_stream_new(struct iot_stream *upstream, const struct iot_stage *stage,
				  void *context)
{
	struct iot_stream *s = calloc(1, sizeof(*s));
	if (s == NULL) {
		if (stage->close != NULL)
			stage->close(context);
		iot_stream_free(upstream);
		return NULL;
	}
	s->stage = stage;
	s->context = context;
	s->upstream = upstream;
	return s;
}

void iot_stream_free(struct iot_stream *s)
{
	while (s != NULL) {
		struct iot_stream *upstream = s->upstream;
		if (s->stage->close != NULL)
			s->stage->close(s->context);
		free(s);
		s = upstream;
	}
}

struct iot_stream *iot_stream_upstream(struct iot_stream *s)
{
	return s->upstream;
}

int iot_stream_next(struct iot_stream *s, struct iot_batch *b)
{
	b->count = 0;
	if (s->over)
		return s->status;
	b->watermark_ns = INT64_MIN;
	b->bytes_done = b->bytes_total = 0;
	const int status = s->stage->next(s->context, s, b);
	assert(status <= 0 || b->count <= b->capacity);
	s->over = status <= 0;
	s->status = status;
	if (s->over)
		b->count = 0;
	return status;
}

int iot_stream_fail(struct iot_stream *self, int status, const char *sentence)
{
	return error_set(&self->error, status, "%s", sentence);
}

const char *iot_stream_error(const struct iot_stream *s)
{
	/* a stream that is not over may be running on a thread, or keep events before the error */
	while (s->error.status == IOT_OK && s->over && s->upstream != NULL)
		s = s->upstream;
	return s->error.text;
}

int iot_stream_write(struct iot_stream *s, struct iot_writer *w)
{
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	if (b == NULL)
		return IOT_ENOMEM;
	int status = IOT_OK, got;
	while (status == IOT_OK && (got = iot_stream_next(s, b)) != 0)
		status = got > 0 ? iot_writer_events(w, b->events, b->count) : got;
	iot_batch_free(b);
	return status;
}
