/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include "mrc.h"

#include <math.h>
#include <stdlib.h>

#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/base/hyperloglog.h"

#include "curve.h"
#include "distances.h"
#include "hot_keys.h"
#include "sample.h"
#include "sample_curve.h"

/* SHARDS: a sample of the sample, whose curve varies as the sample's does. */
struct group {
	struct distances distances;
	struct curve curve;
};

/* A time, in references, and in those to keys that are not hot. */
struct moment {
	uint64_t all, other;
};

/* HOT_COUNTED: of this many references to hot keys, one is counted. */
enum { GROUPS = SAMPLE_GROUPS, AHEAD = 16, HOT_COUNTED = 64, DISTINCT_PARTS = 16 };
enum { STRETCH_MAX = 32768 }; /* keys */

/* Above this rate, a sample has most of the popular keys. */
#define HOT_RATE 0.5

struct mrc {
	struct mrc_options options;
	struct distances distances;
	union { /* of the references of a batch */
		uint64_t distance[REFERENCES_MAX];
		uint64_t hash[REFERENCES_MAX];
	};
	uint64_t *exact; /* references by distance, from 1; then references at larger distances */
	size_t exact_capacity;
	uint64_t infinite, references;
	struct curve curve;
	struct curve direction[2]; /* reads, writes */
	uint64_t direction_references[2];
	struct curve *rows;
	uint64_t *row_references;
	size_t row_capacity, row_reference_capacity;
	struct key_sample sample;
	struct group group[GROUPS];
	struct sample_curve sampled;
	struct hot_keys hot;
	uint32_t hot_mark[HOT_MAX + 1]; /* in `distances`, at the last reference to each hot key */
	struct moment hot_last[HOT_MAX + 1];
	uint64_t hot_references;
	uint64_t first_sampled; /* first references to keys of the sample */
	uint32_t hot_wait;      /* references to hot keys until one is counted */
	struct hyperloglog distinct[DISTINCT_PARTS]; /* keys, by hash */
	double stretch; /* of sizes: the sample has this many times its share of the keys */
	bool dropped;   /* keys, by operations */
	struct moment *sampled_at; /* the last reference to each key of `distances` */
	size_t sampled_at_capacity;
	uint64_t phase;         /* of the places of distances in their ranges */
	struct idmap times;     /* AET: of keys */
	struct key_tails tails; /* AET: of keys with a last reference */
	uint64_t *last;
	size_t last_capacity;
	double *aet; /* of each bin of times: the size of the cache in which it hits */
};

struct mrc *mrc_new(const struct mrc_options *options)
{
	struct mrc *m = calloc(1, sizeof *m);
	if (m == NULL)
		return NULL;
	m->options = *options;
	sample_init(&m->sample, options->rate, options->samples);
	hot_init(&m->hot);
	m->hot_wait = 1;
	m->distances.keeps_dropped = true;
	m->distances.marks = m->hot_mark;
	m->distances.mark_count = HOT_MAX;
	return m;
}

void mrc_free(struct mrc *m)
{
	if (m == NULL)
		return;
	distances_free(&m->distances);
	curve_free(&m->curve);
	for (size_t i = 0; i < 2; i++)
		curve_free(&m->direction[i]);
	for (size_t i = 0; i < m->row_capacity; i++)
		curve_free(&m->rows[i]);
	for (size_t i = 0; i < GROUPS; i++) {
		distances_free(&m->group[i].distances);
		curve_free(&m->group[i].curve);
	}
	sample_free(&m->sample);
	sample_curve_free(&m->sampled);
	idmap_free(&m->times);
	key_tails_free(&m->tails);
	free(m->rows);
	free(m->row_references);
	free(m->exact);
	free(m->last);
	free(m->sampled_at);
	free(m->aet);
	free(m);
}

/* Rows */

static bool reserve_row(struct mrc *m, size_t row)
{
	return array_reserve_index(&m->rows, &m->row_capacity, row, sizeof *m->rows) &&
	       array_reserve_index(&m->row_references, &m->row_reference_capacity, row,
				   sizeof *m->row_references);
}

