/* SPDX-License-Identifier: BSD-2-Clause */
#include "repetition.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "repetition_internal.h"

enum { AHEAD = 4 /* candidates */ };

/* Hashes */

/* They are odd, and half of their bits are set. */
#define OFFSET_SALT    0xc280ad3729a6f2e7U
#define SAME_FILE_SALT 0xd670c342c6cce997U
#define ANY_FILE_SALT  0xcc9c26a813678d7bU
#define LONG_SALT      0xa2d8741e936b5cc5U

static inline uint64_t mix(uint64_t h)
{
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15U;
	return (h ^ h >> 29) * 0xbf58476d1ce4e5b9U;
}

/* Combines the halves of the product of two words, either of which is 0 only by chance. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	const wide product = (wide)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Lengths of 2^63 bytes and more have a bit that the shift loses. */
static inline uint64_t shape_of(uint64_t length, uint64_t write)
{
	return (length * 2 + write) ^ ((0 - (length >> 63)) & LONG_SALT);
}

static inline uint64_t hash_of_file(const struct file_key *key)
{
	return mix(mix(idmap_pair(key->process, key->file)) + key->object) | 1;
}

/* Computes the hashes of a batch. Returns false if out of memory. */
static bool set_hashes(struct repetition *r, const struct io_batch *b)
{
	for (size_t i = 0; i < b->group_count; i++) {
		const struct io_group *g = &b->group[i];
		if (!array_reserve_index(&r->process_hash, &r->process_capacity, g->process,
					 sizeof *r->process_hash) ||
		    !array_reserve_index(&r->requests, &r->capacity, g->process,
					 sizeof *r->requests) ||
		    !array_reserve_index(&r->file_hash, &r->file_capacity, g->file,
					 sizeof *r->file_hash))
			return false;
		if (r->process_hash[g->process] == 0)
			r->process_hash[g->process] = mix(g->process_id + 1) | 1;
		if (r->file_hash[g->file] == 0)
			r->file_hash[g->file] = hash_of_file(&g->key);
	}
	return true;
}

/* Tables */

/* Without branches, which would be predicted badly: half of the keys are kept. */
static void drop_tokens(struct repetition_table *t)
{
	uint64_t *keys = t->token_map.keys;
	size_t kept = 0;
	for (size_t i = 0; i < t->token_map.count; i++) {
		const uint64_t hash = keys[i];
		keys[kept] = hash;
		t->tokens[kept] = t->tokens[i];
		kept += repetition_level(hash) >= t->level;
	}
	idmap_renumber(&t->token_map, kept);
	t->next_token = 0;
}

static void drop_lags(struct repetition_table *t)
{
	uint64_t *keys = t->lag_map.keys;
	const size_t count = t->lag_map.count;
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		const uint64_t key = keys[i];
		keys[kept] = key;
		t->lags[kept] = t->lags[i];
		kept += key % REPETITION_LEVELS >= t->level;
	}
	for (size_t i = kept; i < count; i++)
		t->lags[i] = 0;
	idmap_renumber(&t->lag_map, kept);
}

/* Leaves out tokens until the tables are within their limits, and up to a level. */
static void limit(struct repetition_table *t, unsigned level)
{
	while (t->level < REPETITION_LEVELS &&
	       (t->level < level || t->token_map.count > REPETITION_TOKENS ||
		t->lag_map.count > REPETITION_LAGS)) {
		t->requests[t->level++] = 0;
		drop_tokens(t);
		drop_lags(t);
	}
}

static inline void keep_limits(struct repetition_table *t)
{
	if (t->token_map.count > REPETITION_TOKENS || t->lag_map.count > REPETITION_LAGS)
		limit(t, 0);
}
/* Where the number of a lag that was counted before may be. */
static inline uint32_t *recent_lag(struct repetition_table *t, uint64_t key)
{
	return &t->recent_lag[key * 0x9e3779b97f4a7c15U >> (64 - REPETITION_RECENT_BITS)];
}

bool repetition_add_lag(struct repetition_table *t, uint64_t lag, unsigned level, uint64_t n)
{
	const uint64_t key = repetition_lag_key(lag, level);
	uint32_t *recent = recent_lag(t, key);
	size_t i = *recent;
	if (i >= t->lag_map.count || t->lag_map.keys[i] != key)
		i = idmap_number(&t->lag_map, key);
	if (!array_reserve_index(&t->lags, &t->lag_capacity, i, sizeof *t->lags))
		return false;
	t->lags[i] += n;
	*recent = (uint32_t)i;
	keep_limits(t);
	return true;
}

/* The number of a token, a new one for a new token; SIZE_MAX if out of memory. */
static inline size_t token_number(struct repetition_table *t, uint64_t hash)
{
	size_t i = t->next_token;
	if (i >= t->token_map.count || t->token_map.keys[i] != hash)
		i = idmap_number(&t->token_map, hash);
	t->next_token = i + 1;
	return i;
}

