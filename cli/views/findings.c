/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/analyze/findings.h"
#include "lib/result/columns.h"
#include "lib/result/names.h"
#include "lib/result/row.h"

static const struct iot_analyze_value *find(const struct findings_view *v, const char *name)
{
	return iot_analyze_find(v->analysis, SECTION_OF(findings), name, v->code);
}

/* A value that the finding does not have is absent. */
static void set(struct iot_row *to, const struct iot_metric *m, struct findings_view *v)
{
	const struct iot_analyze_value *value = find(v, m->name);
	if (value == NULL)
		row_absent(to, m);
	else
		value_set(to, m, value, &v->texts);
}

static void set_object(struct iot_row *to, void *source)
{
	struct findings_view *v = source;
	const struct iot_analyze_value *object = v->object[to->number];
	char *rank = v->object_texts.text[0];
	v->object_texts.used = 0;
	if (strcmp(object->name, NAME_OF(rank)) != 0) {
		value_set(to, &metrics.value, object, &v->object_texts);
		return;
	}
	snprintf(rank, ANALYZE_TEXT_MAX, "rank %" PRIu64, object->number);
	row_word(to, &metrics.value, rank);
}

static void set_evidence(struct iot_row *to, void *source)
{
	for (size_t i = 0; i < to->table->columns; i++)
		set(to, to->table->column[i].metric, source);
}

/* Returns the number of objects. */
static size_t find_objects(struct findings_view *v)
{
	static const char *const names[FINDING_OBJECTS] = {"path", "directory", "operation",
							   "rank"};
	size_t n = 0;
	for (size_t i = 0; i < FINDING_OBJECTS; i++) {
		v->object[n] = find(v, names[i]);
		n += v->object[n] != NULL;
	}
	return n;
}

static void set_finding(struct iot_row *to, void *source)
{
	struct findings_view *v = source;
	v->code = analyze_finding(v->analysis, to->number)->key;
	v->texts.used = 0;
	v->objects.rows = find_objects(v);
	row_word(to, &metrics.code, v->code);
	set(to, &metrics.cause, v);
	set(to, &metrics.cost_ns, v);
	set(to, &metrics.cost_share, v);
	row_table(to, &metrics.finding_objects, &v->objects);
	row_table(to, &metrics.evidence, &v->evidence);
	set(to, &metrics.sentence, v);
	set(to, &metrics.remedy, v);
}

void findings_view(struct findings_view *v, const struct iot_analyze *a)
{
	static const struct iot_column columns[] = COLUMN_LIST(
	    COLUMN(code), COLUMN(cause), COLUMN(cost_ns), COLUMN(cost_share),
	    COLUMN(finding_objects), COLUMN(evidence), COLUMN(sentence), COLUMN(remedy));
	static const struct iot_column objects[] = COLUMN_LIST(COLUMN(value));
	static const struct iot_column evidence[] = COLUMN_LIST(
	    COLUMN(calls), COLUMN(failed), COLUMN(requests), COLUMN(files), COLUMN(value),
	    COLUMN(threshold), COLUMN(count), COLUMN(bytes), COLUMN(process));
	size_t n = 0;
	while (analyze_finding(a, n) != NULL)
		n++;
	v->analysis = a;
	v->table = (struct iot_table)TABLE_ROWS(columns, n, set_finding, v);
	v->objects = (struct iot_table)TABLE_LIST(objects, 0, set_object, v);
	v->evidence = (struct iot_table)TABLE_RECORD(evidence, set_evidence, v);
}
