/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/stats/stats_internal.h"

#include <stdlib.h>
#include <string.h>

uint32_t stats_add_row(struct iot_stats *s, uint32_t process, uint32_t file, uint32_t object)
{
	if (!array_reserve(&s->rows, &s->row_capacity, s->row_count + 1, sizeof *s->rows)) {
		s->failed = true;
		return 0;
	}
	s->rows[s->row_count] =
	    (struct stats_row){.values = {.process = process, .file = file, .object = object}};
	return (uint32_t)++s->row_count;
}

uint32_t stats_group_row(struct iot_stats *s, uint64_t key)
{
	size_t i = number_of(s, &s->group_map, key, &s->group_rows, &s->group_capacity,
			     sizeof *s->group_rows);
	if (i == SIZE_MAX)
		return 0;
	if (s->group_rows[i] == 0) {
		bool process = by_process(s);
		s->group_rows[i] =
		    stats_add_row(s, process ? (uint32_t)key : 0, 0, process ? 0 : (uint32_t)key);
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
	total->values.samples += more->values.samples;
	total->values.has |= more->values.has & (IOT_STATS_HAS_OPENS | STATS_OF_SAMPLES);
	if (more->values.has & IOT_STATS_HAS_TIMES)
		stats_extend_span(&total->values, more->values.first_ns, more->values.last_ns);
}

/* The memory of names, which the caller may only read. */
static char *memory_of(const struct iot_stats_row *f)
{
	return (char *)(uintptr_t)f->name;
}

void stats_row_drop_name(struct iot_stats *s, struct stats_row *row)
{
	struct iot_stats_row *f = &row->values;
	if (f->name == NULL)
		return;
	s->names_size -= f->name_size;
	text_pool_give(&s->names, memory_of(f), f->name_size + 1);
	f->name = NULL;
}

static bool is_named(const struct iot_stats_row *f, struct iot_text name)
{
	return f->name != NULL && f->name_size == name.size &&
	       memcmp(f->name, name.data, name.size) == 0;
}

/* Returns a copy of a name, or NULL, which is a failure only if it is within the limit. */
static char *copy_name(struct iot_stats *s, struct iot_text name, uint64_t others)
{
	if (name.size > s->options.names_max - others) {
		s->unnamed++;
		return NULL;
	}
	char *copy = text_pool_get(&s->names, name.size + 1);
	if (copy == NULL) {
		s->failed = true;
		return NULL;
	}
	memcpy(copy, name.data, name.size);
	copy[name.size] = '\0';
	s->names_size += name.size;
	return copy;
}

/* The name may be a part of the row's present one. */
void stats_row_name(struct iot_stats *s, struct stats_row *row, struct iot_text name)
{
	struct iot_stats_row *f = &row->values;
	if (is_named(f, name))
		return;
	const char *copy = copy_name(s, name, s->names_size - (f->name != NULL ? f->name_size : 0));
	stats_row_drop_name(s, row);
	f->name = copy;
	f->name_size = copy != NULL ? name.size : 0;
}

void stats_row_name_encoded(struct iot_stats *s, struct stats_row *row, struct iot_text encoded)
{
	if (memchr(encoded.data, '%', encoded.size) == NULL) {
		stats_row_name(s, row, encoded);
		return;
	}
	char *name = malloc(encoded.size);
	if (name == NULL) {
		s->failed = true;
		return;
	}
	const size_t size = iot_percent_decode(encoded, name, NULL);
	stats_row_name(s, row, (struct iot_text){name, size});
	free(name);
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
