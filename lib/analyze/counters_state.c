/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads counters: each module is a layer of its tables. See state.h. */
#include <stdlib.h>

#include "lib/base/array.h"

#include "counters.h"
#include "state.h"

static void totals_columns(struct state *s, struct counters_totals *t)
{
	size_t i;
	while (state_each(s, "counters", 1, &i)) {
		state_number(s, "records", &t->records);
		state_wide(s, "read_fs", &t->fs[COUNTERS_READ]);
		state_wide(s, "write_fs", &t->fs[COUNTERS_WRITE]);
		state_wide(s, "metadata_fs", &t->fs[COUNTERS_METADATA]);
		state_wide(s, "shared_fs", &t->shared_fs);
	}
	while (state_each(s, "counters.sum", COUNTERS_SUMS, &i)) {
		state_number(s, "n", &t->sum[i]);
		state_flag(s, "unmeasured", &t->unmeasured[i]);
	}
	state_common(s, STATE_NAMES("counters.size"), &t->sizes);
	state_common(s, STATE_NAMES("counters.stride"), &t->strides);
}

static void files_state(struct state *s, struct counters_totals *t)
{
	size_t i;
	while (state_each(s, "counters.file", s->files.count, &i)) {
		struct counters_file *f =
		    state_at(s, &t->files, &t->file_capacity, s->files.own[i], sizeof *t->files);
		if (f == NULL)
			return;
		state_number(s, "records", &f->records);
		state_number(s, "n_r", &f->requests[0]);
		state_number(s, "n_w", &f->requests[1]);
		state_number(s, "s_r", &f->bytes[0]);
		state_number(s, "s_w", &f->bytes[1]);
		state_number(s, "small_r", &f->small[0]);
		state_number(s, "small_w", &f->small[1]);
		state_number(s, "max_byte", &f->max_byte);
		state_number(s, "max_read", &f->max_read);
		state_number(s, "ranks", &f->ranks);
		state_flag(s, "shared", &f->shared);
		state_wide(s, "slowest_fs", &f->slowest_fs);
		state_wide(s, "fastest_fs", &f->fastest_fs);
		state_wide(s, "shared_fs", &f->shared_fs);
	}
}

/* In the order of ranks. */

struct rank_entry {
	uint64_t rank;
	struct counters_rank sums;
};

static int by_rank(const void *left, const void *right)
{
	const struct rank_entry *a = left, *b = right;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static struct rank_entry *sorted_ranks(struct state *s, const struct counters_totals *t)
{
	struct rank_entry *list = calloc(t->rank_map.count + 1, sizeof *list);
	if (list == NULL)
		state_no_memory(s);
	for (size_t i = 0; i < t->rank_map.count && list != NULL; i++)
		list[i] = (struct rank_entry){t->rank_map.keys[i], t->ranks[i]};
	if (list != NULL)
		qsort(list, t->rank_map.count, sizeof *list, by_rank);
	return list;
}

static void load_rank(struct state *s, struct counters_totals *t, const struct rank_entry *rank)
{
	const size_t i = idmap_number(&t->rank_map, rank->rank);
	struct counters_rank *to =
	    i != SIZE_MAX ? state_at(s, &t->ranks, &t->rank_capacity, i, sizeof *t->ranks) : NULL;
	if (to != NULL)
		*to = rank->sums;
	else
		state_no_memory(s);
}

static void ranks_state(struct state *s, struct counters_totals *t)
{
	struct rank_entry *list = sorted_ranks(s, t), none = {.rank = 0};
	const size_t count = t->rank_map.count;
	for (size_t i = 0; list != NULL && state_list(s, "counters.rank", i < count); i++) {
		struct rank_entry rank = i < count ? list[i] : none;
		uint64_t row = rank.rank + 1; /* a row of zeros would be left out */
		state_number(s, "rank", &row);
		state_wide(s, "read_fs", &rank.sums.fs[COUNTERS_READ]);
		state_wide(s, "write_fs", &rank.sums.fs[COUNTERS_WRITE]);
		state_wide(s, "metadata_fs", &rank.sums.fs[COUNTERS_METADATA]);
		state_number(s, "bytes", &rank.sums.bytes);
		rank.rank = row - 1;
		if (!state_saves(s) && !state_failed(s))
			load_rank(s, t, &rank);
	}
	free(list);
}

void counters_state(struct state *s, struct counters *c)
{
	bool any[COUNTERS_MODULES];
	size_t i;
	for (i = 0; i < COUNTERS_MODULES; i++)
		any[i] = c->of[i] != NULL;
	while (state_each(s, "counters.modules", COUNTERS_MODULES, &i))
		state_flag(s, "any", &any[i]);
	for (unsigned k = 0; k < COUNTERS_MODULES && !state_failed(s); k++) {
		struct counters_totals *t = any[k] ? counters_of(c, k) : NULL;
		if (any[k] && t == NULL)
			state_no_memory(s);
		if (t == NULL)
			continue;
		s->layer = (int)k;
		totals_columns(s, t);
		files_state(s, t);
		ranks_state(s, t);
	}
	s->layer = -1;
}
