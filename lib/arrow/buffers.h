/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aligned memory for the arrays of a stream. What consumers release while the stream exists is
 * reused, because the pages of new memory cost more time than filling them. May be used by several
 * threads.
 */
#ifndef LIB_ARROW_BUFFERS_H
#define LIB_ARROW_BUFFERS_H

#include <stddef.h>

struct buffers;

/* Returns NULL if out of memory. The caller is an owner. */
struct buffers *buffers_new(void);
/* Adds an owner. Returns b. */
struct buffers *buffers_share(struct buffers *b);
/* Frees what nobody uses, and b with its last owner. NULL is ignored. */
void buffers_drop(struct buffers *b);
/* Frees released memory, now and in the future: the stream ends. */
void buffers_close(struct buffers *b);

/* Returns memory of at least `size` bytes, with padding; NULL if out of memory. */
void *buffers_get(struct buffers *b, size_t size);
/* Takes back memory of this size; NULL is ignored. */
void buffers_give(struct buffers *b, void *memory, size_t size);

#endif
