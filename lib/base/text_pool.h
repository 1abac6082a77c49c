/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for millions of texts, most of them short: those have no header, and are cut from slabs.
 * Freed memory is reused for texts of about the same size.
 */
#ifndef LIB_BASE_TEXT_POOL_H
#define LIB_BASE_TEXT_POOL_H

#include <stddef.h>

enum { TEXT_POOL_STEP = 8, TEXT_POOL_SHORT = 256 /* bytes; longer texts are malloced */ };

struct text_slab;

/* All zeros: empty. */
struct text_pool {
	struct text_slab *slabs;
	char *unused; /* of the last slab */
	size_t unused_size;
	char *freed[TEXT_POOL_SHORT / TEXT_POOL_STEP + 1]; /* lists, by size in steps */
};

/* Returns memory for `size` bytes, or NULL if out of memory. */
char *text_pool_get(struct text_pool *p, size_t size);
/* Returns a text of this size to the pool; NULL is ignored. */
void text_pool_give(struct text_pool *p, char *text, size_t size);
/* Shortens a text, which may move. Returns NULL, with the text unchanged, if out of memory. */
char *text_pool_shorten(struct text_pool *p, char *text, size_t size, size_t to);
/* Frees all short texts; longer ones have to be given back before. */
void text_pool_free(struct text_pool *p);

#endif
