/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a job that is one of several: of its analysis, and of a list of jobs. */
#ifndef CLI_ANALYZE_MEMBER_VALUES_H
#define CLI_ANALYZE_MEMBER_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include <iotrace/analyze.h>

struct listed_job;

enum { MEMBER_VALUE_NAME = 64 };

struct member_value {
	const char *section, *name, *key, *unit; /* as iot_analyze_find() knows it; key "": none */
	const char *label; /* in the text of populations; NULL: the value is not in it */
};

/* Values by number, up to member_values_count - 1. */
extern const struct member_value member_values[];
extern const size_t member_values_count;

/* Stores all values, NAN if they are unknown. listed: the job in a list, or NULL. */
void member_values_fill(double *value, const struct iot_analyze *a,
			const struct listed_job *listed);
/* Writes SECTION.NAME or SECTION.NAME.KEY, and returns it. */
const char *member_value_name(char text[MEMBER_VALUE_NAME], const struct member_value *value);
/*
 * Returns the number of a value, or member_values_count. It is named as above, by NAME or NAME.KEY,
 * or by the symbol of its metric, after which _r is of reads and _w of writes.
 */
size_t member_value_find(const char *name, size_t size);
/* Returns the number of a value that exists. */
size_t member_value_number(const char *section, const char *name);

#endif
