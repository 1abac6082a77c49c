/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulates caches for any trace. All policies are compared with a second implementation, reference
 * by reference; none may have more hits than OPT. The exact curve and SHARDS of all keys equal LRU.
 * One policy runs with prefetching: a block hits only if it was inserted and not evicted or dropped
 * since.
 *
 * The first three bytes of an input are options: bits 0-3 policy, 4 physical, 5 fresh, 6-7 write;
 * then 0-2 block size, 3-5 breakdown, 6-7 prefetching; then the size of the cache. The rest is a
 * trace.
 *
 * With policy 15 the rest is references to keys, and the second byte selects: bits 0-3 one policy
 * that runs alone (0 or unknown: all), 4-5 how small the cache is, 6-7 how many keys there are.
 * Few more keys than blocks, some of which are frequent, keep a policy evicting blocks of all
 * counts; a trace rarely does.
 */
#include "fuzz.h"

#include <math.h>

#include "lib/simulate/future.h"
#include "lib/simulate/mrc.h"
#include "lib/simulate/simulation.h"

#include "second_cache.h"

enum { EVENTS = 64, REFERENCES_ENOUGH = 1 << 12, MEMORY_MAX = 16 << 20 };
enum { OPT_REFERENCES_MAX = 2048, OPT_DROPS_MAX = 64 };
enum { CURVES = 4 };
/* Bytes below SKEWED are keys; the others begin several references, or a drop. */
enum { KEYS = 15, KEYS_BATCH = 500, SKEWED = 0xd8, LOOP = 0xe0, SCAN = 0xf0, DROP = 0xf8 };

/* A simulation of a policy without prefetching, and its second implementation. */
struct pair {
	struct simulation *simulation;
	struct second_cache *second;
	uint64_t hits;
};

/* The references and drops that OPT needs in advance. */
struct recorded {
	uint64_t key[OPT_REFERENCES_MAX];
	struct future_drop drop[OPT_DROPS_MAX];
	size_t count, drops;
	bool overflows;
};

struct state {
	struct references *references;
	struct simulation *simulation; /* with prefetching */
	struct pair pair[CACHE_OPT];   /* without a simulation: does not run */
	bool opt, curves;              /* which of them run */
	struct mrc *curve[CURVES];
	struct recorded recorded;
	uint64_t references_seen, hits;
	uint64_t keys;   /* of references without a trace */
	uint64_t random; /* state of skewed references */
	bool around;
};

/* The second implementations */

static bool refer_second(struct second_cache *c, uint64_t key, unsigned how)
{
	if (how & CACHE_NO_ALLOCATE && !second_cache_has(c, key))
		return false;
	return second_cache_refer(c, key, 0);
}

static void drop_second(struct second_cache *c, const struct reference_action *a)
{
	if (a->drop)
		second_cache_drop(c, a->first, a->last);
}

static void check_pair(struct pair *p, const struct reference_batch *b)
{
	const uint8_t *result = simulation_results(p->simulation);
	uint32_t action = 0;
	for (uint32_t i = 0; i < b->count; i++) {
		for (; action < b->actions && b->action[action].before <= i; action++)
			drop_second(p->second, &b->action[action]);
		const bool hit = refer_second(p->second, b->key[i], b->how[i]);
		FUZZ_CHECK(hit == ((result[i] & CACHE_HIT) != 0));
		p->hits += hit;
	}
	for (; action < b->actions; action++)
		drop_second(p->second, &b->action[action]);
}

/* OPT */

static void record(struct recorded *r, const struct reference_batch *b)
{
	for (uint32_t i = 0; i < b->actions; i++) {
		const struct reference_action *a = &b->action[i];
		if (r->drops == OPT_DROPS_MAX)
			r->overflows = true;
		else if (a->drop)
			r->drop[r->drops++] =
			    (struct future_drop){r->count + a->before, a->first, a->last};
	}
	if (b->count > OPT_REFERENCES_MAX - r->count)
		r->overflows = true;
	if (r->overflows)
		return;
	memcpy(r->key + r->count, b->key, b->count * sizeof *r->key);
	r->count += b->count;
}

/* The index of the next reference to a key that no drop precedes; UINT64_MAX if there is none. */
static uint64_t next_of(const struct recorded *r, size_t i)
{
	const size_t j = second_next(r->key, r->count, i);
	for (size_t d = 0; d < r->drops && j < r->count; d++)
		if (r->drop[d].before > i && r->drop[d].before <= j &&
		    r->drop[d].first <= r->key[i] && r->key[i] <= r->drop[d].last)
			return UINT64_MAX;
	return j < r->count ? j : UINT64_MAX;
}

