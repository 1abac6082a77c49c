/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/stats/stats_internal.h"

#include <stdlib.h>
#include <string.h>

uint32_t stats_add_row(struct iot_stats *s, uint32_t process, uint32_t file, uint32_t object)
{
	if (!array_reserve_index(&s->rows, &s->row_capacity, s->row_count, sizeof *s->rows)) {
		s->failed = true;
		return 0;
	}
	struct stats_row *rows = s->rows;
	rows[s->row_count].values.process = process;
	rows[s->row_count].values.file = file;
	rows[s->row_count].values.object = object;
	return (uint32_t)++s->row_count;
}

uint32_t stats_group_row(struct iot_stats *s, uint32_t key)
{
	size_t i = number_of(s, &s->group_map, key, &s->group_rows, &s->group_capacity,
			     sizeof *s->group_rows);
	if (i == SIZE_MAX)
		return 0;
	if (s->group_rows[i] == 0) {
		bool process = by_process(s);
		s->group_rows[i] = stats_add_row(s, process ? key : 0, 0, process ? 0 : key);
	}
	return s->group_rows[i];
}

void stats_row_add(struct iot_stats *s, struct stats_row *total, const struct stats_row *more)
{
	enum { COUNTERS = offsetof(struct iot_stats_row, process) / sizeof(uint64_t) };
	uint64_t sum[COUNTERS], values[COUNTERS];
	memcpy(sum, &total->values, sizeof sum);
	memcpy(values, &more->values, sizeof values);
	for (size_t i = 0; i < COUNTERS; i++)
		sum[i] += values[i];
	memcpy(&total->values, sum, sizeof sum);
	s->failed |= !size_counts_join(&total->sizes, &more->sizes);
	if (more->values.has & IOT_STATS_HAS_TIMES)
		stats_extend_span(&total->values, more->values.first_ns, more->values.last_ns);
}

/* Rows own their names, which the caller may only read. */
void stats_row_free_name(struct stats_row *row)
{
	free((char *)(uintptr_t)row->values.name);
	row->values.name = NULL;
}

void stats_row_give_name(struct iot_stats *s, struct stats_row *row, const char *name, size_t size)
{
	if (row->values.name != NULL)
		s->names_size -= row->values.name_size;
	stats_row_free_name(row);
	if (size > s->options.names_max - s->names_size) {
		s->unnamed++;
		free((char *)(uintptr_t)name);
		return;
	}
	row->values.name = name;
	row->values.name_size = size;
	s->names_size += size;
}

bool stats_names_files(const struct iot_stats *s, const struct stats_row *row)
{
	return s->options.by == IOT_STATS_BY_FILE ||
	       (by_object(s) && (row->values.object == 0 || s->options.object_name == NULL));
}

void stats_set_rank(struct iot_stats *s, uint32_t process, uint64_t rank)
{
	size_t i =
	    number_of(s, &s->rank_map, process, &s->ranks, &s->rank_capacity, sizeof *s->ranks);
	if (i != SIZE_MAX)
		s->ranks[i] = rank;
}

void stats_give_ranks(struct iot_stats *s)
{
	for (size_t i = 0; i < s->row_count && s->rank_map.count > 0; i++) {
		struct stats_row *row = &s->rows[i];
		const bool one = !by_object(s) || row->values.object == 0;
		const size_t n = one ? idmap_find(&s->rank_map, row->values.process) : SIZE_MAX;
		if (n == SIZE_MAX || s->ranks[n] == 0)
			continue;
		row->values.rank = s->ranks[n] - 1;
		row->values.has |= IOT_STATS_HAS_RANK;
	}
}
