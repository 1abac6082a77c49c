/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handle, and its options. analyze_events.c splits events into runs of records, selects the
 * requests of a run, and passes them to each group of statistics. The state holds integers only;
 * analyze_results.c computes the values at the end.
 */
#include <iotrace/analyze.h>

#include <stdlib.h>
#include <string.h>

#include "lib/base/options.h"

#include "analyze_internal.h"
#include "batches.h"

bool analyze_same_options(const struct iot_analyze *a, const struct iot_analyze *part)
{
	struct iot_analyze_options same = part->options;
	same.part = a->options.part;
	same.epoch_ns = a->options.epoch_ns;
	same.trace_id = a->options.trace_id;
	same.from = a->options.from;
	same.to = a->options.to;
	same.stored = a->options.stored;
	same.first = a->options.first;
	same.last = a->options.last;
	same.parts = a->options.parts;
	same.top = a->options.top;
	same.nodes = a->options.nodes;
	same.offsets = a->options.offsets;
	same.threads = a->options.threads;
	same.keep_events = a->options.keep_events;
	return memcmp(&same, &a->options, sizeof same) == 0;
}

bool analyze_options_are_valid(const struct iot_analyze_options *o)
{
	return (o->sections & ~(unsigned)SECTIONS) == 0 && o->physical <= 1 &&
	       o->layer <= IOT_LAYER_MPIIO && o->per_thread <= 1 && o->part <= 1 &&
	       o->working_set <= 1 && o->dependencies <= 1 && o->offsets <= 1 &&
	       o->keep_events <= 1 && (o->part == 1 || o->epoch_ns == 0) &&
	       o->epoch_ns <= INT64_MAX && (o->alignment & (o->alignment - 1)) == 0;
}

static void set_defaults(struct iot_analyze_options *o)
{
	o->sections = o->sections != 0 ? o->sections : SECTIONS;
	o->small = o->small != 0 ? o->small : 1 << 20;
	o->large = o->large != 0 ? o->large : 4 << 20;
	o->alignment = o->alignment != 0 ? o->alignment : 4096;
	o->top = o->top != 0 ? o->top : 10;
}

struct iot_analyze *iot_analyze_new(const struct iot_analyze_options *options)
{
	struct iot_analyze *a = calloc(1, sizeof *a);
	if (a == NULL)
		return NULL;
	if (!options_copy(&a->options, sizeof a->options, options) ||
	    !analyze_options_are_valid(&a->options)) {
		free(a);
		return NULL;
	}
	a->shown = a->options.sections;
	a->options.sections |= analyze_needs(a, IOT_ANALYZE_FINDINGS) ? SECTIONS
			       : analyze_needs(a, IOT_ANALYZE_MAP)    ? MAP_REFERS
								      : 0;
	set_defaults(&a->options);
	a->requests.options = a->options;
	a->trace.epoch_ns = a->options.epoch_ns;
	if (a->options.keep_events != 0)
		kept_begin(&a->kept);
	if (batches_new(a))
		return a;
	iot_analyze_free(a);
	return NULL;
}

void iot_analyze_free(struct iot_analyze *a)
{
	if (a == NULL)
		return;
	batches_free(a);
	kept_drop(&a->kept);
	for (unsigned i = 0; i < LAYERS; i++)
		layer_free(a->layers[i]);
	requests_free(&a->requests);
	row_names_free(&a->names);
	job_free(&a->job);
	counters_free(&a->counters);
	tie_sums_free(&a->ties);
	table_free(&a->table);
	classes_free(&a->classes);
	findings_free(&a->findings);
	places_free(&a->places);
	over_time_free(&a->over_time);
	free(a->offsets.cells);
	values_free(&a->values);
	free(a);
}

/* Values */

uint32_t iot_analyze_section_bit(const char *name, size_t size)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} sections[] = {
#define SECTION(name, bit) {#name, bit},
#include "lib/result/section_list.h"
#undef SECTION
	};
	for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
		if (strlen(sections[i].name) == size && memcmp(name, sections[i].name, size) == 0)
			return sections[i].bit;
	return 0;
}

const struct iot_analyze_value *iot_analyze_value(const struct iot_analyze *a, size_t i)
{
	return i < a->values.count ? &a->values.value[i] : NULL;
}

const struct iot_analyze_value *iot_analyze_find(const struct iot_analyze *a, const char *section,
						 const char *name, const char *key)
{
	return values_find(&a->values, section, name, key);
}