static void make_future(const struct recorded *r, struct future *f)
{
	size_t at = 0;
	for (size_t d = 0; d < r->drops; d++) {
		FUZZ_CHECK(future_add(f, r->key + at, r->drop[d].before - at) == IOT_OK);
		at = r->drop[d].before;
		FUZZ_CHECK(future_drop(f, r->drop[d].first, r->drop[d].last) == IOT_OK);
	}
	FUZZ_CHECK(future_add(f, r->key + at, r->count - at) == IOT_OK);
	FUZZ_CHECK(future_finish(f) == IOT_OK);
}

/* Returns the hits of OPT. */
static uint64_t check_opt(const struct recorded *r, uint64_t capacity)
{
	struct future f = {.count = 0};
	const uint8_t how = 0;
	uint8_t result;
	uint64_t hits = 0;
	make_future(r, &f);
	struct cache *c = cache_new(CACHE_OPT, capacity, &f.references);
	struct second_cache *second = second_cache_new("opt", capacity);
	FUZZ_CHECK(c != NULL && second != NULL);
	for (size_t i = 0, d = 0; i < r->count; i++) {
		for (; d < r->drops && r->drop[d].before == i; d++) {
			cache_drop(c, r->drop[d].first, r->drop[d].last);
			second_cache_drop(second, r->drop[d].first, r->drop[d].last);
		}
		cache_refer(c, &r->key[i], &how, 1, &result);
		const bool hit = second_cache_refer(second, r->key[i], next_of(r, i));
		FUZZ_CHECK(hit == ((result & CACHE_HIT) != 0));
		hits += hit;
	}
	FUZZ_CHECK(cache_counts(c)->evictions == second->evictions);
	FUZZ_CHECK(cache_resident(c) == second_cache_resident(second));
	cache_free(c);
	free(second);
	future_free(&f);
	return hits;
}

/* Batches */

static void run_batch(struct state *s, struct reference_batch *b)
{
	FUZZ_CHECK(simulation_run(s->simulation, b) == IOT_OK);
	for (size_t i = 0; i < CACHE_OPT; i++)
		if (s->pair[i].simulation != NULL) {
			FUZZ_CHECK(simulation_run(s->pair[i].simulation, b) == IOT_OK);
			check_pair(&s->pair[i], b);
		}
	for (size_t i = 0; s->curves && i < CURVES; i++)
		FUZZ_CHECK(mrc_add(s->curve[i], b) == IOT_OK);
	if (s->opt)
		record(&s->recorded, b);
	for (uint32_t i = 0; i < b->count; i++)
		s->hits += simulation_results(s->simulation)[i] & CACHE_HIT;
	s->references_seen += b->count;
	b->count = b->runs = b->actions = 0;
}

static void read_trace(struct state *s, struct reference_batch *b, struct iot_reader *r)
{
	struct iot_event ev[EVENTS];
	ssize_t n;
	int status = IOT_OK;
	while (status == IOT_OK && s->references_seen < REFERENCES_ENOUGH &&
	       (n = iot_reader_events(r, ev, EVENTS)) > 0)
		for (size_t at = 0, used; status == IOT_OK && at < (size_t)n; at += used) {
			status = references_add(s->references, b, ev + at, (size_t)n - at, &used);
			if (at + used < (size_t)n || references_pending(s->references))
				run_batch(s, b);
			if (s->references_seen >= REFERENCES_ENOUGH)
				return;
		}
	run_batch(s, b);
}

/* References without a trace */

static void add_key(struct state *s, struct reference_batch *b, uint64_t key)
{
	b->key[b->count] = key;
	b->how[b->count] = 0;
	b->run[b->runs++] = (struct reference_run){
	    .first = b->count++, .count = 1, .blocks = 1, .flags = RUN_BEGINS | RUN_ENDS};
	if (b->count == KEYS_BATCH)
		run_batch(s, b);
}

/* The product of two random fractions: the lowest keys are much more frequent than the others. */
static uint64_t skewed_key(struct state *s)
{
	s->random = s->random * 6364136223846793005 + 1442695040888963407;
	return (s->random >> 40 & 0xfff) * (s->random >> 52) * s->keys >> 24;
}

