/* SPDX-License-Identifier: BSD-2-Clause */
/* Combines rows of one directory, rank, host or trace; of several traces, objects of one path. */
#include "lib/stats/stats_internal.h"

#include <stdlib.h>
#include <string.h>

/* "/a" for "/a/b", "/" for "/b", "." for "b". */
static size_t directory_size(const char **path, size_t size)
{
	while (size > 0 && (*path)[size - 1] != '/')
		size--;
	if (size > 1)
		return size - 1;
	*path = size == 0 ? "." : "/";
	return 1;
}

static void name_directory(struct iot_stats *s, struct stats_row *row)
{
	const struct iot_stats_row *f = &row->values;
	size_t size = f->name_size;
	const char *path = f->name;
	if (f->object != 0 && s->options.object_name != NULL)
		path = s->options.object_name(s->options.context, f->object, &size);
	if (path == NULL)
		return;
	size = directory_size(&path, size);
	stats_row_name(s, row, (struct iot_text){path, size});
}

static int by_key(const void *left, const void *right)
{
	const struct iot_stats_row *a = left, *b = right;
	const unsigned rank_a = a->has & IOT_STATS_HAS_RANK, rank_b = b->has & IOT_STATS_HAS_RANK;
	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	if (rank_a != 0 && a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->name == NULL || b->name == NULL)
		return (a->name != NULL) - (b->name != NULL);
	const size_t size = a->name_size < b->name_size ? a->name_size : b->name_size;
	const int order = memcmp(a->name, b->name, size);
	return order != 0 ? order : (a->name_size > b->name_size) - (a->name_size < b->name_size);
}

/* Reduces the names and ids of a row to the key that it is combined by. */
static void set_key(struct iot_stats *s, struct stats_row *row)
{
	struct iot_stats_row *f = &row->values;
	if (s->options.by == IOT_STATS_BY_DIRECTORY)
		name_directory(s, row);
	else if (s->options.by == IOT_STATS_BY_RANK || s->options.by == IOT_STATS_BY_TRACE)
		stats_row_drop_name(s, row);
	else if (f->name == NULL && s->trace_host != NULL && !is_sampled(row))
		stats_row_name(s, row, (struct iot_text){s->trace_host, s->trace_host_size});
	if (s->options.by != IOT_STATS_BY_RANK)
		f->has &= ~(unsigned)IOT_STATS_HAS_RANK;
	f->process = f->file = f->object = 0;
}

void stats_set_keys(struct iot_stats *s)
{
	for (size_t i = 0; i < s->row_count; i++)
		set_key(s, &s->rows[i]);
}

static bool is_one(const struct iot_stats *s, const struct stats_row *a, const struct stats_row *b)
{
	if (is_sampled(a) != is_sampled(b))
		return false;
	if (s->options.by == IOT_STATS_BY_TRACE)
		return a->values.trace == b->values.trace;
	if (s->options.by == IOT_STATS_BY_OBJECT &&
	    (a->values.object == 0 || b->values.object == 0 || a->values.name == NULL))
		return false;
	return by_key(a, b) == 0;
}

static int by_key_and_trace(const void *left, const void *right)
{
	const struct iot_stats_row *a = left, *b = right;
	const unsigned sampled_a = a->has & IOT_STATS_SAMPLED,
		       sampled_b = b->has & IOT_STATS_SAMPLED;
	const int order = by_key(a, b);
	if (sampled_a != sampled_b)
		return sampled_a < sampled_b ? -1 : 1;
	if ((a->object == 0) != (b->object == 0))
		return a->object == 0 ? -1 : 1;
	if (order != 0)
		return order;
	return a->trace < b->trace ? -1 : a->trace > b->trace;
}

/* Rows keep the ids of the first trace that has them. */
static void absorb_row(struct iot_stats *s, struct stats_row *to, struct stats_row *row)
{
	stats_row_add(s, to, row);
	if ((row->values.has & IOT_STATS_ONLY_COUNTERS) == 0)
		to->values.has &= ~(unsigned)IOT_STATS_ONLY_COUNTERS;
	stats_row_drop_name(s, row);
	size_counts_free(&row->sizes);
}

void stats_combine_rows(struct iot_stats *s)
{
	size_t used = 0;
	if (s->options.by == IOT_STATS_BY_FILE || s->options.by == IOT_STATS_BY_PROCESS)
		return;
	if (s->row_count > 0)
		qsort(s->rows, s->row_count, sizeof *s->rows, by_key_and_trace);
	for (size_t i = 0; i < s->row_count; i++) {
		if (used > 0 && is_one(s, &s->rows[used - 1], &s->rows[i]))
			absorb_row(s, &s->rows[used - 1], &s->rows[i]);
		else
			s->rows[used++] = s->rows[i];
	}
	s->row_count = s->combined = used;
}
