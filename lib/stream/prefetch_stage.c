/* SPDX-License-Identifier: BSD-2-Clause */
/* A stage whose upstream runs on a thread. */
#include <stdlib.h>

#include "batch.h"
#include "lib/base/thread.h"
#include "lib/base/prefetch.h"

enum { SLOTS = 16 };

struct prefetch_stage {
	struct iot_stream *upstream;
	struct prefetch *ring;
	struct iot_batch *batch[SLOTS];
};

static ssize_t fill(void *context, size_t slot)
{
	struct prefetch_stage *p = context;
	const int status = iot_stream_next(p->upstream, p->batch[slot]);
	return status > 0 && iot_batch_keep_text(p->batch[slot]) != IOT_OK ? IOT_ENOMEM : status;
}

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct prefetch_stage *p = context;
	size_t slot;
	const int status = (int)prefetch_next(p->ring, &slot);
	if (status > 0)
		batch_swap(b, p->batch[slot]);
	if (status == IOT_ENOMEM && iot_stream_error(p->upstream)[0] == '\0')
		return iot_stream_fail(self, status, "out of memory");
	return status;
}

static void close_stage(void *context)
{
	struct prefetch_stage *p = context;
	prefetch_free(p->ring);
	for (size_t i = 0; i < SLOTS; i++)
		iot_batch_free(p->batch[i]);
	free(p);
}

static struct prefetch_stage *new_context(struct iot_stream *upstream)
{
	struct prefetch_stage *p = calloc(1, sizeof(*p));
	if (p == NULL)
		return NULL;
	bool complete = true;
	p->upstream = upstream;
	for (size_t i = 0; i < SLOTS && complete; i++)
		complete = (p->batch[i] = iot_batch_new(IOT_BATCH_EVENTS)) != NULL;
	if (complete)
		p->ring = prefetch_new(fill, p, SLOTS, true);
	if (p->ring != NULL)
		return p;
	close_stage(p);
	return NULL;
}

struct iot_stream *iot_stream_prefetch(struct iot_stream *upstream)
{
	static const struct iot_stage stage = {.next = next, .close = close_stage};
	if (upstream == NULL || cpu_count() == 1)
		return upstream;
	struct prefetch_stage *p = new_context(upstream);
	if (p != NULL)
		return iot_stream_new(upstream, &stage, p);
	iot_stream_free(upstream);
	return NULL;
}
