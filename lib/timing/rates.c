/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/base/array.h"
#include "sim_internal.h"

/* Returns NULL, with the error set, if there are too many rows. */
static struct timing_rate *row_at(struct sim *s, int64_t time_ns)
{
	struct timing_result *r = s->result;
	const uint64_t row = (uint64_t)time_ns / s->o->rate_ns;
	if (row >= TIMING_RATES_MAX) {
		error_set(s->error, IOT_ELIMIT,
			  "more than %d intervals of %ju ns; a longer one is needed",
			  TIMING_RATES_MAX, (uintmax_t)s->o->rate_ns);
		return NULL;
	}
	if (!array_reserve_index(&r->rates, &r->rate_capacity, row, sizeof *r->rates)) {
		sim_no_memory(s);
		return NULL;
	}
	if (row >= r->rate_count)
		r->rate_count = row + 1;
	return &r->rates[row];
}

void rates_add(struct sim *s, int64_t time_ns, enum rate_kind kind, uint64_t bytes)
{
	struct timing_rate *row = s->o->rate_ns > 0 ? row_at(s, time_ns) : NULL;
	if (row == NULL)
		return;
	uint64_t *const sums[] = {&row->device_read, &row->device_written, &row->cache_read,
				  &row->cache_written};
	*sums[kind] += bytes;
}

void rates_idle(struct sim *s, int64_t from_ns, int64_t to_ns)
{
	const int64_t width = (int64_t)s->o->rate_ns;
	while (width > 0 && from_ns < to_ns) {
		struct timing_rate *row = row_at(s, from_ns);
		if (row == NULL)
			return;
		const int64_t row_end = clock_add(from_ns, (uint64_t)(width - from_ns % width));
		const int64_t end = row_end < to_ns ? row_end : to_ns;
		row->idle_ns += (uint64_t)(end - from_ns);
		from_ns = end;
	}
}

void rates_end(struct sim *s, int64_t end_ns)
{
	if (s->o->rate_ns > 0 && end_ns > 0)
		(void)row_at(s, end_ns - 1);
}
