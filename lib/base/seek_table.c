/* SPDX-License-Identifier: BSD-2-Clause */
#include "seek_table.h"

#include <stdlib.h>

#include "lib/base/array.h"

enum {
	FRAMES_MAX = 0x8000000, /* of the format */
	CHECKSUMS = 0x80,       /* flags: entries have checksums */
	RESERVED = 0x7c,        /* flags that have no meaning yet */
};

static const uint32_t SKIPPABLE = 0x184D2A5E, SEEKABLE = 0x8F92EAB1;

static void put_32(unsigned char *to, uint64_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (unsigned char)(value >> (8 * i));
}

static uint32_t get_32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Returns n more bytes of the table; NULL if out of memory. */
static unsigned char *extend(struct seek_table *t, size_t n)
{
	if (!array_reserve(&t->data, &t->capacity, t->size + n, 1)) {
		t->impossible = true;
		return NULL;
	}
	t->size += n;
	return t->data + t->size - n;
}

void seek_table_add(struct seek_table *t, uint64_t packed, uint64_t text)
{
	if (packed > UINT32_MAX || text > UINT32_MAX || t->frames == FRAMES_MAX)
		t->impossible = true;
	if (t->impossible || (t->size == 0 && extend(t, SEEK_TABLE_HEADER) == NULL))
		return;
	unsigned char *entry = extend(t, SEEK_TABLE_ENTRY);
	if (entry == NULL)
		return;
	put_32(entry, packed);
	put_32(entry + 4, text);
	t->frames++;
}

const unsigned char *seek_table_finish(struct seek_table *t, size_t *size)
{
	unsigned char *footer = t->impossible || t->size == 0 ? NULL : extend(t, SEEK_TABLE_FOOTER);
	if (footer == NULL)
		return NULL;
	put_32(footer, t->frames);
	footer[4] = 0;
	put_32(footer + 5, SEEKABLE);
	put_32(t->data, SKIPPABLE);
	put_32(t->data + 4, t->size - SEEK_TABLE_HEADER);
	*size = t->size;
	return t->data;
}

void seek_table_free(struct seek_table *t)
{
	free(t->data);
	*t = (struct seek_table){.data = NULL};
}

bool seek_table_parse_footer(const unsigned char footer[SEEK_TABLE_FOOTER],
			     struct seek_table_layout *layout)
{
	const unsigned flags = footer[4];
	layout->frames = get_32(footer);
	layout->entry = SEEK_TABLE_ENTRY + (flags & CHECKSUMS ? SEEK_TABLE_CHECKSUM : 0);
	layout->size =
	    SEEK_TABLE_HEADER + (uint64_t)layout->frames * layout->entry + SEEK_TABLE_FOOTER;
	return get_32(footer + 5) == SEEKABLE && (flags & RESERVED) == 0 &&
	       layout->frames <= FRAMES_MAX;
}

bool seek_table_is_header(const unsigned char header[SEEK_TABLE_HEADER],
			  const struct seek_table_layout *layout)
{
	return get_32(header) == SKIPPABLE &&
	       get_32(header + 4) == layout->size - SEEK_TABLE_HEADER;
}

uint32_t seek_table_packed_size(const unsigned char *entry)
{
	return get_32(entry);
}
