/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each name that the source counts is a member. Names with a dot are members of an object that is
 * named by what precedes the dot, at the place of the first of them.
 */
#include "conversion.h"

#include <stdio.h>
#include <string.h>

#include "cli/print/json.h"
#include "cli/print/quantity.h"
#include "cli/ui/source_warnings.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"
#include "source_lists.h"

enum { GROUPS_MAX = PRINT_COLUMNS_MAX / 2, GROUP_NAME = 64 };

struct count_group {
	const struct iot_source *source;
	char name[GROUP_NAME];
	bool single; /* a number, not an object */
	struct iot_table members;
};

struct conversion_view {
	const struct conversion *conversion;
	struct count_group group[GROUPS_MAX];
	size_t groups;
	struct iot_table inputs, sorting, examples, notes, differences;
};

/* Counts, in groups */

static size_t members(const struct count_group *g)
{
	const struct iot_source_count *k;
	size_t n = 0;
	for (size_t i = 0; (k = iot_source_count(g->source, i)) != NULL; i++)
		n += source_count_belongs(k->name, g->name);
	return n;
}

static const struct iot_source_count *member(const struct count_group *g, size_t number)
{
	const struct iot_source_count *k;
	for (size_t i = 0; (k = iot_source_count(g->source, i)) != NULL; i++)
		if (source_count_belongs(k->name, g->name) && number-- == 0)
			break;
	return k;
}

static void set_member(struct iot_row *to, void *source)
{
	const struct iot_source_count *k = member(source, to->number);
	const size_t size = strcspn(k->name, ".");
	row_word(to, &metrics.code, k->name[size] == '.' ? k->name + size + 1 : "total");
	row_number(to, &metrics.findings, k->value);
}

static bool is_known(const struct conversion_view *view, const char *name)
{
	for (size_t i = 0; i < view->groups; i++)
		if (source_count_belongs(name, view->group[i].name))
			return true;
	return false;
}

static void add_group(struct conversion_view *view, const char *name)
{
	static const struct iot_column columns[] = COLUMN_LIST(COLUMN(code), COLUMN(findings));
	if (view->groups == GROUPS_MAX || is_known(view, name))
		return;
	struct count_group *g = &view->group[view->groups++];
	const int size = (int)strcspn(name, ".");
	(void)snprintf(g->name, sizeof(g->name), "%.*s", size, name);
	g->source = view->conversion->source;
	g->single = name[size] == '\0';
	g->members = (struct iot_table)TABLE_MAP(columns, members(g), set_member, g);
}

static void set_groups(struct iot_row *to, const struct conversion_view *view)
{
	for (size_t i = 0; i < view->groups; i++) {
		const struct count_group *g = &view->group[i];
		if (g->single)
			row_number(to, &metrics.findings, source_count_sum(g->source, g->name));
		else
			row_table(to, &metrics.findings, &g->members);
	}
}

/* The other members */

static void set_input(struct iot_row *to, void *source)
{
	row_word(to, &metrics.input, ((const struct conversion *)source)->paths[to->number]);
}

static void set_sorting(struct iot_row *to, void *source)
{
	const struct conversion *c = source;
	row_number(to, &metrics.restarted, c->restarted);
	row_number(to, &metrics.sorted_runs, iot_source_fact(c->source, IOT_SOURCE_RUNS));
	row_number(to, &metrics.spilled_bytes, iot_source_fact(c->source, IOT_SOURCE_SPILLED));
}

/* Binary sources have no lines. */
static bool has_lines(const struct iot_source *s)
{
	return iot_source_fact(s, IOT_SOURCE_LINES) > 0 ||
	       (iot_source_fact(s, IOT_SOURCE_CALLS) == 0 && source_knows_calls(s));
}

static void set_ends(struct iot_row *to, const struct conversion_view *view)
{
	const struct conversion *c = view->conversion;
	const char *format = iot_source_name(c->source);
	const bool lost = iot_source_fact(c->source, IOT_SOURCE_LOST) != 0;
	row_word(to, &metrics.format, format != NULL && !c->refused ? format : "");
	row_table(to, &metrics.inputs, &view->inputs);
	row_word(to, &metrics.output, c->write.path);
	row_number(to, &metrics.kept, c->kept);
	row_word(to, &metrics.damage, lost ? iot_source_error(c->source) : "");
}