static uint64_t next_key(struct state *s, unsigned what, uint64_t i, uint64_t n)
{
	const uint64_t low = what % 8 * 32;
	if (what < SKEWED)
		return what % s->keys;
	if (what < LOOP)
		return skewed_key(s);
	if (what < SCAN)
		return low + i % (n / 2 + 1);
	return low * 64 + i;
}

static void add_keys(struct state *s, struct reference_batch *b, struct fuzz_input *in)
{
	const unsigned what = (unsigned)fuzz_take(in, 1);
	const uint64_t n = what < SKEWED ? 1 : fuzz_take(in, 1) + 1;
	if (what >= DROP) {
		/* A key, or the last ones of the only object. */
		const uint64_t first = what % 8 * 32 + n / 4,
			       last = n % 4 > 0 ? first : cache_key_of(1, 0) - 1;
		if (b->actions < REFERENCE_ACTIONS_MAX)
			b->action[b->actions++] =
			    (struct reference_action){b->count, true, first, last};
		return;
	}
	for (uint64_t i = 0; i < (what < SCAN ? n : 4 * n); i++)
		add_key(s, b, next_key(s, what, i, n));
}

static void read_keys(struct state *s, struct reference_batch *b, const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	while (in.size > 0 && s->references_seen < REFERENCES_ENOUGH)
		add_keys(s, b, &in);
	run_batch(s, b);
}

/* Results */

static void check_counts(const struct state *s, const struct simulation *of, uint64_t hits,
			 uint64_t capacity)
{
	const struct simulation_counts c = simulation_counts(of);
	const struct cache_counts *k = &c.cache;
	FUZZ_CHECK(c.hits.references[0] + c.hits.references[1] == hits);
	FUZZ_CHECK(hits <= s->references_seen && c.resident <= capacity);
	FUZZ_CHECK(k->prefetch_used + k->prefetch_wasted <= k->prefetched);
	if (s->around)
		return;
	const uint64_t inserted = s->references_seen - hits + k->prefetched;
	FUZZ_CHECK(k->evictions + c.resident + k->dropped == inserted);
}

static void check_policies(const struct state *s, uint64_t capacity)
{
	const bool knows_opt = s->opt && !s->around && !s->recorded.overflows;
	const uint64_t opt = knows_opt ? check_opt(&s->recorded, capacity) : UINT64_MAX;
	for (size_t i = 0; i < CACHE_OPT; i++) {
		const struct pair *p = &s->pair[i];
		if (p->simulation == NULL)
			continue;
		const struct simulation_counts c = simulation_counts(p->simulation);
		check_counts(s, p->simulation, p->hits, capacity);
		FUZZ_CHECK(p->hits <= opt);
		FUZZ_CHECK(c.cache.evictions == p->second->evictions);
		FUZZ_CHECK(c.resident == second_cache_resident(p->second));
	}
}

static void check_curves(const struct state *s, uint64_t capacity)
{
	const double misses = (double)(s->references_seen - s->pair[CACHE_LRU].hits);
	for (size_t i = 0; i < CURVES; i++) {
		FUZZ_CHECK(mrc_finish(s->curve[i]) == IOT_OK);
		const struct mrc_point p = mrc_misses(s->curve[i], MRC_TOTAL, capacity);
		FUZZ_CHECK(isfinite(p.misses) && p.low <= p.high);
	}
	if (s->around)
		return;
	const struct mrc_point exact = mrc_misses(s->curve[MRC_EXACT], MRC_TOTAL, capacity);
	FUZZ_CHECK(exact.misses == misses);
	const struct mrc_point all = mrc_misses(s->curve[MRC_SHARDS], MRC_TOTAL, capacity);
	FUZZ_CHECK(all.misses == misses && all.low == misses && all.high == misses);
	FUZZ_CHECK(mrc_distinct(s->curve[MRC_SHARDS]) == mrc_distinct(s->curve[MRC_EXACT]));
}

/* alone: the only policy that runs; CACHE_POLICIES: all run. */
static void make_pairs(struct state *s, struct simulation_options o, enum cache_policy alone)
{
	o.prefetch = PREFETCH_NONE;
	s->opt = alone >= CACHE_OPT;
	s->curves = alone == CACHE_POLICIES;
	for (size_t i = 0; i < CACHE_OPT; i++) {
		struct pair *p = &s->pair[i];
		if (alone != CACHE_POLICIES && alone != i)
			continue;
		o.policy = (enum cache_policy)i;
		p->simulation = simulation_new(&o);
		p->second = second_cache_new(cache_policy_name(o.policy), o.capacity);
		FUZZ_CHECK(p->simulation != NULL && p->second != NULL);
	}
}

