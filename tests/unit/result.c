/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "lib/result/columns.h"
#include "lib/result/names.h"
#include "lib/result/row.h"

Test(result, names_of_metrics_differ)
{
	const struct iot_metric *a, *b;
	for (size_t i = 0; (a = iot_metric_at(i)) != NULL; i++)
		for (size_t j = 0; j < i && (b = iot_metric_at(j)) != NULL; j++)
			cr_assert(strcmp(a->name, b->name) != 0, "%s", a->name);
}

Test(result, definition_is_one_sentence)
{
	const struct iot_metric *m;
	for (size_t i = 0; (m = iot_metric_at(i)) != NULL; i++) {
		const size_t size = strlen(m->definition);
		cr_assert_geq(size, 8, "%s", m->name);
		cr_assert(m->definition[0] >= 'A' && m->definition[0] <= 'Z', "%s", m->name);
		cr_assert_eq(strchr(m->definition, '.'), m->definition + size - 1, "%s", m->name);
		cr_assert(m->label[0] != '\0', "%s", m->name);
	}
}

Test(result, names_of_times_end_in_their_unit)
{
	const struct iot_metric *m;
	for (size_t i = 0; (m = iot_metric_at(i)) != NULL; i++)
		if (m->quantity == IOT_NS)
			cr_assert_str_eq(m->name + strlen(m->name) - 3, "_ns", "%s", m->name);
}

Test(result, column_name_has_the_direction)
{
	static const struct iot_column columns[] = {COLUMNS(hits), COLUMNS(byte_hits),
						    COLUMN_AS(misses, "missed"), COLUMNS(bytes),
						    COLUMNS(requests)};
	static const char *const names[] = {"read_hits",       "write_hits", "read_byte_hits",
					    "write_byte_hits", "missed",     "read_bytes",
					    "written_bytes",   "reads",      "writes"};
	char name[IOT_COLUMN_NAME];
	for (size_t i = 0; i < COLUMN_COUNT(columns); i++)
		cr_assert_str_eq(iot_column_name(&columns[i], name), names[i]);
}

static bool is_name(const char *name)
{
	const char *at = (const char *)&metric_names, *end = at + sizeof metric_names;
	while (at < end && strcmp(at, name) != 0)
		at += strlen(at) + 1;
	return at < end;
}

Test(result, names_are_those_of_the_directions_of_metrics)
{
	const struct iot_metric *m;
	char name[IOT_COLUMN_NAME];
	for (size_t i = 0; (m = iot_metric_at(i)) != NULL; i++)
		for (unsigned d = IOT_BOTH; d <= (m->split == IOT_ONE ? IOT_BOTH : IOT_WRITES); d++)
			cr_assert(is_name(metric_direction_name(name, m->name, d)), "%s", name);
	cr_assert(is_name("written_bytes"));
	cr_assert(is_name("operation_period_s"));
	cr_assert_not(is_name("write_bytes"));
	cr_assert_str_eq(NAME_OF(written_bytes), "written_bytes");
	cr_assert_str_eq(SECTION_OF(totals), "totals");
}

Test(result, metric_is_found_by_the_name_of_a_value)
{
	enum iot_direction d = IOT_READS;
	cr_assert_eq(iot_metric_find("written_bytes", &d), &metrics.bytes);
	cr_assert_eq(d, IOT_WRITES);
	cr_assert_eq(iot_metric_find("reads", &d), &metrics.requests);
	cr_assert_eq(d, IOT_READS);
	cr_assert_eq(iot_metric_find("hits", &d), &metrics.hits);
	cr_assert_eq(d, IOT_BOTH);
	cr_assert_null(iot_metric_find("read_files", &d), "files have no direction");
	cr_assert_null(iot_metric_find("", &d));
	cr_assert_str_eq(metrics.requests.symbol, "N");
	cr_assert_null(metrics.hits.symbol);
}

Test(result, names_of_columns_fit)
{
	const struct iot_metric *m;
	for (size_t i = 0; (m = iot_metric_at(i)) != NULL; i++)
		cr_assert_lt(strlen(m->name) + strlen("written_"), IOT_COLUMN_NAME, "%s", m->name);
}

static void fill(struct iot_row *to, void *source)
{
	const uint64_t hits[2] = {to->number, 7}, references[2] = {0, 14};
	cr_assert_null(source);
	row_shares(to, &metrics.hit_ratio, hits, references);
	row_counts(to, &metrics.hits, hits);
	row_number(to, &metrics.evictions, 1); /* has no column */
	row_real(to, &metrics.miss_ratio, NAN);
}

Test(result, cells_are_found_by_metric_in_any_order)
{
	static const struct iot_column columns[] = {COLUMN(miss_ratio), COLUMN_WRITE(hits),
						    COLUMN(hits), COLUMNS(hit_ratio)};
	const struct iot_table table = TABLE_ROWS(columns, 4, fill, NULL);
	struct iot_cell cell[COLUMN_COUNT(columns)];
	memset(cell, 0xff, sizeof cell);
	iot_table_row(&table, 3, cell);
	cr_assert_eq(cell[0].kind, IOT_UNKNOWN);
	cr_assert_eq(cell[1].integer, 7);
	cr_assert_eq(cell[2].integer, 10);
	cr_assert_eq(cell[3].kind, IOT_UNKNOWN);
	cr_assert_eq(cell[4].kind, IOT_REAL);
	cr_assert_float_eq(cell[4].real, 0.5, 1e-12);
}
