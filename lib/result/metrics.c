/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics.h"

#include <string.h>

#include "names.h"

const struct metrics metrics = {
#define METRIC(name, ...) METRIC_OF_PAPER(name, NULL, __VA_ARGS__)
#define METRIC_OF_PAPER(name, symbol, label, quantity, detail, split, definition)                  \
	.name = {#name, label, definition, quantity, detail, (enum iot_split)(split), symbol},
#include "metric_list.h"
#undef METRIC
};

static const struct iot_metric *const list[] = {
#define METRIC(name, label, quantity, detail, split, definition) &metrics.name,
#include "metric_list.h"
#undef METRIC
};

const struct metric_names metric_names = {
#define METRIC(name, label, quantity, detail, split, definition) NAMES_##split(name)
#define METRIC_NAME(name)                                        #name,
#include "metric_list.h"
#undef METRIC_NAME
#undef METRIC
};

const struct section_names section_names = {
#define SECTION(name, bit)  #name,
#define OTHER_SECTION(name) #name,
#include "section_list.h"
#undef OTHER_SECTION
#undef SECTION
};

const struct iot_metric *iot_metric_at(size_t i)
{
	return i < sizeof list / sizeof list[0] ? list[i] : NULL;
}

const struct iot_metric *iot_metric_find(const char *name, enum iot_direction *direction)
{
	char made[IOT_COLUMN_NAME];
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		for (unsigned d = IOT_BOTH;
		     d <= (list[i]->split == IOT_ONE ? IOT_BOTH : IOT_WRITES); d++) {
			*direction = (enum iot_direction)d;
			if (strcmp(metric_direction_name(made, list[i]->name, *direction), name) ==
			    0)
				return list[i];
		}
	return NULL;
}
