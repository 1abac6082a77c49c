/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads tokens and their lags, in the order of their keys; see state.h. */
#include <stdlib.h>

#include "repetition.h"
#include "state.h"

struct map_entry {
	uint64_t key;
	size_t number;
};

static int by_key(const void *left, const void *right)
{
	const struct map_entry *a = left, *b = right;
	return a->key < b->key ? -1 : a->key > b->key;
}

/* Returns NULL if out of memory. */
static struct map_entry *sorted_entries(struct state *s, const struct idmap *map)
{
	struct map_entry *list = calloc(map->count + 1, sizeof *list);
	if (list == NULL)
		state_no_memory(s);
	for (size_t i = 0; i < map->count && list != NULL; i++)
		list[i] = (struct map_entry){map->keys[i], i};
	if (list != NULL)
		qsort(list, map->count, sizeof *list, by_key);
	return list;
}

static void tokens_state(struct state *s, struct repetition_table *t)
{
	const size_t count = t->token_map.count;
	struct map_entry *list = sorted_entries(s, &t->token_map);
	uint64_t last = 0;
	for (size_t i = 0; list != NULL && state_list(s, "repetition.token", i < count); i++) {
		struct repetition_token token = {0, 0, 0};
		if (i < count)
			token = t->tokens[list[i].number];
		uint64_t hash = i < count ? list[i].key : 0;
		state_number(s, "hash", &hash);
		state_reference(s, "process", &s->processes, &token.process);
		state_number(s, "first", &token.first);
		state_number(s, "last", &token.last);
		state_check(s, i < REPETITION_TOKENS && (i == 0 || hash > last),
			    "up to 16384 tokens in order");
		last = hash;
		if (!state_saves(s) && !state_failed(s) && !repetition_add_token(t, hash, &token))
			state_no_memory(s);
	}
	free(list);
}

static void lags_state(struct state *s, struct repetition_table *t)
{
	const size_t count = t->lag_map.count;
	struct map_entry *list = sorted_entries(s, &t->lag_map);
	uint64_t last = 0;
	for (size_t i = 0; list != NULL && state_list(s, "repetition.lag", i < count); i++) {
		uint64_t key = i < count ? list[i].key : 0,
			 requests = i < count ? t->lags[list[i].number] : 0;
		state_number(s, "key", &key);
		state_number(s, "n", &requests);
		state_check(s, i < REPETITION_LAGS && (i == 0 || key > last),
			    "up to 65536 lags in order");
		last = key;
		if (!state_saves(s) && !state_failed(s) &&
		    !repetition_add_lag(t, key / REPETITION_LEVELS,
					(unsigned)(key % REPETITION_LEVELS), requests))
			state_no_memory(s);
	}
	free(list);
}

static void table_state(struct state *s, struct repetition_table *t)
{
	size_t i;
	while (state_each(s, "repetition.level", 1, &i))
		state_small(s, "level", &t->level, REPETITION_LEVELS);
	while (state_each(s, "repetition.requests", REPETITION_LEVELS, &i))
		state_number(s, "n", &t->requests[i]);
	tokens_state(s, t);
	lags_state(s, t);
}

void repetition_state(struct state *s, struct repetition *r)
{
	size_t i;
	while (state_each(s, "repetition", 1, &i))
		state_flag(s, "inexact", &r->inexact);
	while (state_each(s, "repetition.process", s->processes.count, &i)) {
		uint64_t *n = state_at(s, &r->requests, &r->capacity, s->processes.own[i],
				       sizeof *r->requests);
		if (n == NULL)
			return;
		state_number(s, "n", n);
	}
	for (s->direction = 0; s->direction < 2; s->direction++)
		table_state(s, &r->of[s->direction]);
	s->direction = -1;
}
