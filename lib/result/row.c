/* SPDX-License-Identifier: BSD-2-Clause */
#include "row.h"

#include <math.h>
#include <string.h>

/* Returns the first column of a metric in [from, end), or end. */
static size_t find(const struct iot_column *column, size_t from, size_t end,
		   const struct iot_metric *m, enum iot_direction direction)
{
	while (from < end && (column[from].metric != m || column[from].direction != direction))
		from++;
	return from;
}

struct iot_cell *row_cell(struct iot_row *r, const struct iot_metric *m,
			  enum iot_direction direction)
{
	const size_t columns = r->table->columns;
	size_t i = find(r->table->column, r->next, columns, m, direction);
	if (i == columns) {
		i = find(r->table->column, 0, r->next, m, direction);
		if (i == r->next)
			return NULL;
	}
	r->next = i + 1;
	return &r->cell[i];
}

static void set(struct iot_row *r, const struct iot_metric *m, enum iot_direction direction,
		struct iot_cell value)
{
	struct iot_cell *cell = row_cell(r, m, direction);
	if (cell != NULL)
		*cell = value;
}

void row_number_of(struct iot_row *r, const struct iot_metric *m, enum iot_direction direction,
		   uint64_t value)
{
	set(r, m, direction, (struct iot_cell){.kind = IOT_INTEGER, .integer = value});
}

void row_number(struct iot_row *r, const struct iot_metric *m, uint64_t value)
{
	row_number_of(r, m, IOT_BOTH, value);
}

void row_known(struct iot_row *r, const struct iot_metric *m, bool known, uint64_t value)
{
	if (known)
		row_number(r, m, value);
}

void row_bounded(struct iot_row *r, const struct iot_metric *m, uint64_t value, const char *why)
{
	set(r, m, IOT_BOTH, (struct iot_cell){.kind = IOT_INTEGER, .integer = value, .why = why});
}

void row_signed(struct iot_row *r, const struct iot_metric *m, int64_t value)
{
	set(r, m, IOT_BOTH, (struct iot_cell){.kind = IOT_SIGNED, .signed_integer = value});
}

void row_real_of(struct iot_row *r, const struct iot_metric *m, enum iot_direction direction,
		 double value)
{
	if (isfinite(value))
		set(r, m, direction, (struct iot_cell){.kind = IOT_REAL, .real = value});
}

void row_real(struct iot_row *r, const struct iot_metric *m, double value)
{
	row_real_of(r, m, IOT_BOTH, value);
}

void row_text(struct iot_row *r, const struct iot_metric *m, const char *text, size_t size)
{
	if (text == NULL)
		row_absent(r, m);
	else
		set(r, m, IOT_BOTH, (struct iot_cell){.kind = IOT_TEXT, .text = {text, size}});
}

void row_word(struct iot_row *r, const struct iot_metric *m, const char *text)
{
	row_text(r, m, text, text != NULL ? strlen(text) : 0);
}

void row_table(struct iot_row *r, const struct iot_metric *m, const struct iot_table *table)
{
	if (table == NULL)
		row_absent(r, m);
	else
		set(r, m, IOT_BOTH, (struct iot_cell){.kind = IOT_TABLE, .table = table});
}

void row_absent(struct iot_row *r, const struct iot_metric *m)
{
	set(r, m, IOT_BOTH, (struct iot_cell){.kind = IOT_ABSENT});
	set(r, m, IOT_READS, (struct iot_cell){.kind = IOT_ABSENT});
	set(r, m, IOT_WRITES, (struct iot_cell){.kind = IOT_ABSENT});
}

void row_counts(struct iot_row *r, const struct iot_metric *m, const uint64_t counts[2])
{
	row_number_of(r, m, IOT_BOTH, counts[0] + counts[1]);
	row_number_of(r, m, IOT_READS, counts[0]);
	row_number_of(r, m, IOT_WRITES, counts[1]);
}

void row_shares(struct iot_row *r, const struct iot_metric *m, const uint64_t parts[2],
		const uint64_t wholes[2])
{
	/* 0 / 0 is not finite, so it is unknown */
	row_real_of(r, m, IOT_BOTH,
		    (double)(parts[0] + parts[1]) / (double)(wholes[0] + wholes[1]));
	row_real_of(r, m, IOT_READS, (double)parts[0] / (double)wholes[0]);
	row_real_of(r, m, IOT_WRITES, (double)parts[1] / (double)wholes[1]);
}
