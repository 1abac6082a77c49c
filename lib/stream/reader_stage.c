/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a reader as a stream. */
#include <iotrace/stream.h>

static int read_events(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct iot_reader *r = context;
	const ssize_t n = iot_reader_events(r, b->events, b->capacity);
	if (n < 0)
		return iot_stream_fail(self, (int)n, iot_reader_error(r));
	b->count = (size_t)n;
	(void)iot_reader_progress(r, &b->bytes_done, &b->bytes_total);
	return n > 0;
}

struct iot_stream *iot_stream_of_reader(struct iot_reader *r)
{
	static const struct iot_stage stage = {.next = read_events};
	return iot_stream_new(NULL, &stage, r);
}