/* Exact, SHARDS of all keys, AET, and SHARDS of few keys. */
static void make_curves(struct state *s, bool rows)
{
	static const enum mrc_method methods[CURVES] = {MRC_EXACT, MRC_SHARDS, MRC_AET, MRC_SHARDS};
	for (size_t i = 0; i < CURVES; i++) {
		struct mrc_options o = {
		    .method = methods[i], .rate = 1, .memory = UINT64_MAX, .rows = rows};
		if (i == CURVES - 1) {
			o.samples = 64;
			o.rate = 1e-9;
		}
		FUZZ_CHECK((s->curve[i] = mrc_new(&o)) != NULL);
	}
}

static void free_state(struct state *s)
{
	for (size_t i = 0; i < CACHE_OPT; i++) {
		simulation_free(s->pair[i].simulation);
		free(s->pair[i].second);
	}
	for (size_t i = 0; i < CURVES; i++)
		mrc_free(s->curve[i]);
	simulation_free(s->simulation);
	references_free(s->references);
	free(s);
}

static void read_input(struct state *s, struct reference_batch *b, const uint8_t *data, size_t size)
{
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_WINDOW, 8 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_MEMORY, MEMORY_MAX) == IOT_OK);
	FUZZ_CHECK(iot_reader_open_memory(r, data, size, "fuzz") == IOT_OK);
	read_trace(s, b, r);
	iot_reader_free(r);
}

static void run(struct state *s, const struct simulation_options *o, enum cache_policy alone,
		const uint8_t *data, size_t size)
{
	struct reference_batch *b = calloc(1, sizeof *b);
	s->simulation = simulation_new(o);
	make_pairs(s, *o, alone);
	if (s->curves)
		make_curves(s, o->rows);
	FUZZ_CHECK(b != NULL && s->simulation != NULL);
	if ((data[0] & KEYS) == KEYS)
		read_keys(s, b, data + 3, size - 3);
	else
		read_input(s, b, data + 3, size - 3);
	check_counts(s, s->simulation, s->hits, o->capacity);
	check_policies(s, o->capacity);
	if (s->curves)
		check_curves(s, o->capacity);
	free(b);
}

/* The options of references without a trace; returns the policy that runs alone. */
static enum cache_policy choose_keys(struct state *s, struct simulation_options *o,
				     unsigned options)
{
	static const unsigned sizes[] = {SECOND_CAPACITY_MAX, 64, 16, 4};
	const uint64_t capacity = o->capacity = (o->capacity - 1) % sizes[options >> 4 & 3] + 1;
	const uint64_t keys[] = {SKEWED, capacity + 1, capacity + capacity / 16 + 2, 2 * capacity};
	s->keys = keys[options >> 6];
	o->prefetch = PREFETCH_NONE;
	o->rows = true;
	const unsigned policy = options & 15;
	return policy == 0 || policy > CACHE_POLICIES ? CACHE_POLICIES
						      : (enum cache_policy)(policy - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	const struct references_options how = {.block = (uint32_t)512 << (data[1] & 7),
					       .physical = data[0] >> 4 & 1,
					       .unknown = data[0] >> 5 & 1,
					       .write = (data[0] >> 6 & 3) % 3,
					       .by = (data[1] >> 3 & 7) % 7,
					       .request_max = 1 << 24,
					       .prefetching = data[1] >> 6 != PREFETCH_NONE};
	struct simulation_options o = {.policy = (data[0] & 15) % CACHE_OPT,
				       .capacity = (uint64_t)data[2] % SECOND_CAPACITY_MAX + 1,
				       .write = how.write,
				       .rmw = true,
				       .prefetch = data[1] >> 6,
				       .prefetch_blocks = 8,
				       .block = how.block,
				       .rows = how.by != BREAKDOWN_NONE};
	struct state *s = calloc(1, sizeof *s);
	FUZZ_CHECK(s != NULL);
	s->references = references_new(&how);
	FUZZ_CHECK(s->references != NULL);
	s->around = how.write == REFERENCES_AROUND;
	o.extents = s->references;
	enum cache_policy alone = CACHE_POLICIES;
	if ((data[0] & KEYS) == KEYS)
		alone = choose_keys(s, &o, data[1]);
	run(s, &o, alone, data, size);
	free_state(s);
	return 0;
}
