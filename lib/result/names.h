/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of values, as members of constants: one that no metric has does not compile.
 *
 *	v = iot_analyze_find(a, VALUE(totals, written_bytes), NULL);
 *
 * metric_list.h and section_list.h list them.
 */
#ifndef IOTRACE_LIB_RESULT_NAMES_H
#define IOTRACE_LIB_RESULT_NAMES_H

/* The name of a metric, or of its values of a direction: "written_bytes". */
#define NAME_OF(name) metric_names.name
/* The name of a section of an analysis. */
#define SECTION_OF(name) section_names.name
/* Both, as two arguments or two members of an initialiser. */
#define VALUE(section, name) SECTION_OF(section), NAME_OF(name)

/* The names that the values of a metric have, by its split. */
#define NAMES_IOT_ONE(metric)              METRIC_NAME(metric)
#define NAMES_IOT_BY_DIRECTION(metric)     NAMES_READ(metric) METRIC_NAME(write_##metric)
#define NAMES_WRITTEN_BY_DIRECTION(metric) NAMES_READ(metric) METRIC_NAME(written_##metric)
#define NAMES_REQUESTS_BY_DIRECTION(metric)                                                        \
	METRIC_NAME(metric) METRIC_NAME(reads) METRIC_NAME(writes)
#define NAMES_SERIES_BY_DIRECTION(metric)                                                          \
	NAMES_IOT_BY_DIRECTION(metric) METRIC_NAME(operation_##metric)
#define NAMES_READ(metric) METRIC_NAME(metric) METRIC_NAME(read_##metric)

#define METRIC(name, label, quantity, detail, split, definition) NAMES_##split(name)
#define METRIC_NAME(name)                                        char name[sizeof #name];
extern const struct metric_names {
#include "metric_list.h"
} metric_names;
#undef METRIC_NAME
#undef METRIC

#define SECTION(name, bit)  char name[sizeof #name];
#define OTHER_SECTION(name) char name[sizeof #name];
extern const struct section_names {
#include "section_list.h"
} section_names;
#undef OTHER_SECTION
#undef SECTION

#endif
