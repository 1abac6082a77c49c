/* SPDX-License-Identifier: BSD-2-Clause */
#include "map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/printable.h"
#include "lib/base/array.h"
#include "lib/result/names.h"

#include "map_rows.h"

enum { FIELD = SHOWN_FIELD, NAME_CAPACITY = 512, RUNS_ACROSS = 3 };

/* One run */

static void print_row(struct output *out, const struct iot_analyze *a, const struct map_row *row)
{
	const struct iot_analyze_value *found[MAP_KEYS];
	char text[FIELD];
	if (!map_row_find(a, row, found))
		return; /* an interface without requests */
	output_printf(out, "%-5s %-29s", row->criterion, row->label);
	for (unsigned i = 0; i < MAP_KEYS && (i < 2 || row->keys[2] != NULL); i++)
		output_printf(out, " %14s",
			      row->keys[i] != NULL ? shown_value(text, row->as, found[i]) : "");
	output_text(out, "\n");
}

void analyze_map_print_text(struct output *out, const struct iot_analyze *a)
{
	output_printf(out, "%-35s %14s %14s %14s\n", "criterion", "reads", "writes", "all");
	for (size_t i = 0; i < MAP_ROWS_MAX; i++)
		print_row(out, a, &map_rows[i]);
}

/* Several runs side by side */

static uint64_t number_of(const struct iot_analyze *a, const char *section, const char *name)
{
	const struct iot_analyze_value *v = iot_analyze_find(a, section, name, NULL);
	return v != NULL ? v->number : 0;
}

static void copy_value(struct map_value *to, const struct iot_analyze_value *v)
{
	to->value = *v;
	if (v->kind != IOT_VALUE_TEXT)
		return;
	snprintf(to->text, sizeof to->text, "%.*s", (int)v->text.size, v->text.data);
	to->value.text = (struct iot_text){to->text, strlen(to->text)};
}

/* If `to` is NULL, only counts. */
static size_t copy_values(struct map_value *to, const struct iot_analyze *a)
{
	const struct iot_analyze_value *v;
	size_t n = 0;
	for (size_t i = 0; (v = iot_analyze_value(a, i)) != NULL; i++)
		if (strcmp(v->section, SECTION_OF(map)) == 0) {
			if (to != NULL)
				copy_value(&to[n], v);
			n++;
		}
	return n;
}

int analyze_maps_add(void *maps, const struct analyze_job_of *run)
{
	const struct iot_analyze *a = run->analysis;
	struct analyze_maps *m = maps;
	if (m->count == ANALYZE_MAPS_MAX)
		return IOT_ELIMIT;
	if (!array_reserve(&m->map, &m->capacity, m->count + 1, sizeof *m->map))
		return IOT_ENOMEM;
	struct analyze_map *map = &m->map[m->count];
	*map =
	    (struct analyze_map){.name = strdup(run->name),
				 .processes = number_of(a, VALUE(trace, processes)),
				 .bytes = number_of(a, VALUE(totals, bytes)),
				 .values = calloc(copy_values(NULL, a) + 1, sizeof *map->values)};
	m->count++;
	if (map->name == NULL || map->values == NULL)
		return IOT_ENOMEM;
	map->count = copy_values(map->values, a);
	return IOT_OK;
}

static int by_size(const void *left, const void *right)
{
	const struct analyze_map *a = left, *b = right;
	if (a->processes != b->processes)
		return a->processes < b->processes ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return strcmp(a->name, b->name);
}

const struct iot_analyze_value *analyze_map_find(const struct analyze_map *map,
						 const char *criterion, const char *key)
{
	for (size_t i = 0; i < map->count; i++)
		if (strcmp(map->values[i].value.name, criterion) == 0 &&
		    strcmp(map->values[i].value.key, key) == 0)
			return &map->values[i].value;
	return NULL;
}

bool analyze_maps_have(const struct analyze_maps *m, const char *criterion, const char *key)
{
	for (size_t i = 0; i < m->count; i++)
		if (analyze_map_find(&m->map[i], criterion, key) != NULL)
			return true;
	return false;
}

/* A row for a direction of a criterion. */
static void text_row(const struct analyze_maps *m, struct output *out, size_t first, size_t end,
		     const struct map_row *row, unsigned direction)
{
	static const char *const suffixes[MAP_KEYS] = {", reads", ", writes", ""};
	char label[64], text[FIELD];
	snprintf(label, sizeof label, "%s%s", row->label, suffixes[direction]);
	output_printf(out, "%-5s %-37s", row->criterion, label);
	for (size_t i = first; i < end; i++)
		output_printf(out, " %14s",
			      shown_value(text, row->as,
					  analyze_map_find(&m->map[i], row->criterion,
							   row->keys[direction])));
	output_text(out, "\n");
}

/* Values of both directions have rows of their own only if there are none of each. */
static void text_rows(const struct analyze_maps *m, struct output *out, size_t first, size_t end)
{
	for (size_t i = 0; i < MAP_ROWS_MAX; i++)
		for (unsigned d = map_rows[i].keys[1] == NULL ? 2 : 0;
		     d < (map_rows[i].keys[1] == NULL ? 3 : 2); d++)
			if (map_rows[i].keys[d] != NULL &&
			    analyze_maps_have(m, map_rows[i].criterion, map_rows[i].keys[d]))
				text_row(m, out, first, end, &map_rows[i], d);
}

void analyze_maps_text(const struct analyze_maps *m, struct output *out)
{
	char name[NAME_CAPACITY];
	for (size_t i = 0; i < m->count; i++)
		output_printf(out, "run %zu: processes %ju, %s\n", i + 1,
			      (uintmax_t)m->map[i].processes,
			      printable(name, sizeof name, m->map[i].name, strlen(m->map[i].name)));
	for (size_t first = 0; first < m->count; first += RUNS_ACROSS) {
		const size_t end = first + RUNS_ACROSS < m->count ? first + RUNS_ACROSS : m->count;
		output_printf(out, "\n%-43s", "criterion");
		for (size_t i = first; i < end; i++)
			output_printf(out, " %10s %3zu", "run", i + 1);
		output_text(out, "\n");
		text_rows(m, out, first, end);
	}
}

void analyze_maps_sort(struct analyze_maps *m)
{
	if (m->count > 0)
		qsort(m->map, m->count, sizeof *m->map, by_size);
}

void analyze_maps_free(struct analyze_maps *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->map[i].name);
		free(m->map[i].values);
	}
	free(m->map);
	*m = (struct analyze_maps){.map = NULL};
}
