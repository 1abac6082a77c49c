/* SPDX-License-Identifier: BSD-2-Clause */
#include "batch.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct batch {
	struct iot_batch batch; /* first: the caller has its address */
	char *text;
	size_t text_capacity;
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
	free(b->text);
	free(b);
}

static bool is_kept(const struct batch *b, const struct iot_text *text)
{
	const uintptr_t at = (uintptr_t)text->data, begin = (uintptr_t)b->text;
	return at >= begin && at < begin + b->text_capacity;
}

static void copy_texts(struct iot_batch *b, char *to)
{
	for (size_t i = 0; i < b->count; i++) {
		struct iot_text *text = &b->events[i].text;
		if (text->size == 0)
			continue;
		memcpy(to, text->data, text->size);
		text->data = to;
		to += text->size;
	}
}

int iot_batch_keep_text(struct iot_batch *batch)
{
	struct batch *b = (struct batch *)batch;
	size_t kept = 0, size = 0;
	for (size_t i = 0; i < batch->count; i++) {
		const struct iot_text *text = &batch->events[i].text;
		size += text->size;
		kept += text->size > 0 && is_kept(b, text) ? text->size : 0;
	}
	if (kept == size)
		return IOT_OK;
	if (kept == 0 && size <= b->text_capacity) {
		copy_texts(batch, b->text);
		return IOT_OK;
	}
	const size_t capacity = size > b->text_capacity ? 2 * size : b->text_capacity;
	char *text = malloc(capacity);
	if (text == NULL)
		return IOT_ENOMEM;
	copy_texts(batch, text);
	free(b->text);
	b->text = text;
	b->text_capacity = capacity;
	return IOT_OK;
}

void batch_swap(struct iot_batch *a, struct iot_batch *b)
{
	struct batch *first = (struct batch *)a, *second = (struct batch *)b;
	const struct batch was = *first;
	*first = *second;
	*second = was;
}
