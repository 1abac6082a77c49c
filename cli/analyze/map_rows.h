/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a table of section `map`. */
#ifndef CLI_ANALYZE_MAP_ROWS_H
#define CLI_ANALYZE_MAP_ROWS_H

#include "shown.h"

enum { MAP_ROWS_MAX = 34, MAP_KEYS = 3 };

struct map_row {
	const char *criterion, *label;
	const char *keys[MAP_KEYS]; /* of reads, of writes, of both; NULL: it has none */
	enum shown as;
};

extern const struct map_row map_rows[MAP_ROWS_MAX];

/* Stores the values of a row. Returns false if the trace has none of them. */
bool map_row_find(const struct iot_analyze *a, const struct map_row *row,
		  const struct iot_analyze_value *found[MAP_KEYS]);

#endif
