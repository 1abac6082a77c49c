/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads the registers of the working set that have a value; see state.h. */
#include "working_set.h"

#include <stdlib.h>

#include "cells.h"
#include "state.h"

/* A register of a bin, counted from the first bin. */
struct register_at {
	uint32_t bin, i, value;
};

static struct hyperloglog *bin_of(const struct working_set *w, uint32_t bin)
{
	return &w->bins[(uint64_t)(w->first + bin) % WORKING_SET_BINS_MAX];
}

/* Moves to the next register with a value. Returns false after the last one. */
static bool next_register(const struct working_set *w, struct register_at *at)
{
	for (; w->first + at->bin <= w->last; at->bin++, at->i = 0)
		for (; at->i < HLL_REGISTERS; at->i++) {
			at->value = bin_of(w, at->bin)->value[at->i];
			if (at->value > 0)
				return true;
		}
	return false;
}

static void registers_state(struct state *s, struct working_set *w)
{
	struct register_at at = {.bin = 0};
	bool any = state_saves(s) && w->bins != NULL && next_register(w, &at);
	while (state_list(s, "working_set.register", any)) {
		state_check(s, w->bins != NULL, "registers in bins");
		state_small(s, "bin", &at.bin,
			    state_failed(s) ? 0 : (uint32_t)(w->last - w->first));
		state_small(s, "i", &at.i, HLL_REGISTERS - 1);
		state_small(s, "value", &at.value, HLL_VALUE_MAX);
		if (state_saves(s)) {
			at.i++;
			any = next_register(w, &at);
		} else if (!state_failed(s)) {
			bin_of(w, at.bin)->value[at.i] = (uint8_t)at.value;
		}
	}
}

void working_set_state(struct state *s, struct working_set *w)
{
	size_t i;
	while (state_each(s, "working_set", w->bins != NULL || !state_saves(s), &i)) {
		uint32_t coarser = (uint32_t)w->coarser;
		uint64_t first = (uint64_t)w->first, bins = (uint64_t)(w->last - w->first) + 1;
		state_small(s, "coarser", &coarser, CELLS_COARSER_MAX);
		w->coarser = (int)coarser;
		const int64_t max = cells_bin(UINT64_MAX, CELLS_K - w->coarser);
		state_limited(s, "first", &first, (uint64_t)max);
		state_limited(s, "bins", &bins, WORKING_SET_BINS_MAX);
		state_check(s, bins > 0 && bins - 1 <= (uint64_t)max - first,
			    "bins of times of 64 bits");
		state_flag(s, "truncated", &w->truncated);
		state_flag(s, "unordered", &w->unordered);
		if (state_saves(s) || state_failed(s))
			continue;
		w->first = (int64_t)first;
		w->last = (int64_t)(first + bins - 1);
		w->bins = calloc(WORKING_SET_BINS_MAX, sizeof *w->bins);
		if (w->bins == NULL)
			state_no_memory(s);
	}
	registers_state(s, w);
}
