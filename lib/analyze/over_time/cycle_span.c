/* SPDX-License-Identifier: BSD-2-Clause */
#include "cycle_span.h"

enum { PHASES = 64 };

struct cycle_span cycle_span_of_all(size_t n, double period)
{
	return (struct cycle_span){0, (size_t)((double)n / period + 1.0 / PHASES), period};
}

/* A cycle may have several bursts, and a burst several cycles. A quarter of a period is jitter. */
static size_t cycles_between(const struct burst *first, const struct burst *last, double period)
{
	const size_t before = (size_t)((double)(last->begin - first->begin) / period + 0.25),
		     within = (size_t)((double)(last->end - last->begin) / period + 0.25);
	return before + (within > 1 ? within : 1);
}

struct cycle_span cycle_span_of_bursts(const struct burst *bursts, size_t count, double period,
				       uint64_t *scratch)
{
	const struct burst *first = &bursts[0], *last = &bursts[count - 1];
	for (size_t i = 0; i < count; i++)
		scratch[i] = bursts[i].end - bursts[i].begin;
	const double length = (double)burst_runs_middle(scratch, count);
	const int64_t lead = length < period ? (int64_t)((period - length) / 2) : 0;
	return (struct cycle_span){(int64_t)first->begin - lead,
				   cycles_between(first, last, period), period};
}
