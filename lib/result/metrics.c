/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics.h"

const struct metrics metrics = {
#define METRIC(name, label, quantity, detail, split, definition)                                   \
	.name = {#name, label, definition, quantity, detail, split},
#include "metric_list.h"
#undef METRIC
};

static const struct iot_metric *const list[] = {
#define METRIC(name, label, quantity, detail, split, definition) &metrics.name,
#include "metric_list.h"
#undef METRIC
};

const struct iot_metric *iot_metric_at(size_t i)
{
	return i < sizeof list / sizeof list[0] ? list[i] : NULL;
}
