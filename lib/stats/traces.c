/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the rows of several traces, whose processes and fileIds are different. */
#include "lib/stats/stats_internal.h"

static void shift_times(struct iot_stats *s, int64_t by)
{
	for (size_t i = 0; i < s->row_count; i++) {
		s->rows[i].values.first_ns += by;
		s->rows[i].values.last_ns += by;
	}
	s->end_ns += by;
}

/* Times then count from the earlier epoch; without an epoch, both begin at the same time. */
static void align(struct iot_stats *s, struct iot_stats *more)
{
	const uint64_t epoch = s->epoch_ns, other = more->epoch_ns;
	if (s->traces == 0) {
		s->epoch_ns = other;
		return;
	}
	s->unaligned |= epoch == 0 || other == 0;
	if (s->unaligned)
		return;
	if (epoch > other)
		shift_times(s, (int64_t)(epoch - other));
	else
		shift_times(more, (int64_t)(other - epoch));
	s->epoch_ns = epoch < other ? epoch : other;
}

/* The caller knows the paths of objects only until it counts the next trace. */
static void keep_object_names(struct iot_stats *s)
{
	size_t size;
	for (size_t i = 0; i < s->row_count && !s->failed && s->options.object_name != NULL; i++) {
		struct stats_row *row = &s->rows[i];
		const char *path =
		    row->values.object != 0
			? s->options.object_name(s->options.context, row->values.object, &size)
			: NULL;
		if (path != NULL)
			stats_row_name(s, row, (struct iot_text){path, size});
	}
}

static bool has_only_counters(const struct iot_stats *s)
{
	uint64_t ios = s->left_out;
	for (size_t i = 0; i < s->row_count; i++)
		ios += s->rows[i].values.reads + s->rows[i].values.writes + is_sampled(&s->rows[i]);
	return ios == 0 && s->file_counters + s->samples > 0;
}

static void move_row(struct iot_stats *s, struct stats_row *row)
{
	const struct iot_text name = {row->values.name, row->values.name_size};
	struct stats_row *to = &s->rows[s->row_count++];
	*to = *row;
	to->values.trace = s->traces + 1;
	to->values.name = NULL;
	if (name.data != NULL)
		stats_row_name(s, to, name);
	row->sizes = (struct size_counts){.single = 0};
}

int iot_stats_join_trace(struct iot_stats *s, struct iot_stats *more)
{
	enum { COMBINED_AT = 1 << 16 };
	if (s->options.by == IOT_STATS_BY_OBJECT || s->options.by == IOT_STATS_BY_FILE)
		keep_object_names(more);
	stats_end_trace(more);
	const bool counters = has_only_counters(more);
	const unsigned has = counters ? (unsigned)IOT_STATS_ONLY_COUNTERS : 0U;
	for (size_t i = 0; i < more->row_count; i++)
		more->rows[i].values.has |= has;
	align(s, more);
	s->failed |=
	    more->failed || !array_reserve(&s->rows, &s->row_capacity,
					   s->row_count + more->row_count, sizeof *s->rows);
	for (size_t i = 0; i < more->row_count && !s->failed; i++)
		move_row(s, &more->rows[i]);
	stats_join_sums(s, more);
	s->traces++;
	s->counter_traces += counters;
	if (s->row_count > COMBINED_AT && s->row_count / 2 > s->combined)
		stats_combine_rows(s);
	stats_empty(more);
	return stats_result(s);
}
