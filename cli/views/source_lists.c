/* SPDX-License-Identifier: BSD-2-Clause */
#include "source_lists.h"

#include "lib/result/columns.h"
#include "lib/result/row.h"

size_t source_counts(const struct iot_source *s)
{
	size_t n = 0;
	while (iot_source_count(s, n) != NULL)
		n++;
	return n;
}

static void set_note(struct iot_row *to, void *source)
{
	row_word(to, &metrics.text, iot_source_note(source, to->number));
}

struct iot_table source_notes_table(const struct iot_source *s)
{
	static const struct iot_column columns[] = COLUMN_LIST(COLUMN(text));
	size_t n = 0;
	while (iot_source_note(s, n) != NULL)
		n++;
	return (struct iot_table)TABLE_LIST(columns, n, set_note, (void *)s);
}

static void set_example(struct iot_row *to, void *source)
{
	const struct iot_source_example *e = iot_source_example(source, to->number);
	row_word(to, &metrics.path, e->file);
	row_number(to, &metrics.line, e->line);
	row_word(to, &metrics.text, e->text);
}

struct iot_table source_examples_table(const struct iot_source *s)
{
	static const struct iot_column columns[] =
	    COLUMN_LIST(COLUMN(path), COLUMN(line), COLUMN(text));
	size_t n = 0;
	while (iot_source_example(s, n) != NULL)
		n++;
	return (struct iot_table)TABLE_ROWS(columns, n, set_example, (void *)s);
}

static void set_difference(struct iot_row *to, void *source)
{
	const struct iot_source_difference *d = iot_source_difference(source, to->number);
	row_word(to, &metrics.where, d->where);
	row_word(to, &metrics.what, d->what);
	row_number(to, &metrics.source_sum, d->source_says);
	row_number(to, &metrics.records_sum, d->converted);
}

struct iot_table source_differences_table(const struct iot_source *s)
{
	static const struct iot_column columns[] =
	    COLUMN_LIST(COLUMN(where), COLUMN(what), COLUMN(source_sum), COLUMN(records_sum));
	size_t n = 0;
	while (iot_source_difference(s, n) != NULL)
		n++;
	return (struct iot_table)TABLE_ROWS(columns, n, set_difference, (void *)s);
}
