/* SPDX-License-Identifier: BSD-2-Clause */
#include "maps.h"

#include <string.h>

#include "cli/print/quantity.h"
#include "cli/print/tsv.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

#include "values.h"

/* TSV: a row for each value, and a column for each run, whose name may be of any length */

static void write_row(const struct analyze_maps *m, struct tsv *t,
		      const struct iot_analyze_value *first)
{
	tsv_word(t, first->name);
	tsv_word(t, first->key);
	tsv_word(t, first->unit);
	for (size_t i = 0; i < m->count; i++) {
		struct value_texts texts = {.used = 0};
		struct iot_cell cell = {.kind = IOT_UNKNOWN};
		value_cell(&cell, analyze_map_find(&m->map[i], first->name, first->key), &texts);
		quantity_tsv(tsv_cell(t), IOT_NAME, &cell);
	}
}

/* A row for each value that any run has, at the first of these. */
static void write_tsv(const struct analyze_maps *m, struct output *out)
{
	struct tsv t = {.out = out, .columns = 3 + m->count};
	tsv_word(&t, "criterion");
	tsv_word(&t, "key");
	tsv_word(&t, "unit");
	for (size_t i = 0; i < m->count; i++)
		tsv_name(&t, m->map[i].name, strlen(m->map[i].name));
	for (size_t run = 0; run < m->count; run++) {
		const struct analyze_maps earlier = {.map = m->map, .count = run};
		for (size_t i = 0; i < m->map[run].count; i++) {
			const struct iot_analyze_value *v = &m->map[run].values[i].value;
			if (!analyze_maps_have(&earlier, v->name, v->key))
				write_row(m, &t, v);
		}
	}
	tsv_end(&t);
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
	row_word(to, &metrics.stated_value, view->run->name);
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
	row_table(to, &metrics.stated_value, &view->values);
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
	static const struct iot_column run[] = COLUMN_LIST(COLUMN(stated_value));
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
		write_tsv(m, out);
}
