/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line has a kind, the number of its rows, and for each column the numbers of all rows:
 *
 *	%state kind=totals layer=0 rows=1 i=0 n_r=3000 n_w=1
 *	%state kind=totals.file layer=0 rows=3 i=+026 n_r=hMa0 n_w=004
 *
 * A table continues on further lines of the same kind. state_column.c has the numbers of a column.
 */
#include "state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/base/text.h"
#include "lib/format/directive.h"

#include "state_column.h"

enum {
	LINE_FULL = 12288, /* bytes of numbers, with which a line ends before the next row */
};

static const char hex[] = "0123456789ABCDEF";

/* Failures. Only the first one is kept. */

void state_no_memory(struct state *s)
{
	error_no_memory(&s->error);
}

static const char *directive_of(const struct state *s)
{
	return s->directive != NULL ? s->directive : "%state";
}

static void refuse(struct state *s, const char *what, const char *expected)
{
	char kind[64];
	const struct iot_text text = s->head.kind;
	if (!s->has_line) {
		error_set(&s->error, IOT_EFORMAT, "the state ends, expected %s", expected);
		return;
	}
	error_set(&s->error, IOT_EFORMAT, "%s kind=%s: %s, expected %s", directive_of(s),
		  escape_text(kind, sizeof kind, text.data != NULL ? text.data : "", text.size),
		  what, expected);
}

static void refuse_column(struct state *s, const char *key, const char *expected)
{
	char what[64];
	snprintf(what, sizeof what, "%s= of a row", key);
	refuse(s, what, expected);
}

void state_check(struct state *s, bool valid, const char *expected)
{
	if (!state_saves(s) && !valid)
		refuse(s, "a table", expected);
}

/* Saving */

static size_t put_head(struct state *s)
{
	char layer[32] = "", direction[32] = "";
	if (s->layer >= 0)
		snprintf(layer, sizeof layer, " layer=%d", s->layer);
	if (s->direction >= 0)
		snprintf(direction, sizeof direction, " d=%d", s->direction);
	return (size_t)snprintf(s->text, STATE_LINE_MAX, "%s kind=%s%s%s rows=%ju", directive_of(s),
				s->kind, layer, direction, (uintmax_t)s->rows);
}

static void clear_line(struct state *s)
{
	for (size_t i = 0; i < s->columns; i++) {
		struct state_column *c = &s->column[i];
		c->size = c->size_before = c->count = c->count_before = 0;
	}
	s->rows = 0;
	s->bytes = s->bytes_before = 0;
}

static bool put_column(struct state *s, size_t *size, const struct state_column *c)
{
	if (!state_put(s, size, " ", 1) || !state_put(s, size, c->key, strlen(c->key)) ||
	    !state_put(s, size, "=", 1))
		return false;
	return c->count > 0 ? state_put_numbers(s, size, c)
			    : state_put(s, size, c->text + 1, c->size - 1);
}

static void write_line(struct state *s)
{
	struct iot_event ev = {.kind = IOT_DIRECTIVE};
	size_t size = put_head(s);
	for (size_t i = 0; i < s->columns; i++)
		if (!put_column(s, &size, &s->column[i]))
			return;
	ev.text = (struct iot_text){s->text, size};
	const int status = iot_writer_events(s->writer, &ev, 1);
	if (status != IOT_OK)
		error_set(&s->error, status, "%s", iot_writer_error(s->writer));
	clear_line(s);
}

/* Leaves out the row if all of it but its number is 0. */
static void end_saved_row(struct state *s)
{
	assert(s->columns == 0 || s->next == s->columns);
	s->columns = s->next;
	for (size_t i = 0; i < s->columns; i++) {
		struct state_column *c = &s->column[i];
		if (!s->filled) {
			c->size = c->size_before;
			c->count = c->count_before;
		}
		c->size_before = c->size;
		c->count_before = c->count;
	}
	if (!s->filled)
		s->bytes = s->bytes_before;
	s->bytes_before = s->bytes;
	s->rows += s->filled;
	if (s->bytes > LINE_FULL)
		write_line(s);
}