static bool add_to(struct curve *c, uint64_t distance, double weight)
{
	if (distance != DISTANCE_NONE)
		return curve_add(c, distance, weight);
	curve_add_infinite(c, weight);
	return true;
}

static unsigned is_write(const struct reference_run *run)
{
	return (run->flags & RUN_WRITE) != 0;
}

/* Adds a reference of a run to the curves of its direction and of its row. */
static bool add_to_parts(struct mrc *m, const struct reference_run *run, uint64_t distance,
			 double weight)
{
	return add_to(&m->direction[is_write(run)], distance, weight) &&
	       (!m->options.rows || add_to(&m->rows[run->row], distance, weight));
}

/* Exact curves */

static bool count_exact(struct mrc *m, uint64_t distance)
{
	if (distance == DISTANCE_NONE) {
		m->infinite++;
		return true;
	}
	if (!array_reserve_index(&m->exact, &m->exact_capacity, distance, sizeof *m->exact))
		return false;
	m->exact[distance]++;
	return true;
}

/* The distances of the references of a batch from `first` on, before `end`. */
static bool find_distances(struct mrc *m, const struct reference_batch *b, uint32_t first,
			   uint32_t end)
{
	uint64_t *distance = m->distance;
	if (!distances_refer_all(&m->distances, b->key + first, end - first, distance + first))
		return false;
	for (uint32_t i = first; i < end; i++) {
		if (i + AHEAD < end && distance[i + AHEAD] < m->exact_capacity)
			__builtin_prefetch(&m->exact[distance[i + AHEAD]], 1);
		if (!count_exact(m, distance[i]))
			return false;
	}
	return true;
}

static bool add_exact(struct mrc *m, const struct reference_run *run)
{
	for (uint32_t i = run->first; i < run->first + run->count; i++)
		if (!add_to_parts(m, run, m->distance[i], 1))
			return false;
	return true;
}

/* SHARDS */

/*
 * A distance among the sampled keys, as one among all keys: of the 1 / rate distances that it
 * stands for, the one at this place in [0, 1).
 */
static uint64_t scaled(uint64_t distance, double rate, double place)
{
	if (distance == DISTANCE_NONE)
		return distance;
	return (uint64_t)ceil(((double)distance - place) / rate);
}

/* Multiples of the golden ratio are spread evenly. */
static double next_place(struct mrc *m)
{
	return ldexp((double)((m->phase += 0x9e3779b97f4a7c15U) >> 11), -53);
}

static void forget(struct mrc *m, const struct sample_key *key)
{
	distances_forget(&m->distances, key->key);
	distances_forget(&m->group[key->hash % GROUPS].distances, key->key);
}

/* Adds a key that may be new to the sample; the keys that it replaces are forgotten. */
static bool keep_key(struct mrc *m, struct sample_key key)
{
	struct sample_key gone;
	if (m->options.samples == 0)
		return true;
	if (!sample_push(&m->sample, key))
		return false;
	while (sample_pop(&m->sample, &gone))
		forget(m, &gone);
	return true;
}

/*
 * A distance among all keys: of keys that are not hot, a scaled one, which is at most the number of
 * references to them; and the hot ones.
 */
static uint64_t among_all(uint64_t distance, const struct moment *last, const struct moment *now,
			  uint32_t hot)
{
	if (distance == DISTANCE_NONE)
		return distance;
	return (distance < now->other - last->other ? distance : now->other - last->other) + hot;
}

