/* SPDX-License-Identifier: BSD-2-Clause */
#include "analyze.h"

#include <string.h>

#include "lib/result/columns.h"
#include "lib/result/names.h"
#include "lib/result/row.h"

#include "findings.h"
#include "values.h"

struct analyze_document {
	const struct iot_analyze *analysis;
	size_t hidden, hidden_end; /* the values that are left out */
	struct value_maps maps;
	struct findings_view findings;
};

static const struct iot_analyze_value *shown_at(const void *source, size_t i)
{
	const struct analyze_document *d = source;
	return iot_analyze_value(d->analysis, i < d->hidden ? i : i - d->hidden + d->hidden_end);
}

/* Several traces are joined by the paths of files, even if that section is not selected. */
static void hide_files(struct analyze_document *d)
{
	const struct iot_analyze_value *v;
	for (size_t i = 0; (v = iot_analyze_value(d->analysis, i)) != NULL; i++)
		if (strcmp(v->section, SECTION_OF(files)) == 0) {
			d->hidden = d->hidden_end == 0 ? i : d->hidden;
			d->hidden_end = i + 1;
		}
}

static void document_begin(struct analyze_document *d, const struct analyze_results *a)
{
	d->analysis = a->analysis;
	d->hidden = d->hidden_end = 0;
	if (a->hides_files)
		hide_files(d);
}

/* Findings are rows. */
static void set_section(struct iot_row *to, void *source)
{
	struct analyze_document *d = source;
	const struct iot_analyze_value *v = value_map_fill(to, &d->maps.map[VALUE_SECTIONS]);
	if (strcmp(v->section, SECTION_OF(findings)) == 0)
		row_table(to, &metrics.value, &d->findings.table);
}

static void print_nested(struct analyze_results *a, const struct print_form *form)
{
	struct analyze_document d;
	document_begin(&d, a);
	findings_view(&d.findings, a->analysis);
	struct iot_table sections =
	    *value_maps_begin(&d.maps, (struct value_list){shown_at, &d}, VALUE_SECTIONS, 0);
	sections.fill = set_section;
	sections.source = &d;
	form->print(&a->out, &sections, NULL);
}

static void set_value(struct iot_row *to, void *source)
{
	struct analyze_document *d = source;
	const struct iot_analyze_value *v = shown_at(d, to->number);
	d->maps.texts.used = 0;
	value_set_name(to, v);
	value_set(to, &metrics.value, v, &d->maps.texts);
	row_word(to, &metrics.note, v->note);
}

static void print_flat(struct analyze_results *a, const struct print_form *form)
{
	static const struct iot_column columns[] =
	    COLUMN_LIST(COLUMN(section), COLUMN(name), COLUMN_AS(value_key, "key"), COLUMN(unit),
			COLUMN(value), COLUMN(note));
	struct analyze_document d;
	size_t rows = 0;
	document_begin(&d, a);
	while (shown_at(&d, rows) != NULL)
		rows++;
	const struct iot_table table = TABLE_ROWS(columns, rows, set_value, &d);
	form->print(&a->out, &table, NULL);
}

void analyze_print(struct analyze_results *a, const struct print_form *form)
{
	(form->is_nested ? print_nested : print_flat)(a, form);
}
