/* SPDX-License-Identifier: BSD-2-Clause */
#include "series.h"

#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"

static struct series_bin *bin_at(struct series *s, int64_t bin)
{
	return &s->bins[(uint64_t)bin % CELLS_BINS_MAX];
}

/* The time in flight of a bin; `filling` requests fill the one before it, and afterwards it. */
static inline uint64_t settled(const struct series_bin *at, int64_t bin, int k, uint64_t *filling)
{
	*filling += (uint64_t)at->filling;
	if (*filling == 0)
		return at->in_flight_ns;
	return at->in_flight_ns + *filling * (cells_start(bin + 1, k) - cells_start(bin, k));
}

void series_settle(struct series *s)
{
	uint64_t filling = 0;
	for (int64_t bin = s->first_bin; s->any && bin <= s->last_bin; bin++) {
		struct series_bin *at = bin_at(s, bin);
		at->in_flight_ns = settled(at, bin, series_k(s), &filling);
		at->filling = 0;
	}
}

/* Adds groups of 2^steps bins, which are settled then. */
static bool coarsen(struct series *s, int steps)
{
	struct series_bin *old = s->bins;
	uint64_t filling = 0;
	s->bins = s->spare != NULL ? s->spare : calloc(CELLS_BINS_MAX, sizeof *s->bins);
	const bool moves = s->any && old != NULL && s->bins != NULL;
	for (int64_t bin = s->first_bin; moves && bin <= s->last_bin; bin++) {
		struct series_bin *from = &old[(uint64_t)bin % CELLS_BINS_MAX];
		struct series_bin *to = bin_at(s, bin >> steps);
		to->in_flight_ns += settled(from, bin, series_k(s), &filling);
		to->operations += from->operations;
		to->requests |= from->requests;
		*from = (struct series_bin){.requests = false};
	}
	s->spare = old;
	s->coarser += steps;
	s->first_bin >>= steps;
	s->last_bin >>= steps;
	return s->bins != NULL;
}

/* Coarsens until the bins of an interval, both ends included, can be added. */
static bool extend(struct series *s, uint64_t from_ns, uint64_t to_ns)
{
	struct bin_span span = {s->first_bin, s->last_bin, s->any};
	const int steps = bin_span_extend(&span, series_k(s), from_ns, to_ns, CELLS_BINS_MAX);
	if ((steps > 0 || s->bins == NULL) && !coarsen(s, steps))
		return false;
	s->first_bin = span.first;
	s->last_bin = span.last;
	s->any = true;
	return true;
}

/* Sets the bin after the latest one. */
static void set_following(struct series *s)
{
	const uint64_t next = cells_start(s->latest_bin + 2, series_k(s));
	s->next_ns = s->latest_bin < s->last_bin && next > s->to_ns ? next : s->to_ns;
	s->following = bin_at(s, s->latest_bin + 1);
}

/* Makes the bin at a time the latest one. */
static void set_latest(struct series *s, uint64_t ns)
{
	const int k = series_k(s);
	const int64_t bin = cells_bin(ns, k);
	const uint64_t to = cells_start(bin + 1, k);
	s->from_ns = cells_start(bin, k);
	s->to_ns = to > ns ? to : UINT64_MAX;
	s->latest_bin = bin;
	s->latest = bin_at(s, bin);
	set_following(s);
}

/* Makes the bin after the latest one the latest one. */
static void advance(struct series *s)
{
	s->from_ns = s->to_ns;
	s->to_ns = s->next_ns;
	s->latest_bin++;
	s->latest = s->following;
	set_following(s);
}

bool series_add_request(struct series *s, uint64_t start, uint64_t end)
{
	if (!extend(s, start, end > start ? end - 1 : start))
		return false;
	set_latest(s, start);
	s->latest->requests = true;
	if (end <= s->to_ns) {
		s->latest->in_flight_ns += end > start ? end - start : 0;
		return true;
	}
	const int k = series_k(s);
	const int64_t first = cells_bin(start, k), last = cells_bin(end - 1, k);
	s->latest->in_flight_ns += s->to_ns - start;
	bin_at(s, last)->in_flight_ns += end - cells_start(last, k);
	bin_at(s, first + 1)->filling++;
	bin_at(s, last)->filling--;
	return true;
}