static bool add_sampled(struct mrc *m, struct sample_key key, const struct reference_run *run,
			const struct moment *now)
{
	struct group *g = &m->group[key.hash % GROUPS];
	const double rate = m->sample.rate, weight = 1 / rate, place = next_place(m);
	uint64_t distance = distances_refer(&m->distances, key.key),
		 in_group = distances_refer(&g->distances, key.key);
	const size_t number = m->distances.keys.last - 1;
	if (distance == DISTANCE_FAILED || in_group == DISTANCE_FAILED ||
	    !array_reserve_index(&m->sampled_at, &m->sampled_at_capacity, number,
				 sizeof *m->sampled_at))
		return false;
	const struct moment *last = &m->sampled_at[number];
	const uint32_t hot =
	    distance == DISTANCE_NONE ? 0 : hot_between(&m->hot, last->all, now->all);
	distance = among_all(scaled(distance, rate, place), last, now, hot);
	in_group = among_all(scaled(in_group, rate / GROUPS, place), last, now, hot);
	m->sampled_at[number] = *now;
	if (rate == 1 && !count_exact(m, distance))
		return false;
	if (!add_to(&m->curve, distance, weight) || !add_to(&g->curve, in_group, weight * GROUPS) ||
	    !add_to_parts(m, run, distance, weight))
		return false;
	m->first_sampled += distance == DISTANCE_NONE;
	return distance != DISTANCE_NONE || keep_key(m, key);
}

/*
 * Counts one of HOT_COUNTED references to hot keys, on average. The distance is the number of keys
 * of the sample, scaled, and of hot keys since the last reference.
 */
static bool count_hot(struct mrc *m, unsigned number, const struct reference_run *run,
		      const struct moment *now)
{
	const struct moment last = m->hot_last[number];
	const double sampled =
	    (double)distances_since(&m->distances, m->hot_mark[number]) + next_place(m);
	const uint64_t distance = among_all((uint64_t)(sampled / m->sample.rate), &last, now,
					    1 + hot_between(&m->hot, last.all, now->all));
	m->hot_wait = 1 + (uint32_t)(hot_random(&m->hot) % (2 * HOT_COUNTED - 1));
	return add_to(&m->curve, distance, HOT_COUNTED) &&
	       add_to_parts(m, run, distance, HOT_COUNTED);
}

/* A key that becomes hot is no longer part of the sample. */
static unsigned examine(struct mrc *m, struct sample_key key, uint64_t now)
{
	if (m->sample.rate >= HOT_RATE) {
		m->hot.wait = REFERENCES_MAX;
		return HOT_NONE;
	}
	const unsigned number = hot_examine(&m->hot, key.key, key.hash, now);
	if (number != HOT_NONE)
		forget(m, &key);
	return number;
}

/* Branches are rarely taken, except in large samples: keys that are not hot write to HOT_NONE. */
static inline bool add_one(struct mrc *m, struct sample_key sample, const struct reference_run *run,
			   uint64_t time)
{
	unsigned number = hot_number(&m->hot, sample.hash);
	const bool hot = number != HOT_NONE;
	m->hot_references += hot;
	m->hot_wait -= hot;
	m->hot.wait -= !hot;
	const struct moment now = {time, time - m->hot_references};
	if (m->hot_wait == 0 && !count_hot(m, number, run, &now))
		return false;
	if (sample.hash < m->sample.threshold && !hot && !add_sampled(m, sample, run, &now))
		return false;
	if (m->hot.wait == 0)
		number = examine(m, sample, time);
	m->hot.last[number] = (uint32_t)time;
	m->hot_last[number] = now;
	m->hot_mark[number] = (uint32_t)m->distances.now;
	return true;
}

/* Flattened, because the hash of 8 bytes is a few instructions, but is not inlined by itself. */
static __attribute__((flatten)) void find_hashes(struct mrc *m, const struct reference_batch *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		const uint64_t hash =
		    XXH3_64bits_withSeed(&b->key[i], sizeof b->key[i], m->options.seed);
		m->hash[i] = hash;
		hyperloglog_add(&m->distinct[hash % DISTINCT_PARTS], hash);
	}
}

static bool add_shards(struct mrc *m, const struct reference_batch *b,
		       const struct reference_run *run)
{
	uint64_t now = m->references;
	for (uint32_t i = run->first; i < run->first + run->count; i++)
		if (!add_one(m, (struct sample_key){m->hash[i], b->key[i]}, run, ++now))
			return false;
	return true;
}

