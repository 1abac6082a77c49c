/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The metrics, as members of one constant: &metrics.miss_ratio. To add one, add its line to
 * metric_list.h.
 */
#ifndef IOTRACE_LIB_RESULT_METRICS_H
#define IOTRACE_LIB_RESULT_METRICS_H

#include <iotrace/result.h>

/* Splits that also determine the names of the values of directions. */
enum metric_split {
	WRITTEN_BY_DIRECTION = IOT_BY_DIRECTION,  /* "written_" instead of "write_" */
	REQUESTS_BY_DIRECTION = IOT_BY_DIRECTION, /* "reads" and "writes" */
	SERIES_BY_DIRECTION = IOT_BY_DIRECTION,   /* and of operations: "operation_" */
};

struct metrics {
#define METRIC(name, label, quantity, detail, split, definition) struct iot_metric name;
#include "metric_list.h"
#undef METRIC
};

extern const struct metrics metrics;

/*
 * Writes the name of the values of a direction of a metric, and returns it: after "read_" or
 * "write_" ("written_" if the metric is bytes); of `requests`, `reads` and `writes`.
 */
const char *metric_direction_name(char name[IOT_COLUMN_NAME], const char *metric,
				  enum iot_direction direction);

#endif
