/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of a row group, in pages. */
#include "parquet.h"

#include "little_endian.h"
#include "parquet_page.h"
#include "thrift.h"

enum { DISTINCT_MAX = 1 << 15, ROWS_PER_DISTINCT = 8 }; /* of numbers in a dictionary */
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };

static bool is_known(const struct arrow_column *c, size_t row)
{
	return c->valid == NULL || (c->valid[row / 8] >> row % 8 & 1) != 0;
}

/* Compresses p->page and writes it after a header, which `describe` completes. */
static void put_page(struct export *x, struct parquet_chunk *chunk, int type, size_t values,
		     int encoding)
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
		thrift_i32(&of, 3, PARQUET_RLE);
		thrift_i32(&of, 4, PARQUET_RLE);
	}
	thrift_end(&of);
	thrift_end(&t);
	x->failed |= p->header.failed;
	if (x->failed)
		return;
	parquet_put(x, p->header.data, p->header.size);
	parquet_put(x, p->packed.data, size);
	chunk->size += p->header.size + p->page.size;
	chunk->packed_size += p->header.size + size;
}

static uint64_t number_of(const struct arrow_column *c, size_t row)
{
	return c->width == 8 ? ((const uint64_t *)c->values)[row]
			     : ((const uint32_t *)c->values)[row];
}

/* Finds the smallest and largest value of the chunk. */
static void measure(struct parquet_chunk *chunk)
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

/* A page without a known value has no encoded values, which is PARQUET_PLAIN. */
static void put_data_page(struct export *x, struct parquet_chunk *chunk, size_t from, size_t to,
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
		 n == 0  ? PARQUET_PLAIN
		 : coded ? PARQUET_RLE_DICTIONARY
			 : PARQUET_DELTA);
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

void parquet_put_chunk(struct export *x, struct parquet_chunk *chunk)
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
		put_page(x, chunk, DICTIONARY_PAGE, count, PARQUET_PLAIN);
	chunk->at = p->at;
	for (size_t from = 0; from < c->rows && !x->failed; from += PARQUET_PAGE_ROWS)
		put_data_page(
		    x, chunk, from,
		    c->rows - from < PARQUET_PAGE_ROWS ? c->rows : from + PARQUET_PAGE_ROWS, width);
}