/* A request, or the first to the last one of a part, with a token of a level that is kept. */
static bool add(struct repetition_table *t, uint64_t hash, const struct repetition_token *token)
{
	const size_t count = t->token_map.count, i = token_number(t, hash);
	if (!array_reserve_index(&t->tokens, &t->token_capacity, i, sizeof *t->tokens))
		return false;
	if (i == count) {
		t->tokens[i] = *token;
		keep_limits(t);
		return true;
	}
	const uint64_t lag = token->first - t->tokens[i].last;
	t->tokens[i].last = token->last;
	return repetition_add_lag(t, lag, repetition_level(hash), 1);
}

bool repetition_add_token(struct repetition_table *t, uint64_t hash,
			  const struct repetition_token *token)
{
	return repetition_level(hash) < t->level || add(t, hash, token);
}

/* Requests */

/* The tokens of a batch that a table may keep. */
struct candidates {
	struct candidate {
		uint64_t hash, number; /* of the request */
		uint32_t process;
	} of[REQUESTS_MAX + 1];
	size_t count;
	uint64_t hash_max; /* of the levels that are kept */
};

/* Without a branch, which would be predicted badly: one more is written than is counted. */
static inline size_t append(struct candidate *of, size_t count, uint64_t hash_max,
			    struct candidate candidate)
{
	of[count] = candidate;
	return count + (candidate.hash <= hash_max);
}

static void begin_candidates(struct candidates *c, const struct repetition_table *t)
{
	const unsigned last = REPETITION_LEVELS - 1;
	c->count = 0;
	c->hash_max = UINT64_MAX >> (t->level < last ? t->level : last);
}

/*
 * Adds candidates from `from` on as long as their tokens are the expected or the previous one, and
 * their lags were counted before, which is the usual case; returns the index of the first other
 * one.
 */
static size_t add_expected(struct repetition_table *t, const struct candidates *c, size_t from)
{
	const uint64_t *const hashes = t->token_map.keys, *const lag_keys = t->lag_map.keys;
	const size_t token_count = t->token_map.count, lag_count = t->lag_map.count;
	size_t next = t->next_token, i = from;
	for (; i < c->count; i++) {
		const struct candidate *of = &c->of[i];
		const size_t token = next - (next > 0 && hashes[next - 1] == of->hash);
		if (token >= token_count || hashes[token] != of->hash)
			break;
		const unsigned level = repetition_level(of->hash);
		const uint64_t key = repetition_lag_key(of->number - t->tokens[token].last, level);
		const size_t lag = *recent_lag(t, key);
		if (lag >= lag_count || lag_keys[lag] != key)
			break;
		t->tokens[token].last = of->number;
		t->requests[level]++;
		t->lags[lag]++;
		next = token + 1;
	}
	t->next_token = next;
	return i;
}

/* Loads the memory of candidates that follow i. */
static inline void prefetch(const struct repetition_table *t, const struct candidates *c, size_t i)
{
	if (i + 2 * AHEAD >= c->count)
		return;
	idmap_prefetch(&t->token_map, c->of[i + 2 * AHEAD].hash);
	idmap_prefetch_found(&t->token_map, c->of[i + AHEAD].hash);
}

/* The level may rise between them. */
static bool add_candidates(struct repetition_table *t, const struct candidates *c)
{
	for (size_t i = 0; (i = add_expected(t, c, i)) < c->count; i++) {
		const struct candidate *of = &c->of[i];
		const struct repetition_token token = {of->number, of->number, of->process};
		const unsigned level = repetition_level(of->hash);
		prefetch(t, c, i);
		if (level < t->level)
			continue;
		t->requests[level]++;
		if (!add(t, of->hash, &token))
			return false;
	}
	return true;
}

/* What the requests of a fileId have in common. */
struct source {
	uint64_t process_hash, file_hash;
	uint64_t *requests; /* of the process */
	uint32_t process;
	bool omitted;
};

static inline void set_sources(const struct repetition *r, const struct io_batch *b, bool sampled,
			       struct source *sources)
{
	for (size_t i = 0; i < b->ids; i++) {
		const struct io_id *id = &b->id[i];
		sources[i] = (struct source){r->process_hash[id->process], r->file_hash[id->file],
					     &r->requests[id->process], id->process, sampled};
	}
}

/* Of requests of known offset. alone: of one fileId. */
static inline void find_candidates(const struct io_span *span, const struct source *sources,
				   bool alone, struct candidates *same_file,
				   struct candidates *any_file)
{
	size_t same = same_file->count, any = any_file->count;
	const struct source only = sources[0];
	const uint64_t first = *only.requests;
	for (size_t i = 0; i < span->count; i++) {
		const struct source *from = alone ? &only : &sources[span->id[i]];
		const uint64_t shape = shape_of(span->length[i], span->write[i]);
		const uint64_t place =
		    fold(span->offset[i] ^ OFFSET_SALT, shape ^ from->process_hash);
		struct candidate c = {.number = alone ? first + i : (*from->requests)++,
				      .process = from->process};
		c.hash = repetition_used_bits(fold(place ^ from->file_hash, SAME_FILE_SALT));
		if (!from->omitted)
			same = append(same_file->of, same, same_file->hash_max, c);
		c.hash = repetition_used_bits(fold(place, ANY_FILE_SALT));
		any = append(any_file->of, any, any_file->hash_max, c);
	}
	if (alone)
		*only.requests = first + span->count;
	same_file->count = same;
	any_file->count = any;
}

