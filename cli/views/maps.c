/* SPDX-License-Identifier: BSD-2-Clause */
#include "maps.h"

#include "lib/result/columns.h"
#include "lib/result/row.h"

#include "values.h"

/* TSV: a row for each value of each run */

struct map_rows {
	const struct analyze_maps *maps;
	size_t run, first; /* the run that was read last, and the number of its first row */
	struct value_texts texts;
};

static size_t count_values(const struct analyze_maps *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->count; i++)
		n += m->map[i].count;
	return n;
}

/* Returns the run of a row; rows are mostly read in order. */
static const struct analyze_map *run_at(struct map_rows *r, size_t row)
{
	if (row < r->first)
		r->run = r->first = 0;
	while (row - r->first >= r->maps->map[r->run].count)
		r->first += r->maps->map[r->run++].count;
	return &r->maps->map[r->run];
}

static void set_value_row(struct iot_row *to, void *source)
{
	struct map_rows *r = source;
	const struct analyze_map *run = run_at(r, to->number);
	const struct iot_analyze_value *v = &run->values[to->number - r->first].value;
	r->texts.used = 0;
	row_word(to, &metrics.job, run->name);
	value_set_name(to, v);
	value_set(to, &metrics.value, v, &r->texts);
}

static void print_rows(const struct analyze_maps *m, struct output *out,
		       const struct print_form *form)
{
	static const struct iot_column columns[] = COLUMN_LIST(
	    COLUMN(job), COLUMN(name), COLUMN_AS(value_key, "key"), COLUMN(unit), COLUMN(value));
	struct map_rows r = {.maps = m};
	const struct iot_table rows = TABLE_ROWS(columns, count_values(m), set_value_row, &r);
	form->print(out, &rows, NULL);
}

/* JSON: an object for each run, with its name and a member for each criterion */

struct maps_view {
	const struct analyze_maps *maps;
	const struct analyze_map *run; /* the one that is read */
	struct iot_table runs, values;
	struct value_maps criteria;
};

static const struct iot_analyze_value *value_at(const void *source, size_t i)
{
	const struct analyze_map *map = source;
	return i < map->count ? &map->values[i].value : NULL;
}

/* The criteria, after the name. */
static void set_value(struct iot_row *to, void *source)
{
	struct maps_view *view = source;
	if (to->number-- > 0) {
		value_map_fill(to, &view->criteria.map[VALUE_NAMES]);
		return;
	}
	row_word(to, &metrics.value_key, "key");
	row_word(to, &metrics.value, view->run->name);
}

static void set_run(struct iot_row *to, void *source)
{
	struct maps_view *view = source;
	view->run = &view->maps->map[to->number];
	view->values = *value_maps_begin(&view->criteria, (struct value_list){value_at, view->run},
					 VALUE_NAMES, 0);
	view->values.rows++;
	view->values.fill = set_value;
	view->values.source = view;
	row_table(to, &metrics.value, &view->values);
}

static void set_document(struct iot_row *to, void *source)
{
	const struct maps_view *view = source;
	row_word(to, &metrics.by, "job");
	row_table(to, &metrics.rows, &view->runs);
}

static void print_document(const struct analyze_maps *m, struct output *out,
			   const struct print_form *form)
{
	static const struct iot_column columns[] = COLUMN_LIST(COLUMN(by), COLUMN(rows));
	static const struct iot_column run[] = COLUMN_LIST(COLUMN(value));
	struct maps_view view = {.maps = m, .runs = TABLE_LIST(run, m->count, set_run, &view)};
	const struct iot_table document = TABLE_RECORD(columns, set_document, &view);
	form->print(out, &document, NULL);
}

void maps_print(struct analyze_maps *m, struct output *out, const struct print_form *form)
{
	analyze_maps_sort(m);
	if (form == NULL)
		analyze_maps_text(m, out);
	else if (form->is_nested)
		print_document(m, out, form);
	else
		print_rows(m, out, form);
}
