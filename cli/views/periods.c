/* SPDX-License-Identifier: BSD-2-Clause */
#include "periods.h"

#include <stdio.h>

#include "cli/print/text.h"
#include "cli/ui/printable.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

enum { KEY = 64, LABEL = 1024 };

struct period_view {
	const struct period_rows *period;
	char key[KEY], label[LABEL]; /* of the row that is read */
};

/* Returns NULL if the row has no id. */
static const char *key_of(int by, const struct iot_stats_row *row, char text[KEY])
{
	if (by == IOT_STATS_BY_PROCESS)
		snprintf(text, KEY, "%u", row->process);
	else if (by == IOT_STATS_BY_RANK && (row->has & IOT_STATS_HAS_RANK) != 0)
		snprintf(text, KEY, "%ju", (uintmax_t)row->rank);
	else if (row->object != 0)
		snprintf(text, KEY, "object/%u", row->object);
	else if (by == IOT_STATS_BY_OBJECT)
		snprintf(text, KEY, "stream/%u/%u", row->process, row->file);
	else
		return NULL;
	return text;
}

/* Returns the name, after the id of a process; the id alone without a name. */
static const char *label_of(int by, const struct iot_stats_row *row, const char *key,
			    char text[LABEL])
{
	int used = 0;
	if (row->name == NULL)
		return key;
	if (by == IOT_STATS_BY_PROCESS)
		used = snprintf(text, LABEL, "%s ", key);
	printable(text + used, LABEL - (size_t)used, row->name, row->name_size);
	return text;
}

static double rate(const struct period_rows *p, uint64_t count)
{
	return (double)count / ((double)p->length_ns / 1e9);
}

static void set_row(struct iot_row *to, void *source)
{
	struct period_view *v = source;
	const struct period_rows *p = v->period;
	const struct iot_stats_row *all = p->rows[to->number].all;
	const struct interval_counts *n = &p->rows[to->number].recent;
	const char *key = key_of(p->by, all, v->key);
	row_number(to, &metrics.start_ns, p->start_ns);
	row_word(to, &metrics.key, key);
	row_text(to, &metrics.name, all->name, all->name_size);
	row_word(to, &metrics.label, label_of(p->by, all, key, v->label));
	row_counts(to, &metrics.requests, (const uint64_t[2]){n->reads, n->writes});
	row_counts(to, &metrics.bytes, (const uint64_t[2]){n->read_bytes, n->written_bytes});
	row_known(to, &metrics.opens, (all->has & IOT_STATS_HAS_OPENS) != 0, n->opens);
	row_number(to, &metrics.io_ns, n->io_ns);
	row_real(to, &metrics.requests_per_s, rate(p, n->reads + n->writes));
	row_real_of(to, &metrics.bytes_per_s, IOT_READS, rate(p, n->read_bytes));
	row_real_of(to, &metrics.bytes_per_s, IOT_WRITES, rate(p, n->written_bytes));
}

static void print_as_text(struct output *out, const struct period_rows *p,
			  const struct iot_table *table)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT_AS(start_ns, "begin, s", 12, -6), TEXT_READ(requests, 9, 0),
			TEXT_WRITE(requests, 9, 0), TEXT(requests_per_s, 11, 1),
			{COLUMN_READ(bytes_per_s), "read MiB/s", 12, {3, TEXT_MIB}},
			{COLUMN_WRITE(bytes_per_s), "write MiB/s", 12, {3, TEXT_MIB}},
			TEXT(opens, 7, 0), TEXT(label, 0, 0));
	static const char *const titles[] = {[IOT_STATS_BY_PROCESS] = "process",
					     [IOT_STATS_BY_RANK] = "rank",
					     [IOT_STATS_BY_HOST] = "host",
					     [IOT_STATS_BY_OBJECT] = "file",
					     [IOT_STATS_BY_DIRECTORY] = "directory"};
	const bool total = p->by == PERIOD_TOTAL;
	const size_t shown = COLUMN_COUNT(columns) - total;
	if (p->is_first)
		print_text(out, columns, shown, total ? NULL : titles[p->by], table);
	else
		print_text_rows(out, columns, shown, table);
}

#define COUNTS                                                                                     \
	COLUMN_READ(requests), COLUMN_WRITE(requests), COLUMN_READ(bytes), COLUMN_WRITE(bytes),    \
	    COLUMN(opens), COLUMN(io_ns)

void period_print(struct output *out, const struct period_rows *p, const struct print_form *form)
{
	static const struct iot_column of_all[] = COLUMN_LIST(COLUMN(start_ns), COUNTS);
	static const struct iot_column of_rows[] =
	    COLUMN_LIST(COLUMN(start_ns), COLUMN(key), COLUMN(name), COUNTS);
	struct period_view v = {.period = p};
	struct iot_table table = TABLE_ROWS(of_rows, p->count, set_row, &v);
	if (p->by == PERIOD_TOTAL)
		table = (struct iot_table)TABLE_ROWS(of_all, p->count, set_row, &v);
	if (form == NULL)
		print_as_text(out, p, &table);
	else if (p->is_first)
		form->print(out, &table, NULL);
	else
		form->print_more(out, &table);
}
