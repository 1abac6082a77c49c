/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins parts: corrects the values that depend on earlier events, then adds the rows. */
#include "lib/stats/stats_internal.h"

#include <stdlib.h>

static void join_opened(struct iot_stats *s, struct iot_stats *more)
{
	for (size_t i = 0; i < more->file_ids.map.count && !s->failed; i++) {
		const struct opened *m = &more->opened[i];
		const uint64_t key = more->file_ids.map.keys[i];
		const struct opened *o = opened_of(s, (uint32_t)(key >> 32), (uint32_t)key);
		if (o == NULL || m->row == 0)
			continue;
		if (o->row != 0)
			more->rows[m->first_row - 1].values.files--;
		if (!o->active || !m->active)
			continue;
		struct iot_stats_row *f = &more->rows[m->first_io_row - 1].values;
		stats_count_follower(f, o, m->first_offset, m->first_length, m->first_unknown);
	}
}

/* Returns the number + 1 of the row that a later row continues, or of a new one, or 0. */
static uint32_t row_for(struct iot_stats *s, const struct stats_row *row)
{
	if (is_sampled(row))
		return stats_sample_row(s, row);
	if (by_process(s))
		return stats_group_row(s, row->values.process);
	if (by_object(s) && row->values.object != 0)
		return stats_group_row(s, row->values.object);
	struct opened *o = opened_of(s, row->values.process, row->values.file);
	if (o != NULL && o->row == 0)
		o->row =
		    stats_add_row(s, row->values.process, row->values.file, row->values.object);
	return o != NULL ? o->row : 0;
}

/* Returns its number + 1 in t, or 0 if out of memory. */
static uint32_t join_row(struct iot_stats *s, struct stats_row *more)
{
	const size_t count = s->row_count;
	const uint32_t number = row_for(s, more);
	if (number == 0)
		return 0;
	struct stats_row *row = &s->rows[number - 1];
	stats_row_add(s, row, more);
	if (more->values.name &&
	    ((more->values.has & IOT_STATS_NAME_DEFINED) ||
	     !(row->values.has & IOT_STATS_NAME_DEFINED)) &&
	    (!by_object(s) || stats_names_files(s, row) || s->row_count > count)) {
		const struct iot_text name = {more->values.name, more->values.name_size};
		stats_row_name(s, row, name);
		row->values.has |= more->values.has & IOT_STATS_NAME_DEFINED;
	}
	return number;
}

/* numbers: of more's rows in t, + 1 */
static void move_opened(struct iot_stats *s, const struct iot_stats *more, const uint32_t *numbers)
{
	for (size_t i = 0; i < more->file_ids.map.count && !s->failed; i++) {
		const struct opened *m = &more->opened[i];
		const uint64_t key = more->file_ids.map.keys[i];
		struct opened *o = opened_of(s, (uint32_t)(key >> 32), (uint32_t)key);
		if (o == NULL || m->row == 0)
			continue;
		if (o->row == 0 || m->object != 0) {
			o->row = numbers[m->row - 1];
			o->object = m->object;
		}
		if (s->options.by == IOT_STATS_BY_FILE)
			s->rows[o->row - 1].values.object = o->object;
		if (!m->active)
			continue;
		o->active = true;
		o->end = m->end;
		o->length = m->length;
		o->unknown = m->unknown;
	}
}

/* The first part is moved instead of copied: with many processes it is half of all memory. */
static bool take_over(struct iot_stats *s, struct iot_stats *more)
{
	if (s->row_count + s->file_ids.map.count + s->group_map.count + s->rank_map.count > 0 ||
	    s->operations.ops + s->operations.others > 0 ||
	    s->left_out + s->counters + s->samples + s->unnamed > 0 || s->layers || s->no_offsets ||
	    s->no_results || s->trace_host != NULL || s->epoch_ns != 0 || s->failed)
		return false;
	*s = *more;
	*more = (struct iot_stats){.options = s->options};
	return true;
}

void stats_join_sums(struct iot_stats *s, const struct iot_stats *more)
{
	operations_join(&s->operations, &more->operations);
	for (size_t i = 0; i < 2; i++)
		histogram_join(&s->durations[i], &more->durations[i]);
	s->end_ns = more->end_ns > s->end_ns ? more->end_ns : s->end_ns;
	s->layers |= more->layers;
	s->no_results |= more->no_results;
	s->left_out += more->left_out;
	s->counters += more->counters;
	s->file_counters += more->file_counters;
	s->samples += more->samples;
	s->unnamed += more->unnamed;
}

int iot_stats_join(struct iot_stats *s, struct iot_stats *more)
{
	if (take_over(s, more))
		return stats_result(s);
	uint32_t *numbers = calloc(more->row_count + 1, sizeof *numbers);
	s->failed |= more->failed || numbers == NULL;
	if (!s->failed)
		join_opened(s, more);
	for (size_t i = 0; i < more->row_count && !s->failed; i++)
		numbers[i] = join_row(s, &more->rows[i]);
	if (!s->failed)
		move_opened(s, more, numbers);
	for (size_t i = 0; i < more->rank_map.count && !s->failed; i++)
		stats_set_rank(s, (uint32_t)more->rank_map.keys[i], more->ranks[i]);
	stats_join_sums(s, more);
	s->epoch_ns = s->epoch_ns != 0 ? s->epoch_ns : more->epoch_ns;
	if (s->trace_host == NULL) {
		s->trace_host = more->trace_host;
		s->trace_host_size = more->trace_host_size;
		more->trace_host = NULL;
	}
	s->no_offsets |= more->no_offsets;
	free(numbers);
	stats_empty(more);
	return stats_result(s);
}
