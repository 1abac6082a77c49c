/* SPDX-License-Identifier: BSD-2-Clause */
#include "batch.h"

#include <stdlib.h>

#include "lib/base/text_blocks.h"

struct batch {
	struct iot_batch batch; /* first: the caller has its address */
	struct text_blocks text;
};

struct iot_batch *iot_batch_new(size_t capacity)
{
	struct batch *b = calloc(1, sizeof(*b));
	if (b == NULL)
		return NULL;
	b->batch.events = capacity > 0 ? calloc(capacity, sizeof(*b->batch.events)) : NULL;
	if (b->batch.events == NULL) {
		free(b);
		return NULL;
	}
	b->batch.capacity = capacity;
	return &b->batch;
}

void iot_batch_free(struct iot_batch *batch)
{
	struct batch *b = (struct batch *)batch;
	if (b == NULL)
		return;
	free(b->batch.events);
	text_blocks_free(&b->text);
	free(b);
}

/* Returns the index of the first event from `i` on that has a text. */
static size_t next_text(const struct iot_batch *b, size_t i)
{
	while (i < b->count && b->events[i].text.size == 0)
		i++;
	return i;
}

/*
 * Texts that are in the batch stay there, so that a stage can fill a batch with several pulls in
 * time proportional to their text.
 */
int iot_batch_keep_text(struct iot_batch *batch)
{
	struct batch *b = (struct batch *)batch;
	const struct iot_event *ev = batch->events;
	size_t kept = next_text(batch, 0);
	while (kept < batch->count && !text_blocks_contain(&b->text, ev[kept].text))
		kept = next_text(batch, kept + 1);
	if (kept == batch->count)
		text_blocks_reset(&b->text);
	for (size_t i = next_text(batch, 0); i < batch->count; i = next_text(batch, i + 1)) {
		struct iot_text *text = &batch->events[i].text;
		if (!text_blocks_contain(&b->text, *text) && !text_blocks_copy(&b->text, text))
			return IOT_ENOMEM;
	}
	return IOT_OK;
}

void batch_swap(struct iot_batch *a, struct iot_batch *b)
{
	struct batch *first = (struct batch *)a, *second = (struct batch *)b;
	const struct batch was = *first;
	*first = *second;
	*second = was;
}
