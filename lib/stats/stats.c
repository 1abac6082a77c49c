/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/stats/stats_internal.h"

#include <stdlib.h>

#include "lib/base/options.h"

enum { NAMES_MAX = 1 << 28 }; /* bytes, by default */

struct iot_stats *iot_stats_new(const struct iot_stats_options *options)
{
	struct iot_stats *s = calloc(1, sizeof *s);
	if (s == NULL)
		return NULL;
	if (!options_copy(&s->options, sizeof s->options, options) ||
	    s->options.by > IOT_STATS_BY_JOB || s->options.physical > 1 ||
	    s->options.sort > IOT_STATS_SORT_WRITTEN_BYTES) {
		free(s);
		return NULL;
	}
	if (s->options.names_max == 0)
		s->options.names_max = NAMES_MAX;
	return s;
}

/* Only the options stay. */
void stats_empty(struct iot_stats *s)
{
	for (size_t i = 0; i < s->row_count; i++) {
		stats_row_drop_name(s, &s->rows[i]);
		size_counts_free(&s->rows[i].sizes);
	}
	text_pool_free(&s->names);
	size_counts_free(&s->total.sizes);
	free(s->trace_host);
	free(s->rows);
	free(s->opened);
	free(s->group_rows);
	free(s->ranks);
	idmap_free(&s->rank_map);
	file_ids_free(&s->file_ids);
	idmap_free(&s->group_map);
	*s = (struct iot_stats){.options = s->options};
}

void iot_stats_free(struct iot_stats *s)
{
	if (s == NULL)
		return;
	stats_empty(s);
	free(s);
}

const struct iot_stats_row *iot_stats_row(const struct iot_stats *s, size_t i)
{
	return i < s->row_count ? &s->rows[i].values : NULL;
}

const struct iot_stats_row *iot_stats_total(const struct iot_stats *s)
{
	return &s->total.values;
}

const struct iot_stats_operation *iot_stats_operation(const struct iot_stats *s, size_t i)
{
	return i < s->operations.count ? &s->operations.row[i] : NULL;
}

/* The mid-point of a bin may be outside the range of the values. */
static double quantile(const struct histogram *h, unsigned permille)
{
	const double ns = histogram_quantile(h, permille);
	return ns < (double)h->min ? (double)h->min : ns > (double)h->max ? (double)h->max : ns;
}

void iot_stats_latency(const struct iot_stats *s, int write, struct iot_stats_latency *l)
{
	const struct histogram *h = &s->durations[write != 0];
	*l = (struct iot_stats_latency){.count = h->count};
	if (h->count == 0)
		return;
	l->min_ns = h->min;
	l->max_ns = h->max;
	l->mean_ns = histogram_mean(h);
	l->median_ns = quantile(h, 500);
	l->p99_ns = quantile(h, 990);
}

uint64_t iot_stats_size(const struct iot_stats_row *row, unsigned class)
{
	return class < IOT_SIZE_CLASSES
		   ? size_counts_count(&((const struct stats_row *)row)->sizes, class)
		   : 0;
}

uint64_t iot_stats_fact(const struct iot_stats *s, enum iot_stats_fact fact)
{
	switch (fact) {
	case IOT_STATS_ROWS:
		return s->row_count;
	case IOT_STATS_LEFT_OUT:
		return s->left_out;
	case IOT_STATS_OPS:
		return s->operations.ops;
	case IOT_STATS_OTHER_OPS:
		return s->operations.others;
	case IOT_STATS_COUNTERS:
		return s->counters;
	case IOT_STATS_FILE_COUNTERS:
		return s->file_counters;
	case IOT_STATS_UNNAMED:
		return s->unnamed;
	case IOT_STATS_LAYERS:
		return s->layers;
	case IOT_STATS_SPAN_NS:
		return (s->total.values.has & IOT_STATS_HAS_TIMES) != 0
			   ? (uint64_t)(s->end_ns - s->total.values.first_ns)
			   : 0;
	case IOT_STATS_COUNTER_TRACES:
		return s->counter_traces;
	case IOT_STATS_UNALIGNED:
		return s->unaligned;
	case IOT_STATS_NO_RESULTS:
		return s->no_results;
	case IOT_STATS_SAMPLES:
		return s->samples;
	}
	return 0;
}