/* AET: the curve is one of times between references to the same key. */

static bool add_times(struct mrc *m, const struct reference_batch *b,
		      const struct reference_run *run, uint32_t end)
{
	const uint64_t before = m->references;
	for (uint32_t i = run->first; i < run->first + run->count; i++) {
		if (i + AHEAD < end)
			idmap_prefetch(&m->times, b->key[i + AHEAD]);
		const size_t number = idmap_number(&m->times, b->key[i]);
		if (!array_reserve_index(&m->last, &m->last_capacity, number, sizeof *m->last))
			return false;
		const uint64_t now = before + (i - run->first) + 1,
			       time = m->last[number] != 0 ? now - m->last[number] : DISTANCE_NONE;
		if (!add_to(&m->curve, time, 1) || !add_to_parts(m, run, time, 1))
			return false;
		if (m->tails.used && m->last[number] == 0 && !key_tails_add(&m->tails, b->key[i]))
			return false;
		m->last[number] = now;
	}
	return true;
}

/* The average eviction time of each size: the bins of times are divided evenly. */
static bool solve_aet(struct mrc *m)
{
	double size = 0, references = m->curve.weight;
	m->aet = malloc((m->curve.capacity + 1) * sizeof *m->aet);
	if (m->aet == NULL)
		return false;
	for (size_t i = 0; i < m->curve.capacity; i++) {
		const double more = i + 1 < m->curve.capacity ? m->curve.bin[i + 1] : 0,
			     width = (double)(curve_end(i) - (i > 0 ? curve_end(i - 1) : 0));
		/* the share of longer times falls from the start of the bin to its end */
		const double at_begin = (m->curve.infinite + m->curve.bin[i]) / references,
			     at_end = (m->curve.infinite + more) / references;
		size += width * (at_begin + (at_end - at_begin) * (width - 1) / (2 * width));
		m->aet[i] = size;
	}
	return true;
}

/* The references of a curve with longer times, which miss in a cache of this size. */
static double aet_misses(const struct mrc *m, const struct curve *c, uint64_t capacity)
{
	size_t low = 0, high = m->curve.capacity;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (m->aet[middle] >= (double)capacity)
			high = middle;
		else
			low = middle + 1;
	}
	if (low >= c->capacity)
		return c->infinite;
	const double begin = low > 0 ? m->aet[low - 1] : 0,
		     width = (double)(curve_end(low) - (low > 0 ? curve_end(low - 1) : 0)),
		     part = ((double)capacity - begin) / (m->aet[low] - begin),
		     share = ceil(part * width) / width, /* whole units of time */
	    more = low + 1 < c->capacity ? c->bin[low + 1] : 0;
	return c->infinite + c->bin[low] + (more - c->bin[low]) * share;
}

/* All methods */

static bool use_tails(struct mrc *m)
{
	m->tails.used = true;
	for (size_t i = 0; i < m->times.count; i++)
		if (m->last[i] != 0 && !key_tails_add(&m->tails, m->times.keys[i]))
			return false;
	return true;
}

static void drop_time(struct mrc *m, uint64_t key)
{
	const size_t number = idmap_find(&m->times, key);
	if (number != SIZE_MAX)
		m->last[number] = 0;
}

static bool drop_times(struct mrc *m, uint64_t first, uint64_t last)
{
	uint64_t key;
	if (first == last || (!m->tails.used && last - first < m->times.count)) {
		for (key = first; key - first <= last - first; key++)
			drop_time(m, key);
		return true;
	}
	if (!m->tails.used && !use_tails(m))
		return false;
	while (key_tails_take(&m->tails, first, &key))
		drop_time(m, key);
	return true;
}

