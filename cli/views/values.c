/* SPDX-License-Identifier: BSD-2-Clause */
#include "values.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "lib/result/columns.h"
#include "lib/result/row.h"

static void text_cell(struct iot_cell *cell, struct iot_text text, struct value_texts *texts)
{
	if (text.data == NULL)
		return;
	if (memchr(text.data, '%', text.size) != NULL) {
		assert(texts->used < VALUE_TEXTS);
		char *decoded = texts->text[texts->used++];
		text = (struct iot_text){decoded, analyze_decode(decoded, text)};
	}
	*cell = (struct iot_cell){.kind = IOT_TEXT, .text = text};
}

void value_cell(struct iot_cell *cell, const struct iot_analyze_value *v, struct value_texts *texts)
{
	if (v == NULL)
		return;
	if (v->kind == IOT_VALUE_NUMBER)
		*cell = (struct iot_cell){.kind = IOT_INTEGER, .integer = v->number};
	else if (v->kind == IOT_VALUE_REAL && isfinite(v->real))
		*cell = (struct iot_cell){.kind = IOT_REAL, .real = v->real};
	else if (v->kind == IOT_VALUE_TEXT)
		text_cell(cell, v->text, texts);
}

void value_set(struct iot_row *to, const struct iot_metric *m, const struct iot_analyze_value *v,
	       struct value_texts *texts)
{
	struct iot_cell *cell = row_cell(to, m, IOT_BOTH);
	if (cell != NULL)
		value_cell(cell, v, texts);
}

void value_set_text(struct iot_row *to, const struct iot_metric *m, struct iot_text encoded,
		    struct value_texts *texts)
{
	struct iot_cell *cell = row_cell(to, m, IOT_BOTH);
	if (cell != NULL)
		text_cell(cell, encoded, texts);
}

void value_set_name(struct iot_row *to, const struct iot_analyze_value *v)
{
	row_word(to, &metrics.section, v->section);
	row_word(to, &metrics.name, v->name);
	row_word(to, &metrics.value_key, v->key);
	row_word(to, &metrics.unit, v->unit);
}

/* Maps */

static const struct iot_analyze_value *at(const struct value_maps *m, size_t i)
{
	return m->list.at(m->list.source, i);
}

static bool is_single(const struct iot_analyze_value *v, enum value_level level)
{
	return level == VALUE_KEYS || (level == VALUE_NAMES && v->key[0] == '\0');
}

static bool same_group(const struct iot_analyze_value *a, const struct iot_analyze_value *b,
		       enum value_level level)
{
	return strcmp(a->section, b->section) == 0 &&
	       (level == VALUE_SECTIONS || strcmp(a->name, b->name) == 0);
}

/* Returns the index after the values of the row of a map that begins at value i. */
static size_t row_end(const struct value_maps *m, enum value_level level, size_t i)
{
	const struct iot_analyze_value *first = at(m, i), *v;
	if (is_single(first, level))
		return i + 1;
	while ((v = at(m, ++i)) != NULL && same_group(v, first, level))
		;
	return i;
}

static size_t count_rows(const struct value_maps *m, enum value_level level, size_t first)
{
	const struct iot_analyze_value *v, *of = at(m, first);
	size_t rows = 0;
	for (size_t i = first; (v = at(m, i)) != NULL; i = row_end(m, level, i), rows++)
		if (level != VALUE_SECTIONS && !same_group(v, of, level - 1))
			break;
	return rows;
}

/* Stores the first value of a row, and returns it; rows are mostly read in order. */
static const struct iot_analyze_value *seek(struct value_map *map, enum value_level level,
					    size_t row)
{
	if (row < map->row) {
		map->row = 0;
		map->at = map->first;
	}
	for (; map->row < row; map->row++)
		map->at = row_end(map->of, level, map->at);
	return at(map->of, map->at);
}

static void fill(struct iot_row *to, void *source)
{
	value_map_fill(to, source);
}

const struct iot_analyze_value *value_map_fill(struct iot_row *to, void *source)
{
	struct value_map *map = source;
	const enum value_level level = (enum value_level)(map - map->of->map);
	const struct iot_analyze_value *v = seek(map, level, to->number);
	const char *const words[] = {v->section, v->name, v->key};
	row_word(to, &metrics.value_key, words[level]);
	map->of->texts.used = 0;
	if (is_single(v, level))
		value_set(to, &metrics.value, v, &map->of->texts);
	else
		row_table(to, &metrics.value,
			  value_maps_begin(map->of, map->of->list, level + 1, map->at));
	return v;
}

const struct iot_table *value_maps_begin(struct value_maps *m, struct value_list list,
					 enum value_level level, size_t first)
{
	static const struct iot_column columns[] = COLUMN_LIST(COLUMN(value_key), COLUMN(value));
	struct value_map *map = &m->map[level];
	m->list = list;
	*map = (struct value_map){.of = m, .first = first, .at = first};
	map->table = (struct iot_table)TABLE_MAP(columns, count_rows(m, level, first), fill, map);
	return &map->table;
}