static void add_uncounted(const struct io_span *span, const struct source *sources)
{
	for (size_t i = 0; i < span->count; i++)
		++*sources[span->id[i]].requests;
}

bool repetition_add(struct repetition *r, const struct io_batch *batch, uint32_t other_file,
		    const struct io_spans *spans)
{
	struct candidates same_file, any_file;
	struct source sources[REQUESTS_MAX];
	if (!set_hashes(r, batch))
		return false;
	set_sources(r, batch, other_file != 0, sources);
	begin_candidates(&same_file, &r->of[0]);
	begin_candidates(&any_file, &r->of[1]);
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		if (!span_is_located(span))
			add_uncounted(span, sources);
		else if (batch->ids == 1)
			find_candidates(span, sources, true, &same_file, &any_file);
		else
			find_candidates(span, sources, false, &same_file, &any_file);
	}
	return add_candidates(&r->of[0], &same_file) && add_candidates(&r->of[1], &any_file);
}

/* Parts */

static bool join_table(struct repetition *r, unsigned i, const struct repetition_table *part,
		       const uint32_t *process)
{
	struct repetition_table *t = &r->of[i];
	limit(t, part->level);
	for (unsigned level = t->level; level < REPETITION_LEVELS; level++)
		t->requests[level] += part->requests[level];
	for (size_t k = 0; k < part->token_map.count; k++) {
		struct repetition_token token = part->tokens[k];
		token.process = process[token.process];
		token.first += r->requests[token.process];
		token.last += r->requests[token.process];
		if (!repetition_add_token(t, part->token_map.keys[k], &token))
			return false;
	}
	for (size_t k = 0; k < part->lag_map.count; k++) {
		const uint64_t key = part->lag_map.keys[k];
		const unsigned level = key % REPETITION_LEVELS;
		if (level >= t->level &&
		    !repetition_add_lag(t, key / REPETITION_LEVELS, level, part->lags[k]))
			return false;
	}
	return true;
}

/* Their requests in the part have no common order. */
static bool find_threads(struct repetition *r, const struct repetition *part,
			 const uint32_t *process)
{
	bool *seen = NULL, done = true;
	size_t seen_capacity = 0;
	r->inexact |= part->inexact;
	for (size_t i = 0; i < part->capacity && done; i++) {
		if (part->requests[i] == 0)
			continue;
		done = array_reserve_index(&r->requests, &r->capacity, process[i],
					   sizeof *r->requests) &&
		       array_reserve_index(&seen, &seen_capacity, process[i], sizeof *seen);
		if (!done)
			break;
		r->inexact |= seen[process[i]];
		seen[process[i]] = true;
	}
	free(seen);
	return done;
}

bool repetition_join(struct repetition *r, const struct repetition *part, const uint32_t *process)
{
	if (!find_threads(r, part, process))
		return false;
	if (!join_table(r, 0, &part->of[0], process) || !join_table(r, 1, &part->of[1], process))
		return false;
	for (size_t i = 0; i < part->capacity; i++)
		if (part->requests[i] > 0)
			r->requests[process[i]] += part->requests[i];
	return true;
}

/* Traces without a common order */

/* Changes a hash below its highest bit, so that its level stays. */
static uint64_t salted(uint64_t hash, uint64_t salt)
{
	const unsigned level = repetition_level(hash);
	return level + 1 == REPETITION_LEVELS ? hash
					      : hash ^ repetition_used_bits(salt >> (level + 1));
}

static bool salt_tokens(struct repetition_table *t, uint64_t salt)
{
	struct idmap map = {.keys = NULL};
	bool done = true;
	for (size_t i = 0; i < t->token_map.count && done; i++)
		done = idmap_number(&map, salted(t->token_map.keys[i], salt)) != SIZE_MAX;
	idmap_free(done ? &t->token_map : &map);
	if (done)
		t->token_map = map;
	return done;
}

bool repetition_add_trace(struct repetition *r, struct repetition *more, const uint32_t *process,
			  uint64_t trace)
{
	for (size_t i = 0; i < more->capacity; i++) {
		const size_t to = more->requests[i] > 0 ? process[i] : SIZE_MAX;
		r->inexact |= to < r->capacity && r->requests[to] > 0;
	}
	return salt_tokens(&more->of[0], mix(trace)) && salt_tokens(&more->of[1], mix(trace)) &&
	       repetition_join(r, more, process);
}

void repetition_free_table(struct repetition_table *t)
{
	idmap_free(&t->token_map);
	idmap_free(&t->lag_map);
	free(t->tokens);
	free(t->lags);
	*t = (struct repetition_table){.level = 0};
}

void repetition_free(void *of)
{
	struct repetition *r = of;
	for (unsigned i = 0; i < 2; i++)
		repetition_free_table(&r->of[i]);
	free(r->requests);
	free(r->process_hash);
	free(r->file_hash);
}
