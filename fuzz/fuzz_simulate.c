/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulates caches for any trace. Each policy is compared with a slow model of what holds for all
 * of them: a block hits only if it was inserted and not evicted or dropped since; LRU is compared
 * reference by reference, and the exact curve with it.
 *
 * The first three bytes of an input are options: bits 0-3 policy, 4 physical, 5 fresh, 6-7 write;
 * then 0-2 block size, 3-5 breakdown, 6-7 prefetching; then the size of the cache.
 */
#include "fuzz.h"

#include "lib/simulate/mrc.h"
#include "lib/simulate/simulation.h"

enum { EVENTS = 64, MODEL_MAX = 256, REFERENCES_ENOUGH = 1 << 18, MEMORY_MAX = 16 << 20 };

/* Keys from the one referenced last to the oldest one. */
struct model {
	uint64_t key[MODEL_MAX];
	size_t count, capacity;
};

static bool model_refer(struct model *m, uint64_t key, bool allocate)
{
	size_t i = 0;
	while (i < m->count && m->key[i] != key)
		i++;
	const bool hit = i < m->count;
	if (!hit && !allocate)
		return false;
	if (!hit && m->count < m->capacity)
		m->count++;
	else if (!hit)
		i--;
	memmove(m->key + 1, m->key, i * sizeof *m->key);
	m->key[0] = key;
	return hit;
}

static void model_drop(struct model *m, uint64_t first, uint64_t last)
{
	size_t n = 0;
	for (size_t i = 0; i < m->count; i++)
		if (m->key[i] < first || m->key[i] > last)
			m->key[n++] = m->key[i];
	m->count = n;
}

struct state {
	struct references *references;
	struct simulation *simulation, *lru;
	struct mrc *exact;
	struct model model;
	uint64_t references_seen, hits, lru_hits;
	bool prefetches, around;
};

static void check_lru(struct state *s, const struct reference_batch *b)
{
	const uint8_t *result = simulation_results(s->lru);
	uint32_t action = 0;
	for (uint32_t i = 0; i < b->count; i++) {
		for (; action < b->actions && b->action[action].before <= i; action++)
			if (b->action[action].drop)
				model_drop(&s->model, b->action[action].first,
					   b->action[action].last);
		const bool hit =
		    model_refer(&s->model, b->key[i], !(b->how[i] & CACHE_NO_ALLOCATE));
		FUZZ_CHECK(hit == ((result[i] & CACHE_HIT) != 0));
		s->lru_hits += hit;
	}
	for (; action < b->actions; action++)
		if (b->action[action].drop)
			model_drop(&s->model, b->action[action].first, b->action[action].last);
}

static void run_batch(struct state *s, struct reference_batch *b)
{
	FUZZ_CHECK(simulation_run(s->simulation, b) == IOT_OK);
	FUZZ_CHECK(simulation_run(s->lru, b) == IOT_OK);
	FUZZ_CHECK(mrc_add(s->exact, b) == IOT_OK);
	check_lru(s, b);
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

static void check_results(const struct state *s, const struct simulation_options *o)
{
	const struct simulation_counts c = simulation_counts(s->simulation),
				       lru = simulation_counts(s->lru);
	const struct cache_counts *k = &c.cache;
	FUZZ_CHECK(c.hits.references[0] + c.hits.references[1] == s->hits);
	FUZZ_CHECK(lru.hits.references[0] + lru.hits.references[1] == s->lru_hits);
	FUZZ_CHECK(s->hits <= s->references_seen && c.resident <= o->capacity);
	FUZZ_CHECK(s->model.count == lru.resident);
	if (!s->around) {
		const uint64_t inserted = s->references_seen - s->hits + k->prefetched;
		FUZZ_CHECK(k->evictions + c.resident + k->dropped == inserted);
	}
	FUZZ_CHECK(k->prefetch_used + k->prefetch_wasted <= k->prefetched);
	if (!s->around) {
		const struct mrc_point p = mrc_misses(s->exact, MRC_TOTAL, o->capacity);
		FUZZ_CHECK((uint64_t)p.misses == s->references_seen - s->lru_hits);
	}
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
					       .request_max = 1 << 24};
	struct simulation_options o = {.policy = (data[0] & 15) % CACHE_OPT,
				       .capacity = (uint64_t)data[2] % MODEL_MAX + 1,
				       .write = how.write,
				       .rmw = true,
				       .prefetch = data[1] >> 6,
				       .prefetch_blocks = 8,
				       .block = how.block,
				       .rows = how.by != REFERENCES_BY_NOTHING};
	struct state s = {.references = references_new(&how),
			  .model = {.capacity = o.capacity},
			  .prefetches = o.prefetch != PREFETCH_NONE,
			  .around = how.write == REFERENCES_AROUND};
	struct reference_batch *b = calloc(1, sizeof *b);
	struct iot_reader *r = iot_reader_new();
	const struct mrc_options exact = {.memory = UINT64_MAX, .rows = o.rows};
	o.extents = s.references;
	s.simulation = simulation_new(&o);
	o.policy = CACHE_LRU;
	o.prefetch = PREFETCH_NONE;
	s.lru = simulation_new(&o);
	s.exact = mrc_new(&exact);
	FUZZ_CHECK(r != NULL && b != NULL && s.simulation != NULL && s.lru != NULL);
	FUZZ_CHECK(s.references != NULL && s.exact != NULL);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_WINDOW, 8 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_MEMORY, MEMORY_MAX) == IOT_OK);
	FUZZ_CHECK(iot_reader_open_memory(r, data + 3, size - 3, "fuzz") == IOT_OK);
	read_trace(&s, b, r);
	FUZZ_CHECK(mrc_finish(s.exact) == IOT_OK);
	check_results(&s, &o);
	iot_reader_free(r);
	simulation_free(s.simulation);
	simulation_free(s.lru);
	mrc_free(s.exact);
	references_free(s.references);
	free(b);
	return 0;
}
