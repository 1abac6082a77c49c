/* SPDX-License-Identifier: BSD-2-Clause */
#include "cells_halve.h"

#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"

/* Cells of one level, in order of their bins. */
struct level {
	struct cell *cell;
	size_t count;
};

static void append(struct level *to, const struct cell *cell)
{
	struct cell *last = to->count > 0 ? &to->cell[to->count - 1] : NULL;
	if (last == NULL || last->bin != cell->bin) {
		to->cell[to->count++] = *cell;
		return;
	}
	for (unsigned d = 0; d < 2; d++) {
		last->requests[d] += cell->requests[d];
		last->bytes[d] = saturate_add(last->bytes[d], cell->bytes[d]);
	}
}

/* Stores the halves of a level, and the cells of the next lower level of a row. */
static bool lower(const struct cells_row *r, struct level *l, uint8_t level)
{
	struct level to = {.cell = calloc(2 * l->count + r->count + 1, sizeof *to.cell)};
	if (to.cell == NULL)
		return false;
	size_t at = 0;
	for (size_t i = 0; i <= 2 * l->count; i++) {
		struct cell half = {.bin = INT64_MAX};
		if (i < 2 * l->count) {
			half = l->cell[i / 2];
			half.level = level;
			half.bin += i % 2 > 0 ? (int64_t)1 << level : 0;
			for (unsigned d = 0; d < 2; d++)
				half.bytes[d] = half.bytes[d] / 2 + (half.bytes[d] & i & 1);
		}
		for (; at < r->count && r->cell[at].bin <= half.bin; at++)
			if (r->cell[at].level == level)
				append(&to, &r->cell[at]);
		if (half.bytes[0] > 0 || half.bytes[1] > 0)
			append(&to, &half);
	}
	free(l->cell);
	*l = to;
	return true;
}

static uint8_t highest_level(const struct cells_row *r)
{
	uint8_t highest = 0;
	for (size_t i = 0; i < r->count; i++)
		highest = r->cell[i].level > highest ? r->cell[i].level : highest;
	return highest;
}

static bool halve_row(struct cells_row *r)
{
	struct level l = {0};
	free(r->bins);
	r->bins = NULL;
	for (unsigned level = highest_level(r) + 1U; r->pieces > 0 && level-- > 0;)
		if (!lower(r, &l, (uint8_t)level)) {
			free(l.cell);
			return false;
		}
	r->bins = l.cell;
	r->bin_count = l.count;
	return true;
}

bool cells_halve(struct cells *c)
{
	c->bins = 0;
	for (size_t i = 0; i < c->row_capacity && c->bins <= CELLS_MAX; i++) {
		if (!halve_row(&c->rows[i]))
			return false;
		c->bins += c->rows[i].bins != NULL ? c->rows[i].bin_count : c->rows[i].count;
	}
	return true;
}
