/* SPDX-License-Identifier: BSD-2-Clause */
#include "cells_spread.h"

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"

#include "pace.h"

static struct cells_request request_of(const struct cells_spread *s, uint32_t process, bool write)
{
	return (struct cells_request){.start_ns = s->from_ns,
				      .end_ns = s->to_ns - 1,
				      .length = s->amount[write],
				      .process = process,
				      .write = write,
				      .lasts = true};
}

/* Divides the amount of a direction among the bins. */
static void divide_one(struct cells_spread *s, bool write)
{
	const struct cells_request q = request_of(s, 0, write);
	const size_t last = s->bins - 1;
	if (last == 0 || q.length == 0) {
		for (size_t i = 0; i <= last; i++)
			s->share[i][write] = q.length;
		return;
	}
	struct pace p = pace_from(&q, s->first + 1, s->k);
	s->share[0][write] = p.moved;
	for (size_t i = 1; i < last; i++)
		s->share[i][write] = pace_next(&p);
	s->share[last][write] = q.length - p.moved;
}

/* Returns false if there are more bins than the shares have, or bins of several widths. */
static bool divide(struct cells_spread *s, int k)
{
	if (k > CELLS_K_EVEN)
		return false;
	s->first = cells_bin(s->from_ns, k);
	const int64_t bins = cells_bin(s->to_ns - 1, k) - s->first + 1;
	if (bins > CELLS_SHARES_MAX)
		return false;
	s->k = k;
	s->bins = (size_t)bins;
	s->divided = true;
	divide_one(s, false);
	divide_one(s, true);
	return true;
}

/* Adds groups of 2^steps bins. */
static void widen(struct cells_spread *s, int steps)
{
	const int64_t first = s->first >> steps;
	size_t bins = 0;
	for (size_t i = 0; i < s->bins; i++) {
		const size_t at = (size_t)(((s->first + (int64_t)i) >> steps) - first);
		for (unsigned d = 0; d < 2; d++)
			s->share[at][d] = s->share[i][d] + (at < bins ? s->share[at][d] : 0);
		bins = at + 1;
	}
	s->k -= steps;
	s->first = first;
	s->bins = bins;
}

static bool divides(struct cells_spread *s, int k)
{
	if (!s->divided || s->k < k)
		return divide(s, k);
	if (s->k > k)
		widen(s, s->k - k);
	return true;
}

/*
 * Returns how many of the bins have cells, which are the last ones of the row; SIZE_MAX if cells
 * would have to move, or a limit may be reached.
 */
static size_t count_present(const struct cells *c, const struct cells_row *r,
			    const struct cells_spread *s)
{
	const int64_t last = s->first + (int64_t)s->bins - 1;
	if (r->pieces > 0 || r->sorted != r->count || r->count == 0 || s->first < c->first_bin ||
	    last - c->first_bin >= cells_bins_max(s->k) || c->sorted + s->bins > CELLS_MAX)
		return SIZE_MAX;
	const int64_t present = r->cell[r->count - 1].bin - s->first + 1;
	if (present <= 0)
		return 0;
	const bool dense =
	    (uint64_t)present <= r->count && r->cell[r->count - (size_t)present].bin == s->first;
	return dense ? (size_t)present : SIZE_MAX;
}

static void add_share(struct cell *to, const uint64_t share[2])
{
	to->bytes[0] = saturate_add(to->bytes[0], share[0]);
	to->bytes[1] = saturate_add(to->bytes[1], share[1]);
}

/* Appends cells of the bins from index i on that have bytes or are the first one. */
static void append(struct cells *c, struct cells_row *r, uint32_t process,
		   const struct cells_spread *s, size_t i)
{
	const size_t before = r->count;
	for (; i < s->bins; i++) {
		const uint64_t *share = s->share[i];
		if ((share[0] | share[1]) == 0 && i > 0)
			continue;
		r->cell[r->count] = (struct cell){.process = process, .bin = s->first + (int64_t)i};
		add_share(&r->cell[r->count++], share);
	}
	c->sorted += r->count - before;
	r->sorted = r->count;
	r->from_ns = r->to_ns = 0;
}

/* Adds to the last cells of a row, and appends cells. */
static void add_to_end(struct cells *c, struct cells_row *r, uint32_t process, size_t present,
		       const struct cells_spread *s)
{
	const size_t at = r->count - present;
	const size_t both = present < s->bins ? present : s->bins;
	const int64_t last = s->first + (int64_t)s->bins - 1;
	for (size_t i = 0; i < both; i++)
		add_share(&r->cell[at + i], s->share[i]);
	if (present < s->bins)
		append(c, r, process, s, present);
	for (unsigned d = 0; d < 2; d++)
		r->cell[at].requests[d] += s->amount[d] > 0;
	c->last_bin = last > c->last_bin ? last : c->last_bin;
}

/* Returns false, with nothing added, if more is needed than cells at the end of a row. */
static bool add_near(struct cells *c, uint32_t process, struct cells_spread *s)
{
	if (!c->many || process >= c->row_capacity || !divides(s, cells_k(c)))
		return false;
	struct cells_row *r = &c->rows[process];
	const size_t present = count_present(c, r, s);
	if (present == SIZE_MAX ||
	    !array_reserve(&r->cell, &r->capacity, r->count + s->bins, sizeof *r->cell))
		return false;
	add_to_end(c, r, process, present, s);
	return true;
}

bool cells_spread(struct cells *c, uint32_t process, struct cells_spread *s)
{
	bool done = true;
	if ((s->amount[0] | s->amount[1]) == 0 || add_near(c, process, s))
		return true;
	for (unsigned d = 0; d < 2 && done; d++) {
		const struct cells_request q = request_of(s, process, d);
		done = q.length == 0 || cells_add_request(c, &q);
	}
	return done;
}
