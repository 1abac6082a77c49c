/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parquet: the table of csv in row groups, each column in pages that are compressed with zstd.
 * Texts, and numbers with few distinct values, are codes of a dictionary of the group; others are
 * differences. It is written from the beginning to the end, so that it may go to a pipe.
 */
#include <stdlib.h>
#include <zstd.h>

#include "lib/arrow/arrow_column.h"
#include "lib/base/idmap.h"

#include "export.h"
#include "little_endian.h"
#include "parquet_page.h"
#include "thrift.h"

enum { GROUP_ROWS = 1 << 20, PAGE_ROWS = 1 << 16, LEVEL_DEFAULT = 1 };
enum { DISTINCT_MAX = 1 << 15, ROWS_PER_DISTINCT = 8 }; /* of numbers in a dictionary */

/* Numbers of the format. */
enum { INT32 = 1, INT64 = 2, BYTE_ARRAY = 6 };                            /* physical types */
enum { UTF8 = 0, UINT_32 = 13, UINT_64 = 14, NOT_CONVERTED = -1 };        /* converted types */
enum { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 }; /* encodings */
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2, CODEC_ZSTD = 6, OPTIONAL = 1 };

/* A column of a row group, as its metadata describe it. */
struct chunk {
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
	uint32_t *code,
	    *local; /* of a page: codes; of a group: code + 1 in it, by code in the column */
	size_t local_capacity;
	struct idmap distinct; /* of a group: numbers of the column */
	uint32_t *row_code;    /* of a group: the code in `distinct` by row */
};

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

static void put(struct export *x, const void *data, size_t size)
{
	struct parquet *p = x->state;
	output_write(x->out, data, size);
	p->at += size;
}

/* Pages */

static bool is_known(const struct arrow_column *c, size_t row)
{
	return c->valid == NULL || (c->valid[row / 8] >> row % 8 & 1) != 0;
}

/* Compresses p->page and writes it after a header, which `describe` completes. */
static void put_page(struct export *x, struct chunk *chunk, int type, size_t values, int encoding)
{
	struct parquet *p = x->state;
	struct thrift t = {&p->header, 0};
	const size_t bound = ZSTD_compressBound(p->page.size);
	p->packed.size = p->header.size = 0;
	x->failed |= p->page.failed || !byte_buffer_reserve(&p->packed, bound);
	if (x->failed)
		return;
	const size_t size =
	    ZSTD_compress2(p->zstd, p->packed.data, bound, p->page.data, p->page.size);
	x->failed |= ZSTD_isError(size) != 0;
	thrift_i32(&t, 1, type);
	thrift_i32(&t, 2, (int32_t)p->page.size);
	thrift_i32(&t, 3, (int32_t)size);
	struct thrift of = thrift_begin(&t, type == DATA_PAGE ? 5 : 7);
	thrift_i32(&of, 1, (int32_t)values);
	thrift_i32(&of, 2, encoding);
	if (type == DATA_PAGE) {
		thrift_i32(&of, 3, RLE);
		thrift_i32(&of, 4, RLE);
	}
	thrift_end(&of);
	thrift_end(&t);
	x->failed |= p->header.failed;
	if (x->failed)
		return;
	put(x, p->header.data, p->header.size);
	put(x, p->packed.data, size);
	chunk->size += p->header.size + p->page.size;
	chunk->packed_size += p->header.size + size;
}

static uint64_t number_of(const struct arrow_column *c, size_t row)
{
	return c->width == 8 ? ((const uint64_t *)c->values)[row]
			     : ((const uint32_t *)c->values)[row];
}

/* Finds the smallest and largest value of the chunk. */
static void measure(struct chunk *chunk)
{
	const struct arrow_column *c = chunk->column;
	for (size_t row = 0; row < c->rows; row++) {
		const uint64_t v = number_of(c, row);
		if (!is_known(c, row))
			continue;
		chunk->min = !chunk->any || v < chunk->min ? v : chunk->min;
		chunk->max = !chunk->any || v > chunk->max ? v : chunk->max;
		chunk->any = true;
	}
}

/* Collects the known values of rows [from, to). */
static size_t collect_numbers(struct parquet *p, const struct arrow_column *c, size_t from,
			      size_t to)
{
	size_t n = 0;
	for (size_t row = from; row < to; row++)
		if (is_known(c, row))
			p->number[n++] = number_of(c, row);
	return n;
}

static size_t collect_codes(struct parquet *p, const struct arrow_column *c, size_t from, size_t to)
{
	size_t n = 0;
	for (size_t row = from; row < to; row++)
		if (is_known(c, row))
			p->code[n++] = c->type == EVENT_TEXT
					   ? p->local[((const uint32_t *)c->values)[row]] - 1
					   : p->row_code[row];
	return n;
}

