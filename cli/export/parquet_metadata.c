/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a Parquet file: its schema, and where the columns of the row groups are. */
#include "parquet.h"

#include <stdlib.h>

#include "little_endian.h"
#include "thrift.h"

/* Numbers of the format. */
enum { INT32 = 1, INT64 = 2, BYTE_ARRAY = 6 };                     /* physical types */
enum { UTF8 = 0, UINT_32 = 13, UINT_64 = 14, NOT_CONVERTED = -1 }; /* converted types */
enum { CODEC_ZSTD = 6, OPTIONAL = 1 };

static int physical_type(enum column_type type)
{
	return type == EVENT_TEXT ? BYTE_ARRAY : type == EVENT_UINT32 ? INT32 : INT64;
}

static int converted_type(enum column_type type)
{
	static const int types[] = {[EVENT_INT64] = NOT_CONVERTED,
				    [EVENT_UINT64] = UINT_64,
				    [EVENT_UINT32] = UINT_32,
				    [EVENT_TEXT] = UTF8};
	return types[type];
}

static void describe_statistics(struct thrift *t, const struct parquet_chunk *chunk)
{
	char min[8], max[8];
	struct thrift s = thrift_begin(t, 12);
	(void)put_u64(min, chunk->min);
	(void)put_u64(max, chunk->max);
	thrift_i64(&s, 3, (int64_t)chunk->column->nulls);
	if (chunk->any && chunk->column->type != EVENT_INT64 && chunk->column->width == 8) {
		thrift_binary(&s, 5, max, sizeof max);
		thrift_binary(&s, 6, min, sizeof min);
	}
	if (chunk->any && chunk->column->column == EVENT_START_NS) { /* never negative */
		thrift_binary(&s, 5, max, sizeof max);
		thrift_binary(&s, 6, min, sizeof min);
	}
	thrift_end(&s);
}

void parquet_describe_chunk(struct byte_buffer *b, const struct parquet_chunk *chunk)
{
	const struct arrow_column *c = chunk->column;
	struct thrift t = {b, 0};
	thrift_i64(&t, 2, (int64_t)(chunk->dictionary_at != 0 ? chunk->dictionary_at : chunk->at));
	struct thrift m = thrift_begin(&t, 3);
	thrift_i32(&m, 1, physical_type(c->type));
	thrift_list(&m, 2, THRIFT_I32, 3);
	thrift_element_i32(b, PARQUET_PLAIN);
	thrift_element_i32(b, PARQUET_RLE);
	thrift_element_i32(b, chunk->dictionary_at != 0 || c->type == EVENT_TEXT
				  ? PARQUET_RLE_DICTIONARY
				  : PARQUET_DELTA);
	thrift_list(&m, 3, THRIFT_BINARY, 1);
	thrift_element_text(b, event_column_name(c->column));
	thrift_i32(&m, 4, CODEC_ZSTD);
	thrift_i64(&m, 5, (int64_t)c->rows);
	thrift_i64(&m, 6, (int64_t)chunk->size);
	thrift_i64(&m, 7, (int64_t)chunk->packed_size);
	thrift_i64(&m, 9, (int64_t)chunk->at);
	if (chunk->dictionary_at != 0)
		thrift_i64(&m, 11, (int64_t)chunk->dictionary_at);
	describe_statistics(&m, chunk);
	thrift_end(&m);
	thrift_end(&t);
}

static void describe_schema(struct thrift *t, const struct parquet *p)
{
	struct thrift root = {t->b, 0};
	thrift_list(t, 2, THRIFT_STRUCT, p->columns.count + 1);
	thrift_text(&root, 4, "schema");
	thrift_i32(&root, 5, (int32_t)p->columns.count);
	thrift_end(&root);
	for (size_t i = 0; i < p->columns.count; i++) {
		struct thrift e = {t->b, 0};
		const enum column_type type = event_column_type(p->columns.column[i]);
		thrift_i32(&e, 1, physical_type(type));
		thrift_i32(&e, 3, OPTIONAL);
		thrift_text(&e, 4, event_column_name(p->columns.column[i]));
		if (converted_type(type) != NOT_CONVERTED)
			thrift_i32(&e, 6, converted_type(type));
		thrift_end(&e);
	}
}

/* All columns are ordered as their types define, which makes the statistics valid. */
static void describe_orders(struct thrift *t, const struct parquet *p)
{
	thrift_list(t, 7, THRIFT_STRUCT, p->columns.count);
	for (size_t i = 0; i < p->columns.count; i++) {
		struct thrift order = {t->b, 0};
		struct thrift by_type = thrift_begin(&order, 1);
		thrift_end(&by_type);
		thrift_end(&order);
	}
}

void parquet_put_footer(struct export *x)
{
	struct parquet *p = x->state;
	struct byte_buffer b = {0};
	struct thrift t = {&b, 0};
	char size[4];
	thrift_i32(&t, 1, 2);
	describe_schema(&t, p);
	thrift_i64(&t, 3, (int64_t)p->all_rows);
	thrift_list(&t, 4, THRIFT_STRUCT, p->groups);
	byte_buffer_append(&b, p->metadata.data, p->metadata.size);
	if (p->about_count > 0) {
		thrift_list(&t, 5, THRIFT_STRUCT, p->about_count);
		byte_buffer_append(&b, p->about.data, p->about.size);
	}
	thrift_text(&t, 6, "iotrace version " IOT_VERSION);
	describe_orders(&t, p);
	thrift_end(&t);
	x->failed |= b.failed || p->metadata.failed || p->about.failed;
	if (!x->failed) {
		parquet_put(x, b.data, b.size);
		(void)put_u32(size, (uint32_t)b.size);
		parquet_put(x, size, sizeof size);
		parquet_put(x, "PAR1", 4);
	}
	free(b.data);
}

void parquet_add_about(struct parquet *p, const struct iot_event *ev)
{
	static const char *const keys[] = {"source", "epoch", "lacks"};
	for (size_t i = 0; p->about_count < 3 && i < sizeof keys / sizeof *keys; i++) {
		const struct iot_text value = iot_directive_get(ev, keys[i]);
		if (value.data == NULL)
			continue;
		struct thrift t = {&p->about, 0};
		thrift_text(&t, 1, keys[i]);
		thrift_binary(&t, 2, value.data, value.size);
		thrift_end(&t);
		p->about_count++;
	}
}
