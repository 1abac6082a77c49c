/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads tokens and lags. */
#include <stdlib.h>

#include "repetition_internal.h"
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

/* The first request of a token matters only to an earlier part. */
static void token_columns(struct state *s, bool part, uint64_t *hash,
			  struct repetition_token *token)
{
	uint64_t bits = *hash >> REPETITION_UNUSED_BITS, first = part ? token->first : 0;
	state_limited(s, "hash", &bits, UINT64_MAX >> REPETITION_UNUSED_BITS);
	state_reference(s, "process", &s->processes, &token->process);
	state_number(s, "first", &first);
	state_number(s, "last", &token->last);
	*hash = bits << REPETITION_UNUSED_BITS;
	token->first = first;
}

static void tokens_state(struct state *s, struct repetition_table *t, bool part)
{
	const size_t count = t->token_map.count;
	struct map_entry *list = sorted_entries(s, &t->token_map);
	uint64_t last = 0;
	for (size_t i = 0; list != NULL && state_list(s, "repetition.token", i < count); i++) {
		struct repetition_token token = {0, 0, 0};
		if (i < count)
			token = t->tokens[list[i].number];
		uint64_t hash = i < count ? list[i].key : 0;
		token_columns(s, part, &hash, &token);
		state_check(s, i < REPETITION_TOKENS && (i == 0 || hash > last),
			    "up to 16384 tokens in order");
		last = hash;
		if (!state_saves(s) && !state_failed(s) && !repetition_add_token(t, hash, &token))
			state_no_memory(s);
	}
	free(list);
}

static void count_tokens(const struct repetition_table *t, uint64_t n[REPETITION_LEVELS])
{
	for (size_t i = 0; i < t->token_map.count; i++)
		n[repetition_level(t->token_map.keys[i])]++;
}

/* Adds n different tokens of a level. Returns false if it has fewer, or if out of memory. */
static bool make_tokens(struct repetition_table *t, unsigned level, uint64_t n)
{
	const bool any = level == REPETITION_LEVELS - 1;
	const uint64_t first = any ? 0 : (uint64_t)1 << (REPETITION_LEVELS - 1 - level);
	const uint64_t last = any ? 0 : repetition_used_bits(2 * first - 1);
	for (uint64_t hash = first; n > 0; n--, hash += (uint64_t)1 << REPETITION_UNUSED_BITS) {
		const struct repetition_token token = {0, 0, 0};
		if (hash > last || !repetition_add_token(t, hash, &token))
			return false;
	}
	return true;
}

/* Requests of other traces have other tokens, so that their number is all that matters. */
static void token_counts_state(struct state *s, struct repetition_table *t)
{
	uint64_t n[REPETITION_LEVELS] = {0}, sum = 0;
	size_t i;
	count_tokens(t, n);
	while (state_each(s, "repetition.tokens", REPETITION_LEVELS, &i)) {
		state_limited(s, "n", &n[i], REPETITION_TOKENS);
		sum += n[i];
		state_check(s, sum <= REPETITION_TOKENS && s->processes.count > 0,
			    "up to 16384 tokens of processes");
		if (!state_saves(s) && !state_failed(s))
			state_check(s, make_tokens(t, (unsigned)i, n[i]), "tokens of a level");
	}
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

static void table_state(struct state *s, struct repetition_table *t, bool part)
{
	size_t i;
	while (state_each(s, "repetition.level", 1, &i))
		state_small(s, "level", &t->level, REPETITION_LEVELS);
	while (state_each(s, "repetition.requests", REPETITION_LEVELS, &i))
		state_number(s, "n", &t->requests[i]);
	if (s->whole)
		token_counts_state(s, t);
	else
		tokens_state(s, t, part);
	lags_state(s, t);
}

void repetition_state(struct state *s, struct repetition *r, bool part)
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
		table_state(s, &r->of[s->direction], part);
	s->direction = -1;
}
