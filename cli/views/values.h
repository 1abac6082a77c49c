/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of an analysis as cells, as rows, and as nested maps: a map of sections has maps of names,
 * in which a name whose values have keys is a map of keys.
 */
#ifndef CLI_VIEWS_VALUES_H
#define CLI_VIEWS_VALUES_H

#include <iotrace/analyze.h>
#include <iotrace/result.h>

#include "cli/analyze/shown.h"

enum { VALUE_TEXTS = 4 /* decoded texts of a row */ };

/* Decoded texts of a row. used: 0 at the beginning of each row. */
struct value_texts {
	char text[VALUE_TEXTS][ANALYZE_TEXT_MAX];
	size_t used;
};

/* Stores a value; the cell remains unknown if it is NULL or unknown. */
void value_cell(struct iot_cell *cell, const struct iot_analyze_value *v,
		struct value_texts *texts);
/* The same of the cell of a metric, of a value or of a text that is encoded. */
void value_set(struct iot_row *to, const struct iot_metric *m, const struct iot_analyze_value *v,
	       struct value_texts *texts);
void value_set_text(struct iot_row *to, const struct iot_metric *m, struct iot_text encoded,
		    struct value_texts *texts);
/* Sets section, name, key and unit. */
void value_set_name(struct iot_row *to, const struct iot_analyze_value *v);

/* A list of values in the order of an analysis. at() returns NULL after the last one. */
struct value_list {
	const struct iot_analyze_value *(*at)(const void *source, size_t i);
	const void *source;
};

enum value_level { VALUE_SECTIONS, VALUE_NAMES, VALUE_KEYS, VALUE_LEVELS };

/* The maps of a list. map[level].table is valid while the row that has it is read. */
struct value_maps {
	struct value_list list;
	struct value_map {
		struct iot_table table;
		struct value_maps *of;
		size_t first;   /* of its values, in the list */
		size_t row, at; /* the row that was read last, and its first value */
	} map[VALUE_LEVELS];
	struct value_texts texts;
};

/* Makes a map of the values from `first` on; of all sections, or of the names of one section. */
const struct iot_table *value_maps_begin(struct value_maps *m, struct value_list list,
					 enum value_level level, size_t first);
/* Returns the first value of a row, after it is filled; for a fill function that wraps this one. */
const struct iot_analyze_value *value_map_fill(struct iot_row *to, void *source);

#endif