/*
 * Adds the first requests that begin in the latest bin and end there or in the following one;
 * returns their number. A request of unknown duration ends at its start.
 */
static inline size_t add_near(struct series *s, const int64_t *start_ns, const int64_t *end_ns,
			      size_t n, uint64_t epoch_ns)
{
	const uint64_t from = s->from_ns - epoch_ns, middle = s->to_ns - s->from_ns,
		       last = s->next_ns - s->from_ns;
	uint64_t here_ns = 0, in_flight_ns = 0;
	size_t i = 0;
	for (; i < n; i++) {
		const uint64_t start = (uint64_t)start_ns[i] - from,
			       end = (uint64_t)end_ns[i] - from;
		if (start >= middle || end > last || end_ns[i] == INT64_MAX)
			break;
		here_ns += (end < middle ? end : middle) - start;
		in_flight_ns += end - start;
	}
	if (i == 0)
		return 0;
	s->latest->in_flight_ns += here_ns;
	s->following->in_flight_ns += in_flight_ns - here_ns;
	s->latest->requests = true;
	return i;
}

/* Adds the first ones of disjoint requests that are in the latest bin; returns their number. */
static inline size_t add_to_latest(struct series *s, const int64_t *start_ns, const int64_t *end_ns,
				   size_t n, uint64_t epoch_ns)
{
	const uint64_t from = s->from_ns - epoch_ns, length_ns = s->to_ns - s->from_ns;
	uint64_t in_flight_ns = 0;
	size_t i = 0;
	if ((uint64_t)start_ns[0] - from >= length_ns)
		return 0;
	for (; i < n && (uint64_t)end_ns[i] - from <= length_ns; i++)
		in_flight_ns += (uint64_t)(end_ns[i] - start_ns[i]);
	s->latest->in_flight_ns += in_flight_ns;
	s->latest->requests = true;
	return i;
}

static bool add_requests(struct series *s, const struct io_span *span, uint64_t epoch_ns)
{
	const bool disjoint = span->disjoint && span_end(span) != INT64_MAX;
	for (size_t i = 0; i < span->count;) {
		const uint64_t start = epoch_ns + (uint64_t)span->start_ns[i];
		if (start >= s->to_ns && start < s->next_ns)
			advance(s);
		size_t n = disjoint ? add_to_latest(s, span->start_ns + i, span->end_ns + i,
						    span->count - i, epoch_ns)
				    : 0;
		n += add_near(s, span->start_ns + i + n, span->end_ns + i + n, span->count - i - n,
			      epoch_ns);
		if (n == 0 && !series_add_request(s, start, epoch_ns + (uint64_t)span->end_ns[i]))
			return false;
		i += n > 0 ? n : 1;
	}
	return true;
}

/* The first and the last start of known requests; of these, many change the width of the bins. */
static bool extend_to(struct series *s, const struct io_spans *spans, uint64_t epoch_ns)
{
	uint64_t from = UINT64_MAX, to = 0;
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		const uint64_t first = epoch_ns + (uint64_t)span->start_ns[0],
			       last = epoch_ns + (uint64_t)span->start_ns[span->count - 1];
		if ((span->flags & IOT_START_UNKNOWN) != 0)
			continue;
		from = first < from ? first : from;
		to = last > to ? last : to;
	}
	if (from > to || (from >= s->from_ns && to < s->next_ns))
		return true;
	s->from_ns = s->to_ns = s->next_ns = 0;
	return extend(s, from, to);
}

bool series_add(struct series *s, const struct io_spans *spans, uint64_t epoch_ns)
{
	if (!extend_to(s, spans, epoch_ns))
		return false;
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		if ((span->flags & IOT_START_UNKNOWN) == 0 && !add_requests(s, span, epoch_ns))
			return false;
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
	free(s->spare);
}
