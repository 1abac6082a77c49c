/* SPDX-License-Identifier: BSD-2-Clause */
#include "series.h"

#include <stdlib.h>

#include "interval.h"
#include "saturate.h"

static struct series_bin *bin_at(struct series *s, int64_t bin)
{
	return &s->bins[(uint64_t)bin % CELLS_BINS_MAX];
}

/* Adds groups of 2^steps bins. */
static bool coarsen(struct series *s, int steps)
{
	struct series_bin *old = s->bins;
	s->bins = calloc(CELLS_BINS_MAX, sizeof *s->bins);
	const bool moves = s->any && old != NULL && s->bins != NULL;
	for (int64_t bin = s->first_bin; moves && bin <= s->last_bin; bin++) {
		const struct series_bin *from = &old[(uint64_t)bin % CELLS_BINS_MAX];
		struct series_bin *to = bin_at(s, bin >> steps);
		to->in_flight_ns += from->in_flight_ns;
		to->operations += from->operations;
		to->requests |= from->requests;
	}
	free(old);
	s->coarser += steps;
	s->first_bin >>= steps;
	s->last_bin >>= steps;
	return s->bins != NULL;
}

/* Coarsens until the bins of an interval, both ends included, can be added. */
static bool extend(struct series *s, uint64_t from_ns, uint64_t to_ns)
{
	for (int steps = 0;; steps++) {
		const int k = series_k(s) - steps;
		const int64_t first = cells_bin(from_ns, k), last = cells_bin(to_ns, k),
			      old_first = s->first_bin >> steps, old_last = s->last_bin >> steps;
		const int64_t min = s->any && old_first < first ? old_first : first,
			      max = s->any && old_last > last ? old_last : last;
		if (max - min >= CELLS_BINS_MAX)
			continue;
		if ((steps > 0 || s->bins == NULL) && !coarsen(s, steps))
			return false;
		s->first_bin = min;
		s->last_bin = max;
		s->any = true;
		return true;
	}
}

/* Makes the bin at a time the latest one. */
static void set_latest(struct series *s, uint64_t ns)
{
	const int64_t bin = cells_bin(ns, series_k(s));
	s->from_ns = cells_start(bin, series_k(s));
	const uint64_t to = cells_start(bin + 1, series_k(s));
	s->to_ns = to > ns ? to : UINT64_MAX;
	s->latest = bin_at(s, bin);
}

static bool add_long(struct series *s, uint64_t start, uint64_t end)
{
	if (!extend(s, start, end > start ? end - 1 : start))
		return false;
	set_latest(s, start);
	s->latest->requests = true;
	for (uint64_t at = start; at < end; at = s->to_ns) {
		set_latest(s, at);
		s->latest->in_flight_ns += (end < s->to_ns ? end : s->to_ns) - at;
	}
	return true;
}

bool series_add(struct series *s, const struct io_request *list, size_t n, uint64_t epoch_ns)
{
	for (size_t i = 0; i < n; i++) {
		if ((list[i].flags & IOT_START_UNKNOWN) != 0)
			continue;
		const uint64_t start = epoch_ns + (uint64_t)list[i].start_ns;
		const uint64_t end =
		    interval_is_known(&list[i]) ? saturate_add(start, list[i].duration_ns) : start;
		if (start < s->from_ns || start >= s->to_ns || end > s->to_ns) {
			if (!add_long(s, start, end))
				return false;
			continue;
		}
		s->latest->in_flight_ns += end - start;
		s->latest->requests = true;
	}
	return true;
}

bool series_add_op(struct series *s, uint64_t ns)
{
	if (ns < s->from_ns || ns >= s->to_ns) {
		if (!extend(s, ns, ns))
			return false;
		set_latest(s, ns);
	}
	s->latest->operations++;
	return true;
}

bool series_join(struct series *s, const struct series *part)
{
	if (!part->any)
		return true;
	if (!extend(s, cells_start(part->first_bin, series_k(part)),
		    cells_start(part->last_bin, series_k(part))))
		return false;
	if (s->coarser < part->coarser && !coarsen(s, part->coarser - s->coarser))
		return false;
	for (int64_t bin = part->first_bin; bin <= part->last_bin; bin++) {
		const struct series_bin *from = series_at(part, bin);
		struct series_bin *to = bin_at(s, bin >> (s->coarser - part->coarser));
		to->in_flight_ns += from->in_flight_ns;
		to->operations += from->operations;
		to->requests |= from->requests;
	}
	s->from_ns = s->to_ns = 0;
	return true;
}

void series_free(struct series *s)
{
	free(s->bins);
}