static bool apply(struct mrc *m, const struct reference_action *a)
{
	if (!a->drop)
		return true;
	m->dropped = true;
	if (m->options.method == MRC_AET)
		return drop_times(m, a->first, a->last);
	bool done = distances_drop(&m->distances, a->first, a->last);
	hot_drop(&m->hot, a->first, a->last);
	for (size_t i = 0; i < GROUPS && done; i++)
		done = distances_drop(&m->group[i].distances, a->first, a->last);
	return done;
}

static bool add_run(struct mrc *m, const struct reference_batch *b, const struct reference_run *run)
{
	bool done = false;
	if (run->count == 0)
		return true;
	if (m->options.rows && !reserve_row(m, run->row))
		return false;
	switch (m->options.method) {
	case MRC_EXACT:
		done = add_exact(m, run);
		break;
	case MRC_SHARDS:
		done = add_shards(m, b, run);
		break;
	case MRC_AET:
		done = add_times(m, b, run, b->count);
		break;
	}
	m->references += run->count;
	m->direction_references[is_write(run)] += run->count;
	if (m->options.rows)
		m->row_references[run->row] += run->count;
	return done;
}

static uint64_t bytes_of(const struct mrc *m)
{
	uint64_t bytes = distances_bytes(&m->distances) + m->exact_capacity * sizeof *m->exact +
			 idmap_bytes(&m->times) + key_tails_bytes(&m->tails) +
			 m->last_capacity * sizeof *m->last +
			 m->sampled_at_capacity * sizeof *m->sampled_at;
	for (size_t i = 0; i < GROUPS; i++)
		bytes += distances_bytes(&m->group[i].distances);
	for (size_t i = 0; i < m->row_capacity; i++)
		bytes += sizeof m->rows[i] + m->rows[i].capacity * sizeof(double);
	return bytes;
}

/* Applies the actions of a batch before a reference, from *next on. */
static bool apply_before(struct mrc *m, const struct reference_batch *b, uint32_t reference,
			 uint32_t *next)
{
	bool done = true;
	for (; *next < b->actions && b->action[*next].before <= reference && done; ++*next)
		done = apply(m, &b->action[*next]);
	return done;
}

/* The actions of a batch split its runs. */
int mrc_add(struct mrc *m, const struct reference_batch *b)
{
	uint32_t action = 0, found = 0;
	bool done = true;
	if (m->options.method == MRC_SHARDS)
		find_hashes(m, b);
	for (uint32_t i = 0; i < b->runs && done; i++) {
		const struct reference_run *run = &b->run[i];
		done = apply_before(m, b, run->first, &action);
		if (done && m->options.method == MRC_EXACT && run->first >= found) {
			const uint32_t end =
			    action < b->actions ? b->action[action].before : b->count;
			done = find_distances(m, b, run->first, end);
			found = end;
		}
		done = done && add_run(m, b, run);
	}
	if (!done || !apply_before(m, b, b->count, &action))
		return IOT_ENOMEM;
	return bytes_of(m) <= m->options.memory ? IOT_OK : IOT_ELIMIT;
}

/*
 * A fixed share of the keys has more or fewer keys than that share. The number of all keys, which
 * is known with an error of 0.4 %, corrects distances by the ratio, if that is better than the
 * sample.
 */
static double stretch_of(const struct mrc *m)
{
	const double kept = (double)m->first_sampled;
	double distinct = 0;
	for (size_t i = 0; i < DISTINCT_PARTS; i++)
		distinct += hyperloglog_estimate(&m->distinct[i]);
	if (m->options.samples > 0 || m->dropped || m->sample.rate >= HOT_RATE || kept < 1 ||
	    kept > STRETCH_MAX)
		return 1;
	return kept / m->sample.rate / distinct;
}

static bool finish_sample(struct mrc *m)
{
	m->stretch = stretch_of(m);
	const struct curve *group[GROUPS];
	for (size_t i = 0; i < GROUPS; i++) {
		curve_finish(&m->group[i].curve);
		group[i] = &m->group[i].curve;
	}
	return sample_curve_make(&m->sampled, &m->curve, group, m->sample.rate,
				 (double)m->references);
}

