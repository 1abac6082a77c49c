/* SPDX-License-Identifier: BSD-2-Clause */
#include "cells.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "saturate.h"

static const uint64_t ns_per_s = 1000000000;

int64_t cells_bin(uint64_t ns, int k)
{
	const uint64_t s = ns / ns_per_s, rest = ns % ns_per_s;
	if (k < 0)
		return (int64_t)(s >> -k);
	return (int64_t)((s << k) + (rest << k) / ns_per_s);
}

uint64_t cells_start(int64_t bin, int k)
{
	const uint64_t b = (uint64_t)bin;
	if (k < 0)
		return (b << -k) * ns_per_s;
	const uint64_t rest = b & (((uint64_t)1 << k) - 1), last = ((uint64_t)1 << k) - 1;
	return (b >> k) * ns_per_s + ((rest * ns_per_s + last) >> k);
}

/* Returns NULL if out of memory. */
static struct cell *cell_of(struct cells *c, uint32_t process, int64_t bin)
{
	const size_t i =
	    idmap_number(&c->map, idmap_pair(process, (uint32_t)(uint64_t)(bin - c->base)));
	if (!array_reserve_index(&c->cell, &c->capacity, i, sizeof *c->cell))
		return NULL;
	c->cell[i].process = process;
	c->cell[i].bin = bin;
	return &c->cell[i];
}

static void cell_add(struct cell *to, const struct cell *more)
{
	for (unsigned d = 0; d < 2; d++) {
		to->requests[d] += more->requests[d];
		to->bytes[d] = saturate_add(to->bytes[d], more->bytes[d]);
	}
}

/* Adds pairs of bins. */
static bool coarsen(struct cells *c)
{
	struct cells old = *c;
	bool done = true;
	*c = (struct cells){.coarser = old.coarser + 1,
			    .first_bin = old.first_bin >> 1,
			    .last_bin = old.last_bin >> 1,
			    .base = old.base >> 1};
	for (size_t i = 0; i < old.map.count && done; i++) {
		struct cell *to = cell_of(c, old.cell[i].process, old.cell[i].bin >> 1);
		done = to != NULL;
		if (done)
			cell_add(to, &old.cell[i]);
	}
	cells_free(&old);
	return done;
}

/* Coarsens until the bins of an interval can be added. */
static bool extend(struct cells *c, uint64_t from_ns, uint64_t to_ns)
{
	for (;;) {
		const int64_t first = cells_bin(from_ns, cells_k(c)),
			      last = cells_bin(to_ns, cells_k(c));
		const bool any = c->map.count > 0;
		const int64_t min = any && c->first_bin < first ? c->first_bin : first,
			      max = any && c->last_bin > last ? c->last_bin : last;
		if (max - min < CELLS_BINS_MAX) {
			c->base = any ? c->base : first;
			c->first_bin = min;
			c->last_bin = max;
			return true;
		}
		if (!coarsen(c))
			return false;
	}
}

static bool add_bytes(struct cells *c, const struct io_request *q, int64_t bin, uint64_t bytes)
{
	struct cell *to = cell_of(c, q->process, bin);
	if (to != NULL)
		to->bytes[q->write] = saturate_add(to->bytes[q->write], bytes);
	return to != NULL;
}

/* Up to time x, floor(length * (x - start) / duration) bytes have moved. */
static bool apportion(struct cells *c, const struct io_request *q, uint64_t start, int64_t bin,
		      int64_t last)
{
	uint64_t before = 0;
	for (; bin <= last; bin++) {
		const uint64_t passed = cells_start(bin + 1, cells_k(c)) - start;
		const uint64_t moved =
		    bin == last ? q->length
				: (uint64_t)((uint128)q->length * passed / q->duration_ns);
		if (moved > before && !add_bytes(c, q, bin, moved - before))
			return false;
		before = moved;
	}
	return true;
}

/* A request in one bin. */
static void count(struct cell *to, const struct io_request *q)
{
	to->requests[q->write]++;
	to->bytes[q->write] = saturate_add(to->bytes[q->write], q->length);
}

static bool add(struct cells *c, const struct io_request *q, uint64_t epoch_ns)
{
	const uint64_t start = epoch_ns + (uint64_t)q->start_ns;
	const bool has_end = (q->flags & IOT_DURATION_UNKNOWN) == 0 && q->duration_ns > 0;
	const uint64_t end = has_end ? saturate_add(start, q->duration_ns - 1) : start;
	if (!array_reserve_index(&c->latest, &c->latest_capacity, q->process, sizeof *c->latest))
		return false;
	const struct cells_latest *latest = &c->latest[q->process];
	if (start >= latest->from_ns && end < latest->to_ns) {
		count(&c->cell[latest->cell], q);
		return true;
	}
	if (!extend(c, start, end))
		return false;
	const int64_t first = cells_bin(start, cells_k(c)), last = cells_bin(end, cells_k(c));
	struct cell *to = cell_of(c, q->process, first);
	if (to == NULL)
		return false;
	if (first < last) {
		to->requests[q->write]++;
		return apportion(c, q, start, first, last);
	}
	count(to, q);
	if (q->process < c->latest_capacity)
		c->latest[q->process] =
		    (struct cells_latest){.from_ns = cells_start(first, cells_k(c)),
					  .to_ns = cells_start(first + 1, cells_k(c)),
					  .cell = (size_t)(to - c->cell)};
	return true;
}

bool cells_add(struct cells *c, const struct io_request *list, size_t n, uint64_t epoch_ns)
{
	for (size_t i = 0; i < n; i++) {
		if ((list[i].flags & IOT_START_UNKNOWN) != 0)
			continue;
		if (!add(c, &list[i], epoch_ns))
			return false;
		while (c->map.count > CELLS_MAX && c->first_bin < c->last_bin)
			if (!coarsen(c))
				return false;
	}
	return true;
}

void cells_free(struct cells *c)
{
	idmap_free(&c->map);
	free(c->cell);
	free(c->latest);
}
