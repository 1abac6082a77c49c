/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tar of files that an input contains in sequence: a line "NAME SIZE", followed by SIZE bytes
 * (see tests/tools/recorder_pieces.py).
 */
#ifndef FUZZ_TAR_H
#define FUZZ_TAR_H

#include "fuzz.h"

enum { TAR_BLOCK = 512, NAME_CAPACITY = 100 };

struct tar {
	uint8_t *data;
	size_t size;
};

static inline uint8_t *tar_capacity(struct tar *t, size_t size)
{
	size_t padded = (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	t->data = fuzz_memory(t->data, t->size + padded + 1);
	uint8_t *capacity = t->data + t->size;
	memset(capacity, 0, padded);
	t->size += padded;
	return capacity;
}

static inline void tar_add(struct tar *t, const char *name, const uint8_t *data, size_t size)
{
	char *head = (char *)tar_capacity(t, TAR_BLOCK);
	unsigned sum = 0;
	snprintf(head, NAME_CAPACITY, "%s", name);
	memcpy(head + 100,
	       "0000644\0"
	       "0000000\0"
	       "0000000\0",
	       24);
	snprintf(head + 124, 12, "%011o", (unsigned)size);
	memcpy(head + 136, "00000000000\0        0", 21);
	memcpy(head + 257,
	       "ustar\0"
	       "00",
	       8);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	uint8_t *capacity = tar_capacity(t, size);
	if (size > 0)
		memcpy(capacity, data, size);
}

struct piece {
	char name[NAME_CAPACITY];
	const uint8_t *data;
	size_t size;
};

/* Returns the next file; false: no more. A truncated last one is shortened. */
static inline bool piece_take(struct fuzz_input *in, struct piece *p)
{
	char line[NAME_CAPACITY + 24];
	size_t n = 0;
	while (n < in->size && n < sizeof(line) - 1 && in->data[n] != '\n')
		n++;
	if (n == in->size || in->data[n] != '\n')
		return false;
	memcpy(line, in->data, n);
	line[n] = '\0';
	if (sscanf(line, "%99s %zu", p->name, &p->size) != 2)
		return false;
	in->data += n + 1;
	in->size -= n + 1;
	p->size = p->size < in->size ? p->size : in->size;
	p->data = in->data;
	in->data += p->size;
	in->size -= p->size;
	return true;
}

static inline int tar_file(struct fuzz_input *in)
{
	struct tar t = {NULL, 0};
	struct piece p;
	while (piece_take(in, &p))
		tar_add(&t, p.name, p.data, p.size);
	(void)tar_capacity(&t, 2 * TAR_BLOCK);
	int fd = fuzz_file(t.data, t.size);
	free(t.data);
	return fd;
}

#endif