static void end_saved_table(struct state *s)
{
	if (s->rows > 0 && !state_failed(s))
		write_line(s);
	clear_line(s);
	s->columns = 0;
	s->kind = NULL;
}

static bool begin_saved_row(struct state *s, bool more)
{
	if (s->in_row && !state_failed(s))
		end_saved_row(s);
	s->in_row = more && !state_failed(s);
	if (!s->in_row)
		end_saved_table(s);
	s->next = 0;
	s->filled = false;
	return s->in_row;
}

static struct state_column *next_saved(struct state *s, const char *key)
{
	assert(s->next < STATE_COLUMNS);
	struct state_column *c = &s->column[s->next++];
	assert(s->rows == 0 || s->columns == 0 || strcmp(c->key, key) == 0);
	c->key = key;
	return c;
}

static void save(struct state *s, const char *key, uint128 v)
{
	struct state_column *c = next_saved(s, key);
	s->filled |= v != 0;
	s->bytes += state_digits(v);
	if (array_reserve(&c->number, &c->number_capacity, c->count + 1, sizeof *c->number))
		c->number[c->count++] = v;
	else
		state_no_memory(s);
}

/* Loading */

static int small_of(struct iot_text text)
{
	uint64_t v;
	return number_decimal(text.data, text.size, &v) && v < 8 ? (int)v : -1;
}

/* After the head, whose last key is rows=, each token is a column. */
static void split_line(struct state *s)
{
	struct iot_text rest = s->line.text, token, key, value;
	struct state_head *head = &s->head;
	*head = (struct state_head){{NULL, 0}, -1, -1, 0};
	s->columns = 0;
	while (word_next(&rest, &token)) {
		if (!directive_split(token, &key, &value))
			continue;
		if (head->rows > 0 && s->columns < STATE_COLUMNS) {
			struct state_column *c = &s->column[s->columns++];
			c->name = key;
			c->at = value.data;
			c->end = value.data + value.size;
			state_begin_numbers(s, c);
		} else if (text_equals(key, "kind")) {
			head->kind = value;
		} else if (text_equals(key, "layer")) {
			head->layer = small_of(value);
		} else if (text_equals(key, "d")) {
			head->direction = small_of(value);
		} else if (text_equals(key, "rows")) {
			(void)number_decimal(value.data, value.size, &head->rows);
		}
	}
	rest = s->line.text;
	if (s->line.kind != IOT_DIRECTIVE || !word_next(&rest, &token) ||
	    !text_equals(token, directive_of(s)))
		refuse(s, "an event of another kind", directive_of(s));
	if (head->kind.data == NULL || head->rows > IOT_COMMENT_MAX || s->columns == 0)
		refuse(s, "a line without rows", "kind=, rows= and columns");
}

static bool fetch_line(struct state *s)
{
	if (s->has_line || state_failed(s))
		return s->has_line && !state_failed(s);
	const ssize_t n = iot_reader_events(s->reader, &s->line, 1);
	s->has_line = n > 0;
	if (n < 0)
		error_set(&s->error, (int)n, "%s", iot_reader_error(s->reader));
	else if (n > 0)
		split_line(s);
	return s->has_line && !state_failed(s);
}

static bool is_wanted(const struct state *s, const char *kind)
{
	return text_equals(s->head.kind, kind) && s->head.layer == s->layer &&
	       s->head.direction == s->direction;
}

static void end_loaded_row(struct state *s)
{
	s->in_row = false;
	s->rows--;
	if (s->next != s->columns)
		refuse(s, "an unknown column", "the columns of this version");
	if (s->rows > 0)
		return;
	for (size_t i = 0; i < s->columns; i++)
		if (s->column[i].at != NULL && s->column[i].at != s->column[i].end)
			refuse(s, "a column with more numbers than rows", "one for each row");
	s->has_line = false;
}

static bool begin_loaded_row(struct state *s)
{
	if (s->in_row)
		end_loaded_row(s);
	if (s->rows == 0) {
		if (!fetch_line(s) || !is_wanted(s, s->kind)) {
			s->kind = NULL;
			return false;
		}
		s->rows = s->head.rows;
		s->first = true;
	} else {
		s->first = false;
	}
	s->numbers += s->columns;
	if (++s->all_rows > STATE_ROWS_MAX || s->numbers > STATE_NUMBERS_MAX)
		refuse(s, "a state with more rows", "no more than the limit");
	s->next = 0;
	s->in_row = !state_failed(s);
	if (!s->in_row)
		s->kind = NULL;
	return s->in_row;
}