static void set_totals(struct iot_row *to, const struct iot_source *s)
{
	row_number(to, &metrics.input_files, iot_source_fact(s, IOT_SOURCE_FILES));
	row_number(to, &metrics.files_skipped, iot_source_fact(s, IOT_SOURCE_SKIPPED));
	row_known(to, &metrics.lines, has_lines(s), iot_source_fact(s, IOT_SOURCE_LINES));
	row_known(to, &metrics.input_calls, source_knows_calls(s),
		  iot_source_fact(s, IOT_SOURCE_CALLS));
	row_number(to, &metrics.records, iot_source_fact(s, IOT_SOURCE_RECORDS));
	row_number(to, &metrics.unparsed, iot_source_fact(s, IOT_SOURCE_UNPARSED));
}

/* Sets a number and a list of the first of them, which are absent if there is nothing. */
static void set_noticed(struct iot_row *to, uint64_t n, const struct iot_metric *number,
			const struct iot_metric *list, const struct iot_table *first)
{
	if (n > 0)
		row_number(to, number, n);
	else
		row_absent(to, number);
	row_table(to, list, n > 0 ? first : NULL);
}

static void set_conversion(struct iot_row *to, void *source)
{
	const struct conversion_view *view = source;
	const struct iot_source *s = view->conversion->source;
	set_ends(to, view);
	set_totals(to, s);
	row_table(to, &metrics.first_unparsed, &view->examples);
	set_noticed(to, iot_source_fact(s, IOT_SOURCE_NOTES), &metrics.notes, &metrics.first_notes,
		    &view->notes);
	set_noticed(to, iot_source_fact(s, IOT_SOURCE_DIFFERENCES), &metrics.differences,
		    &metrics.first_differences, &view->differences);
	set_groups(to, view);
	row_table(to, &metrics.sorting, &view->sorting);
}

static const struct iot_column fixed[] =
    COLUMN_LIST(COLUMN(format), COLUMN(inputs), COLUMN(output), COLUMN(kept), COLUMN(damage),
		COLUMN(input_files), COLUMN(files_skipped), COLUMN(lines), COLUMN(input_calls),
		COLUMN(records), COLUMN(unparsed), COLUMN(first_unparsed), COLUMN(notes),
		COLUMN(first_notes), COLUMN(differences), COLUMN(first_differences));

/* Fills the columns: the fixed ones, one for each group, and the last. Returns their number. */
static size_t fill_columns(struct iot_column column[PRINT_COLUMNS_MAX],
			   const struct conversion_view *view)
{
	size_t n = COLUMN_COUNT(fixed);
	memcpy(column, fixed, sizeof(fixed));
	for (size_t i = 0; i < view->groups; i++) {
		column[n] = (struct iot_column)COLUMN(findings);
		column[n++].name = view->group[i].name;
	}
	column[n++] = (struct iot_column)COLUMN(sorting);
	return n;
}

void conversion_print(struct json *j, const struct conversion *c)
{
	static const struct iot_column inputs[] = COLUMN_LIST(COLUMN(input));
	static const struct iot_column sorting[] =
	    COLUMN_LIST(COLUMN(restarted), COLUMN(sorted_runs), COLUMN(spilled_bytes));
	struct iot_column column[PRINT_COLUMNS_MAX];
	const struct iot_source_count *k;
	struct conversion_view view = {
	    .conversion = c,
	    .inputs = TABLE_LIST(inputs, c->path_count, set_input, (void *)c),
	    .sorting = TABLE_RECORD(sorting, set_sorting, (void *)c),
	    .examples = source_examples_table(c->source),
	    .notes = source_notes_table(c->source),
	    .differences = source_differences_table(c->source),
	};
	for (size_t i = 0; (k = iot_source_count(c->source, i)) != NULL; i++)
		add_group(&view, k->name);
	const struct iot_table table = {
	    IOT_SHAPE_RECORD, fill_columns(column, &view), 1, column, set_conversion, &view};
	print_json(j, NULL, &table);
}