int mrc_finish(struct mrc *m)
{
	bool done = true;
	uint64_t sum = 0;
	curve_finish(&m->curve);
	if (m->options.method == MRC_SHARDS)
		done = finish_sample(m);
	for (size_t i = 0; i < 2; i++)
		curve_finish(&m->direction[i]);
	for (size_t i = 0; i < m->row_capacity; i++)
		curve_finish(&m->rows[i]);
	for (size_t i = m->exact_capacity; i-- > 0;)
		m->exact[i] = sum += m->exact[i];
	if (m->options.method == MRC_AET)
		done = solve_aet(m);
	return done ? IOT_OK : IOT_ENOMEM;
}

/* Results */

static const struct curve *curve_of(const struct mrc *m, size_t row)
{
	static const struct curve none;
	if (row == MRC_TOTAL)
		return &m->curve;
	if (row == MRC_READS || row == MRC_WRITES)
		return &m->direction[row == MRC_WRITES];
	return row < m->row_capacity ? &m->rows[row] : &none;
}

/* With the same share of the missing references as the whole, the parts add up to it. */
static struct mrc_point sampled(const struct mrc *m, size_t row, uint64_t capacity)
{
	const double references = (double)mrc_references(m, row);
	const struct curve *c = curve_of(m, row);
	if (capacity == 0)
		return (struct mrc_point){references, references, references};
	capacity = (uint64_t)fmax(1, round((double)capacity * m->stretch));
	const struct sample_point p = sample_curve_at(&m->sampled, capacity);
	if (row != MRC_TOTAL) {
		const double missing = (references - c->weight) * p.missing_share,
			     misses =
				 fmin(references, fmax(0, curve_misses(c, capacity) + missing));
		return (struct mrc_point){misses, misses, misses};
	}
	return (struct mrc_point){p.misses, fmax(0, p.misses - p.error),
				  fmin(references, p.misses + p.error)};
}

/* A sample of all keys at any time is exact. */
bool mrc_is_exact(const struct mrc *m)
{
	return m->options.method == MRC_EXACT ||
	       (m->options.method == MRC_SHARDS && m->sample.rate == 1);
}

struct mrc_point mrc_misses(const struct mrc *m, size_t row, uint64_t capacity)
{
	double misses;
	if (m->options.method == MRC_SHARDS && !mrc_is_exact(m))
		return sampled(m, row, capacity);
	if (m->options.method == MRC_AET)
		misses = aet_misses(m, curve_of(m, row), capacity);
	else if (row != MRC_TOTAL)
		misses = curve_misses(curve_of(m, row), capacity);
	else
		misses = (double)m->infinite +
			 (capacity + 1 < m->exact_capacity ? (double)m->exact[capacity + 1] : 0);
	return (struct mrc_point){misses, misses, misses};
}

uint64_t mrc_size_up_to(uint64_t size)
{
	const size_t bin = curve_bin(size);
	return curve_end(bin) <= size ? size : curve_end(bin - 1);
}

uint64_t mrc_size_above(uint64_t size)
{
	return curve_end(curve_bin(size + 1));
}

uint64_t mrc_references(const struct mrc *m, size_t row)
{
	if (row == MRC_TOTAL)
		return m->references;
	if (row == MRC_READS || row == MRC_WRITES)
		return m->direction_references[row == MRC_WRITES];
	return row < m->row_reference_capacity ? m->row_references[row] : 0;
}

uint64_t mrc_distinct(const struct mrc *m)
{
	if (mrc_is_exact(m))
		return m->distances.keys.count;
	switch (m->options.method) {
	case MRC_EXACT:
		break;
	case MRC_SHARDS:
		return (uint64_t)((double)mrc_kept(m) / m->sample.rate / m->stretch);
	case MRC_AET:
		return m->times.count;
	}
	return 0;
}

uint64_t mrc_kept(const struct mrc *m)
{
	return m->options.samples > 0 ? m->sample.count : m->first_sampled;
}

double mrc_rate(const struct mrc *m)
{
	return m->sample.rate;
}