/* Returns the next column, NULL after a failure. */
static struct state_column *next_loaded(struct state *s, const char *key)
{
	struct state_column *c = s->next < s->columns ? &s->column[s->next] : NULL;
	s->next++;
	if (state_failed(s))
		return NULL;
	if (c != NULL && c->at != NULL && (!s->first || text_equals(c->name, key)))
		return c;
	refuse_column(s, key, "a column with a number for each row");
	return NULL;
}

static uint128 load_wide(struct state *s, const char *key)
{
	struct state_column *c = next_loaded(s, key);
	uint128 v = 0;
	if (c != NULL && state_read_number(s, c, &v))
		return v;
	refuse_column(s, key, "a number of 128 bits");
	return 0;
}

static uint64_t load(struct state *s, const char *key, uint64_t max)
{
	struct state_column *c = next_loaded(s, key);
	uint128 v = 0;
	if (c != NULL && state_read_number(s, c, &v) && v <= max)
		return (uint64_t)v;
	char expected[48];
	snprintf(expected, sizeof expected, "a number up to %ju", (uintmax_t)max);
	refuse_column(s, key, expected);
	return 0;
}

/* Rows */

static void open_table(struct state *s, const char *kind)
{
	s->kind = kind;
	s->all_rows = s->next_row = s->rows = 0;
	if (state_saves(s))
		s->columns = 0;
	s->in_row = false;
}

bool state_list(struct state *s, const char *kind, bool more)
{
	if (s->kind == NULL)
		open_table(s, kind);
	if (!state_saves(s))
		return begin_loaded_row(s);
	/* rows of zeros count in a list */
	s->filled = true;
	return begin_saved_row(s, more);
}

bool state_each(struct state *s, const char *kind, size_t rows, size_t *i)
{
	if (s->kind == NULL)
		open_table(s, kind);
	if (state_saves(s)) {
		const bool more = begin_saved_row(s, s->next_row < rows);
		*i = (size_t)s->next_row++;
		if (more)
			save(s, "i", *i);
		s->filled = false;
		return more;
	}
	if (!begin_loaded_row(s))
		return false;
	*i = (size_t)load(s, "i", UINT32_MAX);
	if (*i < s->next_row || *i >= rows)
		refuse_column(s, "i", "numbers that increase, up to the number of rows");
	s->next_row = *i + 1;
	if (!state_failed(s))
		return true;
	s->kind = NULL;
	return false;
}

/* Columns */

void state_limited(struct state *s, const char *key, uint64_t *v, uint64_t max)
{
	if (state_saves(s))
		save(s, key, *v);
	else
		*v = load(s, key, max);
}

void state_number(struct state *s, const char *key, uint64_t *v)
{
	state_limited(s, key, v, UINT64_MAX);
}

void state_small(struct state *s, const char *key, uint32_t *v, uint32_t max)
{
	if (state_saves(s))
		save(s, key, *v);
	else
		*v = (uint32_t)load(s, key, max);
}

void state_time(struct state *s, const char *key, int64_t *v)
{
	if (state_saves(s))
		save(s, key, (uint64_t)*v);
	else
		*v = (int64_t)load(s, key, INT64_MAX);
}

/* Zigzag: 0, -1, 1, -2, ... */
void state_signed(struct state *s, const char *key, int64_t *v)
{
	if (state_saves(s)) {
		save(s, key, ((uint64_t)*v << 1) ^ (*v < 0 ? UINT64_MAX : 0));
		return;
	}
	const uint64_t code = load(s, key, UINT64_MAX);
	*v = (int64_t)(code >> 1 ^ (0 - (code & 1)));
}

void state_flag(struct state *s, const char *key, bool *v)
{
	if (state_saves(s))
		save(s, key, *v);
	else
		*v = load(s, key, 1) != 0;
}

