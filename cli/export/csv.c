/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CSV and TSV for data frames and databases: nanoseconds and bytes, empty where unknown, paths
 * percent-encoded so that every row is valid UTF-8 and one line.
 */
#include <stdlib.h>

#include "lib/base/number.h"
#include "lib/base/utf8.h"
#include "lib/event_table/event_table.h"
#include "export.h"

enum { NUMBERS_MAX = EVENT_COLUMNS_MAX * EVENT_KIND_MAX /* bytes of a row without its names */ };

struct csv_table {
	char separator;
	struct event_columns columns;
};

/* Names */

static size_t tsv_encode(char *out, const char *text, size_t size)
{
	return percent_encode_cell(out, text, size, "\"\\");
}

/* Quotes as RFC 4180 does, from the end: out has 3 * size + 2 bytes. */
static size_t quote(char *out, size_t size, size_t quotes)
{
	const size_t total = size + quotes + 2;
	char *to = out + total;
	*--to = '"';
	for (size_t i = size; i-- > 0;) {
		*--to = out[i];
		if (out[i] == '"')
			*--to = '"';
	}
	*--to = '"';
	return total;
}

static size_t csv_encode(char *out, const char *text, size_t size)
{
	const size_t used = event_cell_text(out, text, size);
	size_t quotes = 0;
	for (size_t i = 0; i < used; i++)
		quotes += out[i] == '"';
	return quotes > 0 || memchr(out, ',', used) != NULL ? quote(out, used, quotes) : used;
}

static void begin(struct export *x, char separator)
{
	struct csv_table *c = export_state(x, sizeof *c);
	if (c == NULL)
		return;
	c->separator = separator;
	(void)event_columns_parse(&c->columns, x->options->columns, NULL);
	const size_t count = x->options->no_header ? 0 : c->columns.count;
	for (size_t i = 0; i < count; i++) {
		output_text(x->out, event_column_name(c->columns.column[i]));
		output_write(x->out, i + 1 < count ? &separator : "\n", 1);
	}
}

static void begin_csv(struct export *x)
{
	begin(x, ',');
}

static void begin_tsv(struct export *x)
{
	begin(x, '\t');
}

/* Rows */

static inline char *put_name(struct export *x, char *to, const struct name *name)
{
	output_took(x->out, to);
	if (name->size <= NAMES_CAPACITY) {
		to = output_reserve(x->out, NAMES_CAPACITY + NUMBERS_MAX);
		memcpy(to, name->text, name->size);
		return to + name->size;
	}
	output_write(x->out, name->text, name->size);
	return output_reserve(x->out, NUMBERS_MAX);
}

static char *put_signed(char *to, int64_t v)
{
	if (v < 0)
		*to++ = '-';
	return number_fast(to, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static inline char *put_cell(struct export *x, char *to, enum event_column column,
			     enum event_cell_kind kind, const struct event_cell *cell)
{
	if (kind == EVENT_CELL_NAME)
		return put_name(x, to, cell->name);
	if (kind == EVENT_CELL_NUMBER)
		return column == EVENT_CPU_NS ? put_signed(to, (int64_t)cell->number)
					      : number_fast(to, cell->number);
	x->notes[NOTE_OFFSET_TOO_LARGE] += kind == EVENT_CELL_TOO_LARGE;
	return to;
}

static inline char *put_field(struct export *x, char *to, const struct iot_record *r,
			      enum event_column column)
{
	struct event_cell cell;
	switch (column) {
	case EVENT_OP:
		return event_op_name(to, r->type);
	case EVENT_KIND:
		if ((r->type & ~(unsigned)IOT_WRITE) != IOT_LOGICAL)
			return event_kind_name(to, r->type);
		memcpy(to, "file", 4);
		return to + 4;
	default:
		return put_cell(x, to, column, event_cell_of(&x->names, r, column, &cell), &cell);
	}
}

static char *put_op_field(struct export *x, char *to, const struct iot_event *ev,
			  enum event_column column)
{
	struct event_cell cell;
	if (column == EVENT_KIND)
		return stpcpy(to, "op");
	return put_cell(x, to, column, event_operation_cell(&x->names, ev, column, &cell), &cell);
}

static void write_row(struct export *x, const struct iot_event *ev)
{
	const struct csv_table *c = x->state;
	char *to = output_reserve(x->out, NUMBERS_MAX);
	for (size_t i = 0; i < c->columns.count; i++) {
		const enum event_column column = c->columns.column[i];
		to = ev->kind == IOT_RECORD ? put_field(x, to, &ev->rec, column)
					    : put_op_field(x, to, ev, column);
		*to++ = c->separator;
	}
	to[-1] = '\n';
	output_took(x->out, to);
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD) {
			write_row(x, &ev[i]);
			continue;
		}
		if (ev[i].kind == IOT_OP && x->options->all_events)
			write_row(x, &ev[i]);
		x->notes[NOTE_OPERATIONS] += ev[i].kind == IOT_OP && !x->options->all_events;
		x->notes[NOTE_COUNTERS] += ev[i].kind == IOT_COUNTER;
		x->notes[NOTE_LOST] += ev[i].kind == IOT_LOST;
		export_event(x, &ev[i]);
	}
	x->failed |= x->names.failed;
}

const struct export_format export_csv = {
    .encode = csv_encode, .begin = begin_csv, .events = events};
const struct export_format export_tsv = {
    .encode = tsv_encode, .begin = begin_tsv, .events = events};