/* A page without a known value has no encoded values, which is PLAIN. */
static void put_data_page(struct export *x, struct chunk *chunk, size_t from, size_t to,
			  unsigned width)
{
	struct parquet *p = x->state;
	const struct arrow_column *c = chunk->column;
	const unsigned char one_byte = (unsigned char)width;
	const bool coded = chunk->dictionary_at != 0;
	p->page.size = 0;
	parquet_page_levels(&p->page, c->valid != NULL ? c->valid + from / 8 : NULL, to - from);
	const size_t n = coded ? collect_codes(p, c, from, to) : collect_numbers(p, c, from, to);
	if (n > 0 && coded) {
		byte_buffer_append(&p->page, &one_byte, 1);
		parquet_page_runs(&p->page, p->code, n, width);
	} else if (n > 0) {
		parquet_page_deltas(&p->page, p->number, n, 8 * (unsigned)c->width);
	}
	put_page(x, chunk, DATA_PAGE, to - from,
		 n == 0  ? PLAIN
		 : coded ? RLE_DICTIONARY
			 : DELTA_BINARY_PACKED);
}

static void append_text(struct byte_buffer *b, struct iot_text text)
{
	char size[4];
	(void)put_u32(size, (uint32_t)text.size);
	byte_buffer_append(b, size, sizeof size);
	byte_buffer_append(b, text.data, text.size);
}

/* Numbers the texts of the group, and puts them in p->page. Returns how many there are. */
static size_t number_texts(struct export *x, const struct arrow_column *c)
{
	struct parquet *p = x->state;
	size_t count = 0;
	x->failed |=
	    c->texts.count > 0 && !array_reserve_index(&p->local, &p->local_capacity,
						       c->texts.count - 1, sizeof *p->local);
	if (x->failed)
		return 0;
	if (c->texts.count > 0)
		memset(p->local, 0, c->texts.count * sizeof *p->local);
	p->page.size = 0;
	for (size_t row = 0; row < c->rows; row++) {
		const uint32_t code = ((const uint32_t *)c->values)[row];
		if (!is_known(c, row) || p->local[code] != 0)
			continue;
		p->local[code] = (uint32_t)++count;
		append_text(&p->page, dictionary_text(&c->texts, code));
	}
	return count;
}

/*
 * Numbers the values of the group, and puts them in p->page. Returns how many there are, or 0 if
 * differences are better, because many values are distinct.
 */
static size_t number_values(struct export *x, const struct arrow_column *c)
{
	struct parquet *p = x->state;
	const size_t some = c->rows / ROWS_PER_DISTINCT,
		     max = some < DISTINCT_MAX ? some : DISTINCT_MAX;
	idmap_free(&p->distinct);
	for (size_t row = 0; row < c->rows; row++) {
		const size_t code =
		    is_known(c, row) ? idmap_number(&p->distinct, number_of(c, row)) : 0;
		x->failed |= code == SIZE_MAX;
		if (x->failed || p->distinct.count > max)
			return 0;
		p->row_code[row] = (uint32_t)code;
	}
	p->page.size = 0;
	for (size_t i = 0; i < p->distinct.count; i++) {
		char bytes[8];
		(void)put_u64(bytes, p->distinct.keys[i]);
		byte_buffer_append(&p->page, bytes, c->width);
	}
	return p->distinct.count;
}

static void put_chunk(struct export *x, struct chunk *chunk)
{
	struct parquet *p = x->state;
	const struct arrow_column *c = chunk->column;
	unsigned width = 1;
	if (c->type != EVENT_TEXT)
		measure(chunk);
	const size_t count = c->type == EVENT_TEXT ? number_texts(x, c) : number_values(x, c);
	while (count > (size_t)1 << width)
		width++;
	chunk->dictionary_at = count > 0 ? p->at : 0;
	if (count > 0)
		put_page(x, chunk, DICTIONARY_PAGE, count, PLAIN);
	chunk->at = p->at;
	for (size_t from = 0; from < c->rows && !x->failed; from += PAGE_ROWS)
		put_data_page(x, chunk, from,
			      c->rows - from < PAGE_ROWS ? c->rows : from + PAGE_ROWS, width);
}

/* Metadata */

static void describe_statistics(struct thrift *t, const struct chunk *chunk)
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

static void describe_chunk(struct byte_buffer *b, const struct chunk *chunk)
{
	const struct arrow_column *c = chunk->column;
	struct thrift t = {b, 0};
	thrift_i64(&t, 2, (int64_t)(chunk->dictionary_at != 0 ? chunk->dictionary_at : chunk->at));
	struct thrift m = thrift_begin(&t, 3);
	thrift_i32(&m, 1, physical_type(c->type));
	thrift_list(&m, 2, THRIFT_I32, 3);
	thrift_element_i32(b, PLAIN);
	thrift_element_i32(b, RLE);
	thrift_element_i32(b, chunk->dictionary_at != 0 || c->type == EVENT_TEXT
				  ? RLE_DICTIONARY
				  : DELTA_BINARY_PACKED);
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

/* Writes the rows so far. */
static void put_group(struct export *x)
{
	struct parquet *p = x->state;
	struct thrift t = {&p->metadata, 0};
	uint64_t size = 0;
	thrift_list(&t, 1, THRIFT_STRUCT, p->columns.count);
	for (size_t i = 0; i < p->columns.count && !x->failed; i++) {
		struct chunk chunk = {.column = &p->column[i]};
		put_chunk(x, &chunk);
		describe_chunk(&p->metadata, &chunk);
		size += chunk.size;
		arrow_column_clear(&p->column[i]);
	}
	thrift_i64(&t, 2, (int64_t)size);
	thrift_i64(&t, 3, (int64_t)p->rows);
	thrift_end(&t);
	p->groups++;
	p->all_rows += p->rows;
	p->rows = 0;
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

static void put_footer(struct export *x)
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
		put(x, b.data, b.size);
		(void)put_u32(size, (uint32_t)b.size);
		put(x, size, sizeof size);
		put(x, "PAR1", 4);
	}
	free(b.data);
}

