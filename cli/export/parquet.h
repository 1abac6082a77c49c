/* SPDX-License-Identifier: BSD-2-Clause */
/* A Parquet file under construction. */
#ifndef CLI_EXPORT_PARQUET_H
#define CLI_EXPORT_PARQUET_H

#include <zstd.h>

#include "lib/arrow/arrow_column.h"
#include "lib/base/idmap.h"

#include "byte_buffer.h"
#include "export.h"

enum { PARQUET_GROUP_ROWS = 1 << 20, PARQUET_PAGE_ROWS = 1 << 16 };
/* Encodings of the format. */
enum { PARQUET_PLAIN = 0, PARQUET_RLE = 3, PARQUET_DELTA = 5, PARQUET_RLE_DICTIONARY = 8 };

/* A column of a row group, as its metadata describe it. */
struct parquet_chunk {
	const struct arrow_column *column;
	uint64_t at, dictionary_at; /* in the file; dictionary_at 0: none */
	uint64_t size, packed_size;
	bool any; /* a known value */
	uint64_t min, max;
};

struct parquet {
	struct event_columns columns;
	struct arrow_column column[EVENT_COLUMNS_MAX];
	struct buffers *buffers;
	ZSTD_CCtx *zstd;
	uint64_t at; /* bytes written */
	size_t rows, all_rows, groups;
	struct byte_buffer page, packed, header, metadata; /* metadata: row groups, up to now */
	struct byte_buffer about;                          /* key_value_metadata */
	size_t about_count;
	uint64_t *number; /* of a page: known values */
	uint32_t *code;   /* of a page */
	uint32_t *local;  /* of a group: code + 1 in it, by code in the column */
	size_t local_capacity;
	struct idmap distinct; /* of a group: numbers of the column */
	uint32_t *row_code;    /* of a group: the code in `distinct` by row */
};

/* Writes the column as pages, and notes in the chunk where these are. x->state: struct parquet. */
void parquet_put_chunk(struct export *x, struct parquet_chunk *chunk);
/* Appends what the footer says of a chunk. */
void parquet_describe_chunk(struct byte_buffer *b, const struct parquet_chunk *chunk);
/* Keeps the properties that the trace declares. */
void parquet_add_about(struct parquet *p, const struct iot_event *ev);
/* Describes the whole file at its end. */
void parquet_put_footer(struct export *x);

static inline void parquet_put(struct export *x, const void *data, size_t size)
{
	struct parquet *p = x->state;
	output_write(x->out, data, size);
	p->at += size;
}

#endif
