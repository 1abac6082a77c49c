/* SPDX-License-Identifier: BSD-2-Clause */
#include "text_blocks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 8192 };

struct text_chunk {
	struct text_chunk *older;
	size_t used, capacity;
	char data[];
};

static size_t next_capacity(const struct text_chunk *newest, size_t size)
{
	const size_t capacity = newest != NULL ? 2 * newest->capacity : FIRST_BLOCK;
	return capacity > size ? capacity : size;
}

bool text_blocks_copy(struct text_blocks *t, struct iot_text *text)
{
	struct text_chunk *block = t->newest;
	if (text->size == 0)
		return true;
	if (block == NULL || block->capacity - block->used < text->size) {
		const size_t capacity = next_capacity(block, text->size);
		block = malloc(sizeof(*block) + capacity);
		if (block == NULL)
			return false;
		*block = (struct text_chunk){.older = t->newest, .capacity = capacity};
		t->newest = block;
	}
	memcpy(block->data + block->used, text->data, text->size);
	text->data = block->data + block->used;
	block->used += text->size;
	return true;
}

bool text_blocks_contain(const struct text_blocks *t, struct iot_text text)
{
	const uintptr_t at = (uintptr_t)text.data;
	for (const struct text_chunk *block = t->newest; block != NULL; block = block->older)
		if (at >= (uintptr_t)block->data && at < (uintptr_t)block->data + block->used)
			return true;
	return false;
}

void text_blocks_reset(struct text_blocks *t)
{
	struct text_chunk *kept = t->newest;
	if (kept == NULL)
		return;
	t->newest = kept->older;
	text_blocks_free(t);
	kept->older = NULL;
	kept->used = 0;
	t->newest = kept;
}

void text_blocks_free(struct text_blocks *t)
{
	while (t->newest != NULL) {
		struct text_chunk *older = t->newest->older;
		free(t->newest);
		t->newest = older;
	}
}
