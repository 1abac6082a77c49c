/* SPDX-License-Identifier: BSD-2-Clause */
#include "arrow_column.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_AHEAD = ARROW_RUN_MAX };

static size_t width_of(enum column_type type)
{
	return type == EVENT_INT64 || type == EVENT_UINT64 ? 8 : 4;
}

void arrow_column_init(struct arrow_column *c, enum event_column column, struct buffers *buffers)
{
	const enum column_type type = event_column_type(column);
	*c = (struct arrow_column){
	    .column = column, .type = type, .width = width_of(type), .buffers = buffers};
}

static size_t bitmap_size(size_t rows)
{
	return (rows + 7) / 8;
}

static void drop_rows(struct arrow_column *c)
{
	buffers_give(c->buffers, c->values, c->capacity * c->width);
	buffers_give(c->buffers, c->valid, bitmap_size(c->capacity));
	c->values = c->valid = NULL;
	c->rows = c->capacity = c->nulls = 0;
}

void arrow_column_clear(struct arrow_column *c)
{
	buffers_give(c->buffers, c->valid, bitmap_size(c->capacity));
	c->valid = NULL;
	c->rows = c->nulls = 0;
}

void arrow_column_free(struct arrow_column *c)
{
	drop_rows(c);
	dictionary_free(&c->texts);
}

/* Makes a bitmap for the capacity, with the bits of an old one; the others are 1. */
static bool grow_bitmap(struct arrow_column *c, size_t old_capacity, size_t capacity)
{
	const size_t used = c->valid != NULL ? bitmap_size(old_capacity) : 0;
	uint8_t *valid = buffers_get(c->buffers, bitmap_size(capacity));
	if (valid == NULL)
		return false;
	memset(valid, 0xff, bitmap_size(capacity));
	if (used > 0)
		memcpy(valid, c->valid, used);
	buffers_give(c->buffers, c->valid, used);
	c->valid = valid;
	return true;
}

int arrow_column_reserve(struct arrow_column *c, size_t rows)
{
	if (rows <= c->capacity)
		return IOT_OK;
	const size_t capacity = rows > 2 * c->capacity ? rows : 2 * c->capacity;
	if (c->valid != NULL && !grow_bitmap(c, c->capacity, capacity))
		return IOT_ENOMEM;
	void *values = buffers_get(c->buffers, capacity * c->width);
	if (values == NULL)
		return IOT_ENOMEM;
	if (c->rows > 0)
		memcpy(values, c->values, c->rows * c->width);
	buffers_give(c->buffers, c->values, c->capacity * c->width);
	c->values = values;
	c->capacity = capacity;
	return IOT_OK;
}

/* Eight bytes of 0 or 1 as bits, the first one lowest. */
static uint8_t bits_of(const uint8_t bytes[8])
{
	uint64_t all = 0;
	for (unsigned i = 0; i < 8; i++)
		all |= (uint64_t)bytes[i] << 8 * i;
	return (uint8_t)(all * 0x0102040810204080U >> 56);
}

static void clear_unknown(uint8_t *valid, size_t row, const uint8_t *known, size_t n)
{
	for (size_t i = 0; i < n; row++, i++) {
		for (; row % 8 == 0 && i + 8 <= n; row += 8, i += 8)
			valid[row / 8] = bits_of(known + i);
		if (i < n && !known[i])
			valid[row / 8] &= (uint8_t) ~(1U << row % 8);
	}
}

static void clear_all(uint8_t *valid, size_t row, size_t n)
{
	static const uint8_t none[8];
	const size_t head = n < (8 - row % 8) % 8 ? n : (8 - row % 8) % 8;
	const size_t whole = (n - head) / 8;
	clear_unknown(valid, row, none, head);
	memset(valid + (row + head) / 8, 0, whole);
	clear_unknown(valid, row + head + 8 * whole, none, n - head - 8 * whole);
}

/* Clears the bits of the `nulls` unknown rows. Returns IOT_OK or IOT_ENOMEM. */
static int put_nulls(struct arrow_column *c, const uint8_t *known, size_t n, size_t nulls)
{
	if (nulls == 0)
		return IOT_OK;
	if (c->valid == NULL && !grow_bitmap(c, 0, c->capacity))
		return IOT_ENOMEM;
	if (nulls == n)
		clear_all(c->valid, c->rows, n);
	else
		clear_unknown(c->valid, c->rows, known, n);
	c->nulls += nulls;
	return IOT_OK;
}

struct arrow_run arrow_run_of(const struct iot_event *ev, size_t left)
{
	const size_t max = left < ARROW_RUN_MAX ? left : ARROW_RUN_MAX;
	struct arrow_run run = {.ev = ev};
	unsigned flags = 0, type = 0xff;
	for (; run.count < max && ev[run.count].kind == IOT_RECORD; run.count++) {
		const struct iot_record *rec = &ev[run.count].rec;
		flags |= rec->flags;
		type &= rec->type;
	}
	run.plain = flags == 0 && (type & IOT_LOGICAL) != 0;
	return run;
}

