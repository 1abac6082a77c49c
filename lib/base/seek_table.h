/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The seek table of the Zstandard seekable format: the sizes of a file's frames, stored in a
 * skippable frame at its end.
 *
 *     skippable header:  0x184D2A5E, size of what follows         4 + 4 bytes
 *     for each frame:    compressed size, decompressed size       4 + 4 (+ 4 with checksums)
 *     footer:            number of frames, flags, 0x8F92EAB1      4 + 1 + 4
 */
#ifndef LIB_BASE_SEEK_TABLE_H
#define LIB_BASE_SEEK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SEEK_TABLE_HEADER = 8,
	SEEK_TABLE_FOOTER = 9,
	SEEK_TABLE_ENTRY = 8,
	SEEK_TABLE_CHECKSUM = 4, /* the bytes that it adds to an entry */
};

/* A table that is being built; zero-initialize it. */
struct seek_table {
	unsigned char *data; /* the header and the entries so far */
	size_t size, capacity;
	uint32_t frames;
	bool impossible; /* a frame is too large for the format, or memory ran out */
};

/* Adds a frame's compressed and decompressed size. */
void seek_table_add(struct seek_table *t, uint64_t packed, uint64_t text);
/* Completes the table. Returns its bytes, which t owns; NULL if it is impossible. */
const unsigned char *seek_table_finish(struct seek_table *t, size_t *size);
void seek_table_free(struct seek_table *t);

/* The layout of a stored table. */
struct seek_table_layout {
	uint32_t frames;
	size_t entry;  /* bytes of an entry */
	uint64_t size; /* bytes of the table, including header and footer */
};

/* Parses a table's last bytes. Returns whether they are the footer of a seek table. */
bool seek_table_parse_footer(const unsigned char footer[SEEK_TABLE_FOOTER],
			     struct seek_table_layout *layout);
/* Returns whether the bytes begin a table of this layout. */
bool seek_table_is_header(const unsigned char header[SEEK_TABLE_HEADER],
			  const struct seek_table_layout *layout);
/* Returns the compressed size in an entry. */
uint32_t seek_table_packed_size(const unsigned char *entry);

#endif