/* Keeps the properties that the trace declares. */
static void add_about(struct export *x, const struct iot_event *ev)
{
	static const char *const keys[] = {"source", "epoch", "lacks"};
	struct parquet *p = x->state;
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

/* The format */

static void begin(struct export *x)
{
	struct parquet *p = export_state(x, sizeof *p);
	if (p == NULL)
		return;
	(void)event_columns_parse(&p->columns, x->options->columns, NULL);
	p->buffers = buffers_new();
	p->zstd = ZSTD_createCCtx();
	p->number = malloc(PAGE_ROWS * sizeof *p->number);
	p->code = malloc(PAGE_ROWS * sizeof *p->code);
	p->row_code = malloc(GROUP_ROWS * sizeof *p->row_code);
	x->failed |= p->buffers == NULL || p->zstd == NULL || p->number == NULL ||
		     p->code == NULL || p->row_code == NULL;
	if (x->failed)
		return;
	const int level = x->options->level != 0 ? (int)x->options->level : LEVEL_DEFAULT;
	x->failed |=
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level)) != 0;
	for (size_t i = 0; i < p->columns.count; i++)
		arrow_column_init(&p->column[i], p->columns.column[i], p->buffers);
	put(x, "PAR1", 4);
}

static int add_rows(struct export *x, const struct iot_event *ev, const struct arrow_run *run)
{
	struct parquet *p = x->state;
	const size_t n = run->count > 0 ? run->count : 1;
	int status = IOT_OK;
	for (size_t i = 0; i < p->columns.count && status == IOT_OK; i++) {
		struct arrow_column *c = &p->column[i];
		status = arrow_column_reserve(c, p->rows + n);
		if (status == IOT_OK && run->count > 0)
			status = arrow_column_records(c, &x->names, run);
		else if (status == IOT_OK)
			status = arrow_column_operation(c, &x->names, ev);
	}
	p->rows += n;
	return status;
}

static void other_event(struct export *x, const struct iot_event *ev)
{
	const struct arrow_run none = {.ev = ev};
	if (ev->kind == IOT_OP && x->options->all_events)
		x->failed |= add_rows(x, ev, &none) != IOT_OK;
	else if (ev->kind == IOT_TRACE)
		add_about(x, ev);
	x->notes[NOTE_OPERATIONS] += ev->kind == IOT_OP && !x->options->all_events;
	x->notes[NOTE_COUNTERS] += ev->kind == IOT_COUNTER;
	x->notes[NOTE_LOST] += ev->kind == IOT_LOST;
	export_event(x, ev);
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	struct parquet *p = x->state;
	for (size_t i = 0, taken; i < n && !x->failed; i += taken) {
		const size_t space = GROUP_ROWS - p->rows;
		const struct arrow_run run = arrow_run_of(ev + i, n - i < space ? n - i : space);
		taken = run.count > 0 ? run.count : 1;
		if (run.count > 0)
			x->failed |= add_rows(x, ev + i, &run) != IOT_OK;
		else
			other_event(x, ev + i);
		x->failed |= x->names.failed;
		if (p->rows == GROUP_ROWS && !x->failed)
			put_group(x);
	}
}

static void end(struct export *x)
{
	const struct parquet *p = x->state;
	if (p->rows > 0)
		put_group(x);
	if (!x->failed)
		put_footer(x);
}

static void free_state(struct export *x)
{
	struct parquet *p = x->state;
	if (p == NULL)
		return;
	for (size_t i = 0; p->buffers != NULL && i < p->columns.count; i++)
		if (p->column[i].buffers != NULL)
			arrow_column_free(&p->column[i]);
	buffers_drop(p->buffers);
	ZSTD_freeCCtx(p->zstd);
	free(p->page.data);
	free(p->packed.data);
	free(p->header.data);
	free(p->metadata.data);
	free(p->about.data);
	free(p->number);
	free(p->code);
	free(p->local);
	free(p->row_code);
	idmap_free(&p->distinct);
}

const struct export_format export_parquet = {.encode = event_cell_text,
					     .begin = begin,
					     .events = events,
					     .end = end,
					     .free = free_state,
					     .binary = true};