void state_wide(struct state *s, const char *key, uint128 *v)
{
	if (state_saves(s))
		save(s, key, *v);
	else
		*v = load_wide(s, key);
}

/* A column that begins with STATE_DIFFERENCES or STATE_SCALED has numbers. */
static bool is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && c != '%' && c != ',' && c != STATE_DIFFERENCES &&
	       c != STATE_SCALED;
}

static void save_text(struct state *s, const char *key, struct iot_text v)
{
	struct state_column *c = next_saved(s, key);
	const size_t size = c->size;
	s->filled |= v.size > 0;
	if (!array_reserve(&c->text, &c->text_capacity, size + 3 * v.size + 1, 1)) {
		state_no_memory(s);
		return;
	}
	c->text[c->size++] = ',';
	for (size_t i = 0; i < v.size; i++) {
		const unsigned char byte = (unsigned char)v.data[i];
		if (is_plain(byte)) {
			c->text[c->size++] = (char)byte;
			continue;
		}
		c->text[c->size++] = '%';
		c->text[c->size++] = hex[byte >> 4];
		c->text[c->size++] = hex[byte & 15];
	}
	s->bytes += c->size - size;
}

void state_text(struct state *s, const char *key, struct iot_text *v)
{
	if (state_saves(s)) {
		save_text(s, key, *v);
		return;
	}
	struct state_column *c = next_loaded(s, key);
	unsigned malformed = 0;
	*v = (struct iot_text){s->text, 0};
	if (c == NULL)
		return;
	const char *comma = memchr(c->at, ',', (size_t)(c->end - c->at));
	const char *end = comma != NULL ? comma : c->end;
	const struct iot_text text = {c->at, (size_t)(end - c->at)};
	c->at = comma != NULL ? comma + 1 : NULL;
	v->size = iot_percent_decode(text, s->text, &malformed);
	if (malformed == 0 && v->size <= STATE_TEXT_MAX)
		return;
	v->size = 0;
	refuse_column(s, key, "a text, percent-encoded");
}

void state_reference(struct state *s, const char *key, const struct state_numbers *of, uint32_t *v)
{
	if (state_saves(s)) {
		save(s, key, of->index[*v] - 1);
		return;
	}
	const uint64_t row = load(s, key, of->count > 0 ? of->count - 1 : 0);
	if (row < of->count)
		*v = of->own[row];
	else
		refuse_column(s, key, "the number of a row");
}

/* Helpers */

void *state_at(struct state *s, void *array, size_t *capacity, size_t i, size_t size)
{
	assert(size <= sizeof s->zero);
	if (state_saves(s) && i >= *capacity)
		return memset(s->zero, 0, size);
	if (!array_reserve_index(array, capacity, i, size)) {
		state_no_memory(s);
		return NULL;
	}
	char *first;
	memcpy(&first, array, sizeof first);
	return first + i * size;
}

void state_add_number(struct state *s, struct state_numbers *of, uint32_t own)
{
	if (!array_reserve_index(&of->own, &of->own_capacity, of->count, sizeof *of->own) ||
	    !array_reserve_index(&of->index, &of->index_capacity, own, sizeof *of->index)) {
		state_no_memory(s);
		return;
	}
	of->own[of->count++] = own;
	of->index[own] = (uint32_t)of->count;
}

bool state_begin(struct state *s)
{
	s->text = malloc(IOT_COMMENT_MAX);
	state_make_values(s->value);
	if (s->has_line)
		split_line(s);
	return s->text != NULL;
}

bool state_ends(struct state *s)
{
	return !fetch_line(s) || (s->member && text_equals(s->head.kind, "member"));
}

static void free_numbers(struct state_numbers *of)
{
	free(of->own);
	free(of->index);
}

void state_free(struct state *s)
{
	for (size_t i = 0; i < STATE_COLUMNS; i++) {
		free(s->column[i].number);
		free(s->column[i].text);
	}
	free_numbers(&s->processes);
	free_numbers(&s->files);
	free_numbers(&s->pairs);
	free_numbers(&s->ids);
	free_numbers(&s->streams);
	free_numbers(&s->heads);
	free(s->text);
}
