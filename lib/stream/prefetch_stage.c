/* SPDX-License-Identifier: BSD-2-Clause */
/* A stage whose upstream runs on a thread. */
#include <stdlib.h>

#include "batch.h"
#include "lib/base/thread.h"
#include "lib/base/prefetch.h"

enum { SLOTS = 8 };

struct prefetch_stage {
	struct iot_stream *upstream;
	struct prefetch *ring; /* NULL: not started */
	struct iot_batch *batch[SLOTS];
};

static ssize_t fill(void *context, size_t slot)
{
	struct prefetch_stage *p = context;
	const int status = iot_stream_next(p->upstream, p->batch[slot]);
	return status > 0 && iot_batch_keep_text(p->batch[slot]) != IOT_OK ? IOT_ENOMEM : status;
}

static bool start(struct prefetch_stage *p)
{
	for (size_t i = 0; i < SLOTS; i++)
		if ((p->batch[i] = iot_batch_new(IOT_BATCH_EVENTS)) == NULL)
			return false;
	p->ring = prefetch_new(fill, p, SLOTS, true);
	return p->ring != NULL;
}

static void stop(struct prefetch_stage *p)
{
	prefetch_free(p->ring);
	p->ring = NULL;
	for (size_t i = 0; i < SLOTS; i++) {
		iot_batch_free(p->batch[i]);
		p->batch[i] = NULL;
	}
}

/* The memory of the ring is free for later stages when the upstream has ended. */
static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct prefetch_stage *p = context;
	size_t slot;
	if (p->ring == NULL) {
		const int status = iot_stream_next(p->upstream, b);
		return status > 0 && (iot_batch_keep_text(b) != IOT_OK || !start(p))
			   ? iot_stream_fail(self, IOT_ENOMEM, "out of memory")
			   : status;
	}
	const int status = (int)prefetch_next(p->ring, &slot);
	if (status > 0)
		batch_swap(b, p->batch[slot]);
	else
		stop(p);
	if (status == IOT_ENOMEM && iot_stream_error(p->upstream)[0] == '\0')
		return iot_stream_fail(self, status, "out of memory");
	return status;
}

static void close_stage(void *context)
{
	stop(context);
	free(context);
}

static struct iot_stream *add_stage(struct iot_stream *upstream, bool now)
{
	static const struct iot_stage stage = {.next = next, .close = close_stage};
	if (upstream == NULL || cpu_count() == 1)
		return upstream;
	struct prefetch_stage *p = calloc(1, sizeof(*p));
	if (p != NULL) {
		p->upstream = upstream;
		if (!now || start(p))
			return iot_stream_new(upstream, &stage, p);
		close_stage(p);
	}
	iot_stream_free(upstream);
	return NULL;
}

struct iot_stream *iot_stream_prefetch(struct iot_stream *upstream)
{
	return add_stage(upstream, true);
}

struct iot_stream *stream_prefetch_rest(struct iot_stream *upstream)
{
	return add_stage(upstream, false);
}