/* Numbers. Inline, with a constant column, because the loops are the time that an export takes. */

static inline void put_number(void *values, size_t row, size_t width, uint64_t number)
{
	if (width == 8)
		((uint64_t *)values)[row] = number;
	else
		((uint32_t *)values)[row] = (uint32_t)number;
}

/*
 * plain: as arrow_run_of says of the records, so that the compiler leaves out what follows from
 * other flags and types. Returns whether the number is known.
 */
static inline __attribute__((always_inline)) bool
put_cell_of(void *values, size_t row, size_t width, struct names *names, enum event_column column,
	    const struct iot_record *rec, bool plain)
{
	struct event_cell cell = {0};
	if (plain && (rec->flags != 0 || (rec->type & IOT_LOGICAL) == 0))
		__builtin_unreachable();
	const bool is_known = event_cell_of(names, rec, column, &cell) == EVENT_CELL_NUMBER;
	put_number(values, row, width, is_known ? cell.number : 0);
	return is_known;
}

static inline __attribute__((always_inline)) int
put_some_numbers(struct arrow_column *c, struct names *names, enum event_column column,
		 size_t width, const struct iot_event *ev, size_t n)
{
	uint8_t known[ARROW_RUN_MAX];
	void *const values = c->values;
	const size_t row = c->rows;
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		known[i] = put_cell_of(values, row + i, width, names, column, &ev[i].rec, false);
		count += known[i];
	}
	return put_nulls(c, known, n, n - count);
}

/* The object of a record without one may be the object of its file. */
static inline __attribute__((always_inline)) bool put_plain_cell(void *values, size_t row,
								 size_t width, struct names *names,
								 enum event_column column,
								 const struct iot_record *rec)
{
	if (column != EVENT_OBJECT)
		return put_cell_of(values, row, width, names, column, rec, true);
	put_number(values, row, width, rec->object);
	return rec->object != 0;
}

/*
 * Puts eight rows at a time, since a row takes little longer than the loop around it, and fetches
 * the memory of later ones: the columns of a batch are larger than the cache, and each of them is
 * written in pieces. Returns how many are known.
 */
static inline __attribute__((always_inline)) size_t
put_plain_numbers(struct arrow_column *c, struct names *names, enum event_column column,
		  size_t width, const struct iot_event *ev, size_t n)
{
	void *const values = c->values;
	const size_t row = c->rows;
	size_t i = 0, known = 0;
#define PUT(at) known += put_plain_cell(values, row + (at), width, names, column, &ev[at].rec)
	for (; i + 8 <= n; i += 8) {
		__builtin_prefetch((char *)values + (row + i + ROWS_AHEAD) * width, 1, 2);
		PUT(i);
		PUT(i + 1);
		PUT(i + 2);
		PUT(i + 3);
		PUT(i + 4);
		PUT(i + 5);
		PUT(i + 6);
		PUT(i + 7);
	}
	for (; i < n; i++)
		PUT(i);
#undef PUT
	return known;
}

static inline __attribute__((always_inline)) int put_numbers(struct arrow_column *c,
							     struct names *names,
							     enum event_column column, size_t width,
							     const struct arrow_run *run)
{
	if (run->plain) {
		const size_t known =
		    put_plain_numbers(c, names, column, width, run->ev, run->count);
		if (known == run->count || (known == 0 && column != EVENT_OBJECT))
			return put_nulls(c, NULL, run->count, run->count - known);
	}
	return put_some_numbers(c, names, column, width, run->ev, run->count);
}

/* Makes times since 1970 of starts. */
static int add_zero(const struct arrow_column *c, size_t from, size_t to)
{
	int64_t *start = c->values;
	for (size_t i = from; i < to; i++)
		if (__builtin_add_overflow(start[i], c->zero_ns, &start[i]))
			return IOT_ELIMIT;
	return IOT_OK;
}

/* Texts */

/*
 * Stores the code of a text, and in *code, unless it was there. Returns IOT_OK, or as
 * dictionary_code.
 */
static int put_text(struct arrow_column *c, size_t row, uint32_t *code, const char *text,
		    size_t size)
{
	if (*code == 0) {
		const int64_t found = dictionary_code(&c->texts, text, size);
		if (found < 0)
			return (int)found;
		*code = (uint32_t)found + 1;
	}
	put_number(c->values, row, sizeof *code, *code - 1);
	return IOT_OK;
}

static inline __attribute__((always_inline)) int put_names(struct arrow_column *c,
							   struct names *names,
							   enum event_column column,
							   const struct arrow_run *run)
{
	const struct iot_event *ev = run->ev;
	uint8_t known[ARROW_RUN_MAX];
	size_t count = 0;
	int status = IOT_OK;
	for (size_t i = 0; i < run->count && status == IOT_OK; i++) {
		struct event_cell cell;
		known[i] = event_cell_of(names, &ev[i].rec, column, &cell) == EVENT_CELL_NAME &&
			   cell.name->size > 0;
		count += known[i];
		if (known[i])
			status = put_text(c, c->rows + i, &cell.name->code, cell.name->text,
					  cell.name->size);
		else
			put_number(c->values, c->rows + i, sizeof cell.name->code, 0);
	}
	return status == IOT_OK ? put_nulls(c, known, run->count, run->count - count) : status;
}

