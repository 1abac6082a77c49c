/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of samples, in text with delimiters:
 *     samplescsv.c  rows
 *     layout.c      what the columns mean
 */
#ifndef CONVERTERS_SAMPLESCSV_SAMPLESCSV_H
#define CONVERTERS_SAMPLESCSV_SAMPLESCSV_H

#include "converters/samples/samples.h"

enum { TABULAR_COLUMNS_MAX = 64 };

enum tabular_meaning {
	TABULAR_VALUE, /* an enum sample_value */
	TABULAR_SKIP,
	TABULAR_TIME, /* the begin of the interval, or the moment of counters */
	TABULAR_END,  /* its end */
	TABULAR_TOOK, /* its length */
	TABULAR_HOST,
	TABULAR_TARGET,
	TABULAR_JOB
};

struct tabular_column {
	uint8_t meaning, value;
	bool per_second;
	bool dated; /* a time without a unit: a date, or seconds since 1970 */
	uint64_t unit;
};

struct tabular_layout {
	struct tabular_column column[TABULAR_COLUMNS_MAX];
	size_t count;
	uint32_t has; /* bit for each meaning */
	char delimiter;
};

static inline bool tabular_has(const struct tabular_layout *l, enum tabular_meaning m)
{
	return (l->has & UINT32_C(1) << m) != 0;
}

/* Returns the next field without quotes and blanks around it; false at the end of the line. */
bool tabular_field(struct iot_text *rest, char delimiter, struct iot_text *field);
/* The character that separates the fields of a line. */
char tabular_delimiter(struct iot_text line);
/*
 * Sets the meaning of columns from their names. Returns NULL, or what is wrong; *column is then the
 * name of the column, or empty.
 */
const char *tabular_layout_set(struct tabular_layout *l, struct iot_text names, char delimiter,
			       struct iot_text *column);

#endif
