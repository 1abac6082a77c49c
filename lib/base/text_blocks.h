/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of texts. Their addresses stay the same until the next reset. */
#ifndef LIB_BASE_TEXT_BLOCKS_H
#define LIB_BASE_TEXT_BLOCKS_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

struct text_chunk;

/* All zeros: empty. */
struct text_blocks {
	struct text_chunk *newest; /* each has at least twice the capacity of the one before it */
};

/* Copies a text, and makes it refer to the copy. Returns false if out of memory. */
bool text_blocks_copy(struct text_blocks *t, struct iot_text *text);
/* Returns whether the text is such a copy. The time is logarithmic in the size of all copies. */
bool text_blocks_contain(const struct text_blocks *t, struct iot_text text);
/* Discards all copies. Keeps the newest block. */
void text_blocks_reset(struct text_blocks *t);
void text_blocks_free(struct text_blocks *t);

#endif