/* Puts what follows from the types of records: their bits in `mask`. */
static int put_types(struct arrow_column *c, unsigned mask, const struct arrow_run *run)
{
	char name[EVENT_KIND_MAX];
	int status = IOT_OK;
	for (size_t i = 0; i < run->count && status == IOT_OK; i++) {
		const unsigned type = run->ev[i].rec.type;
		uint32_t *code = &c->code_of[type & mask];
		const char *end = name;
		if (*code == 0)
			end = c->column == EVENT_OP ? event_op_name(name, type)
						    : event_kind_name(name, type);
		status = put_text(c, c->rows + i, code, name, (size_t)(end - name));
	}
	return status;
}

static int put_records(struct arrow_column *c, struct names *names, const struct arrow_run *run)
{
	if (c->column == EVENT_OP || c->column == EVENT_KIND)
		return put_types(c, c->column == EVENT_OP ? IOT_WRITE : 0xff & ~(unsigned)IOT_WRITE,
				 run);
	switch (c->column) {
#define PUT_INT64(column)  put_numbers(c, names, column, 8, run)
#define PUT_UINT64(column) put_numbers(c, names, column, 8, run)
#define PUT_UINT32(column) put_numbers(c, names, column, 4, run)
#define PUT_TEXT(column)   put_names(c, names, column, run)
#define X(NAME, name, type)                                                                        \
	case EVENT_##NAME:                                                                         \
		return PUT_##type(EVENT_##NAME);
		EVENT_COLUMN_LIST(X)
#undef X
	case EVENT_COLUMNS:
		break;
	}
	return IOT_EUSAGE;
}

int arrow_column_records(struct arrow_column *c, struct names *names, const struct arrow_run *run)
{
	int status = put_records(c, names, run);
	if (status == IOT_OK && c->zero_ns != 0)
		status = add_zero(c, c->rows, c->rows + run->count);
	c->rows += run->count;
	return status;
}

static int put_cell(struct arrow_column *c, enum event_cell_kind kind, struct event_cell *cell)
{
	const uint8_t known =
	    kind == EVENT_CELL_NUMBER || (kind == EVENT_CELL_NAME && cell->name->size > 0);
	if (known && c->type == EVENT_TEXT)
		return put_text(c, c->rows, &cell->name->code, cell->name->text, cell->name->size);
	put_number(c->values, c->rows, c->width, known ? cell->number : 0);
	return put_nulls(c, &known, 1, !known);
}

int arrow_column_operation(struct arrow_column *c, struct names *names, const struct iot_event *ev)
{
	struct event_cell cell = {0};
	uint32_t code = 0;
	int status = c->column == EVENT_KIND
			 ? put_text(c, c->rows, &code, "op", 2)
			 : put_cell(c, event_operation_cell(names, ev, c->column, &cell), &cell);
	if (status == IOT_OK && c->zero_ns != 0)
		status = add_zero(c, c->rows, c->rows + 1);
	c->rows++;
	return status;
}

/* Exported columns */

struct exported_column {
	const void *pointers[2];
	void *values, *valid;
	size_t values_size, valid_size;
	struct buffers *buffers;
	struct ArrowArray dictionary;
};

static void release(struct ArrowArray *a)
{
	struct exported_column *e = a->private_data;
	if (e->dictionary.release != NULL)
		e->dictionary.release(&e->dictionary);
	buffers_give(e->buffers, e->values, e->values_size);
	buffers_give(e->buffers, e->valid, e->valid_size);
	buffers_drop(e->buffers);
	free(e);
	a->release = NULL;
}

int arrow_column_export(struct arrow_column *c, struct ArrowArray *out)
{
	struct exported_column *e = malloc(sizeof *e);
	const bool texts = c->type == EVENT_TEXT;
	if (e == NULL)
		return IOT_ENOMEM;
	*e = (struct exported_column){.pointers = {c->valid, c->values},
				      .values = c->values,
				      .valid = c->valid,
				      .values_size = c->capacity * c->width,
				      .valid_size = bitmap_size(c->capacity)};
	if (texts && dictionary_export(&c->texts, &e->dictionary) != IOT_OK) {
		free(e);
		return IOT_ENOMEM;
	}
	e->buffers = buffers_share(c->buffers);
	*out = (struct ArrowArray){.length = (int64_t)c->rows,
				   .null_count = (int64_t)c->nulls,
				   .n_buffers = 2,
				   .buffers = e->pointers,
				   .dictionary = texts ? &e->dictionary : NULL,
				   .release = release,
				   .private_data = e};
	c->values = c->valid = NULL;
	c->rows = c->capacity = c->nulls = 0;
	return IOT_OK;
}
