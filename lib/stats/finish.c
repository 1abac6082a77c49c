/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals, and the order of rows. */
#include "lib/stats/stats_internal.h"

#include <stdlib.h>

static uint64_t sort_key(const struct iot_stats_row *f, uint32_t sort)
{
	switch (sort) {
	case IOT_STATS_SORT_IOS:
		return f->reads + f->writes;
	case IOT_STATS_SORT_TIME:
		return f->io_ns;
	case IOT_STATS_SORT_OPENS:
		return f->opens;
	case IOT_STATS_SORT_READS:
		return f->reads;
	case IOT_STATS_SORT_WRITES:
		return f->writes;
	case IOT_STATS_SORT_READ_BYTES:
		return f->read_bytes;
	case IOT_STATS_SORT_WRITTEN_BYTES:
		return f->written_bytes;
	default:
		return f->read_bytes + f->written_bytes;
	}
}

static int largest_first(const void *left, const void *right, void *sort)
{
	const struct stats_row *a = left, *b = right;
	uint64_t x = sort_key(&a->values, *(uint32_t *)sort);
	uint64_t y = sort_key(&b->values, *(uint32_t *)sort);
	if (x != y)
		return x < y ? 1 : -1;
	x = a->values.read_bytes + a->values.written_bytes;
	y = b->values.read_bytes + b->values.written_bytes;
	if (x != y)
		return x < y ? 1 : -1;
	x = a->values.reads + a->values.writes;
	y = b->values.reads + b->values.writes;
	if (x != y)
		return x < y ? 1 : -1;
	if (a->values.object != b->values.object)
		return a->values.object < b->values.object ? -1 : 1;
	if (a->values.process != b->values.process)
		return a->values.process < b->values.process ? -1 : 1;
	if (a->values.file != b->values.file)
		return a->values.file < b->values.file ? -1 : 1;
	return a->values.trace < b->values.trace ? -1 : a->values.trace > b->values.trace;
}

/* Frees what only counting and joining need, before rows are sorted or named. */
static void end_counting(struct iot_stats *s)
{
	free(s->opened);
	free(s->group_rows);
	file_ids_free(&s->file_ids);
	idmap_free(&s->group_map);
	s->opened = NULL;
	s->group_rows = NULL;
	s->opened_capacity = s->group_capacity = 0;
}

void stats_end_trace(struct iot_stats *s)
{
	uint64_t opens = 0;
	end_counting(s);
	stats_give_ranks(s);
	if (s->options.by > IOT_STATS_BY_OBJECT) {
		stats_set_keys(s);
		stats_combine_rows(s);
	}
	for (size_t i = 0; i < s->row_count; i++)
		opens += is_sampled(&s->rows[i]) ? 0 : s->rows[i].values.opens;
	for (size_t i = 0; i < s->row_count && s->no_offsets; i++)
		s->rows[i].values.located = s->rows[i].values.sequential = 0;
	for (size_t i = 0; i < s->row_count && opens > 0; i++)
		if (!is_sampled(&s->rows[i]))
			s->rows[i].values.has |= IOT_STATS_HAS_OPENS;
}

int iot_stats_finish(struct iot_stats *s)
{
	if (s->traces == 0)
		stats_end_trace(s);
	else
		stats_combine_rows(s);
	stats_choose_samples(s);
	operations_sort(&s->operations);
	for (size_t i = 0; i < s->row_count; i++)
		stats_row_add(s, &s->total, &s->rows[i]);
	if (s->row_count > 0)
		qsort_r(s->rows, s->row_count, sizeof *s->rows, largest_first, &s->options.sort);
	return stats_result(s);
}
