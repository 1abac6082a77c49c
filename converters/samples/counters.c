/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From counters to increases. Two values of a key with no reset between them are a sample. What
 * happened between the last value and a reset is lost, and so is what a clock hides that was set
 * back; %lost says so. Values before the first one are not known to be missing.
 */
#include "samples.h"

#include <xxhash.h>

#include "lib/base/hash.h"

enum { USUAL_MIN = 3 /* intervals that show which one is usual */ };

/* Keys */

static uint64_t hash_text(uint64_t h, struct iot_text text)
{
	return hash_mix(h, XXH3_64bits_withSeed(text.data, text.size, h));
}

/* Returns the state of a key, new or known; NULL on failure. */
static struct counted_key *find_key(struct sampling *s, const struct sample_point *p)
{
	const size_t known = s->numbers.count;
	uint64_t h = hash_text(hash_text(s->seed, p->host), p->target);
	if (p->entry.data != NULL)
		h = hash_text(h, p->entry);
	const size_t i = idmap_number(&s->numbers, h);
	if (i >= SAMPLES_KEYS_MAX && i != SIZE_MAX) {
		(void)samples_fail(s, "more than %d pairs of a host and a target",
				   (int)SAMPLES_KEYS_MAX);
		return NULL;
	}
	if (!array_reserve_index(&s->key, &s->key_capacity, i, sizeof *s->key)) {
		(void)samples_no_memory(s);
		return NULL;
	}
	if (s->numbers.count > known)
		s->key[i].time_ns = SAMPLES_TIME_UNKNOWN;
	return &s->key[i];
}

/* Intervals */

/* Returns the median of the last intervals of a key, 0 if there are too few. */
static uint64_t usual(const struct counted_key *k)
{
	uint64_t sorted[SAMPLES_RECENT];
	const size_t n = k->recent < SAMPLES_RECENT ? k->recent : SAMPLES_RECENT;
	for (size_t i = 0; i < n; i++) {
		size_t j = i;
		for (; j > 0 && sorted[j - 1] > k->took[i]; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = k->took[i];
	}
	return n >= USUAL_MIN ? sorted[(n - 1) / 2] : 0;
}

/* Counts a gap; returns whether it is too long for the sample to be an observation. */
static bool is_gap(struct sampling *s, const struct counted_key *k, uint64_t took_ns)
{
	const uint64_t median = usual(k);
	if (median == 0 || took_ns <= median + median / 2)
		return false;
	s->gaps++;
	const bool is_long = took_ns / median > s->max_gap ||
			     (took_ns / median == s->max_gap && took_ns % median != 0);
	s->long_gaps += is_long;
	return is_long;
}

static void add_interval(struct counted_key *k, uint64_t took_ns)
{
	k->took[k->recent % SAMPLES_RECENT] = took_ns;
	k->recent += k->recent < UINT32_MAX - SAMPLES_RECENT ? 1 : -(uint32_t)SAMPLES_RECENT;
}

/* Samples */

static bool is_doubtful(const struct sampling *s, const struct sample_point *p, uint64_t took_ns)
{
	const samples_wide bytes =
	    (samples_wide)p->value[SAMPLE_READ_BYTES] + p->value[SAMPLE_WRITTEN_BYTES];
	return s->max_rate > 0 && bytes * SAMPLES_NS_PER_S > (samples_wide)s->max_rate * took_ns;
}

static bool put(struct sampling *s, struct counted_key *k, const struct sample_point *p,
		uint64_t took_ns, unsigned flags)
{
	if (is_gap(s, k, took_ns))
		flags |= SAMPLE_GAP;
	if (is_doubtful(s, p, took_ns)) {
		flags |= SAMPLE_DOUBTFUL;
		s->doubtful++;
	}
	add_interval(k, took_ns);
	if (s->now_ns < p->time_ns)
		s->now_ns = p->time_ns;
	return samples_emit(s, p, took_ns, flags);
}

bool samples_increase(struct sampling *s, const struct sample_point *p, uint64_t took_ns)
{
	struct counted_key *k = find_key(s, p);
	if (k == NULL)
		return false;
	if (k->time_ns == p->time_ns) {
		s->duplicates++;
		return true;
	}
	k->time_ns = p->time_ns;
	return put(s, k, p, took_ns, 0);
}

/* Counters */

static void keep(struct counted_key *k, const struct sample_point *p)
{
	k->time_ns = p->time_ns;
	k->known = p->known;
	memcpy(k->value, p->value, sizeof k->value);
}

static bool is_same(const struct counted_key *k, const struct sample_point *p)
{
	bool same = k->known == p->known;
	for (unsigned v = 0; v < SAMPLE_VALUES && same; v++)
		same = (p->known >> v & 1) == 0 || k->value[v] == p->value[v];
	return same;
}

/* Sets *to the increases. Returns false if a counter decreased. */
static bool subtract(struct sampling *s, const struct counted_key *k, const struct sample_point *p,
		     struct sample_point *to)
{
	const uint64_t *units = s->format->units;
	uint64_t wrapped = 0;
	*to = *p;
	to->known = p->known & k->known;
	for (unsigned v = 0; v < SAMPLE_VALUES; v++) {
		const uint64_t wrap = (units != NULL ? units[v] : 1) << 32;
		if ((to->known >> v & 1) == 0)
			continue;
		to->value[v] = p->value[v] - k->value[v];
		if (p->value[v] >= k->value[v])
			continue;
		if (!s->wraps_32 || k->value[v] >= wrap)
			return false;
		to->value[v] += wrap;
		wrapped++;
	}
	s->wraps += wrapped;
	return true;
}

/* The first value of a key. */
static bool begin(struct sampling *s, struct counted_key *k, const struct sample_point *p)
{
	const int64_t since_ns = p->since_ns;
	keep(k, p);
	if (p->appears && since_ns >= 0 && since_ns < p->time_ns)
		return put(s, k, p, (uint64_t)(p->time_ns - since_ns), 0);
	s->firsts++;
	return true;
}

/* Handles a value that is not later than the previous value of its key. */
static bool repeat(struct sampling *s, struct counted_key *k, const struct sample_point *p)
{
	if (is_same(k, p)) {
		s->duplicates++;
		return true;
	}
	s->backwards++;
	keep(k, p);
	return samples_emit_lost(s, p, p->time_ns, 0, "clock");
}

/* The counters were set to 0 after the last value and not after this one. */
static bool after_reset(struct sampling *s, struct counted_key *k, const struct sample_point *p)
{
	const int64_t last_ns = k->time_ns, reset_ns = p->since_ns;
	s->resets++;
	keep(k, p);
	return samples_emit_lost(s, p, last_ns, (uint64_t)(reset_ns - last_ns), "reset") &&
	       (reset_ns == p->time_ns || put(s, k, p, (uint64_t)(p->time_ns - reset_ns), 0));
}

bool samples_count(struct sampling *s, const struct sample_point *p)
{
	struct counted_key *k = find_key(s, p);
	struct sample_point increase;
	if (k == NULL)
		return false;
	if (k->time_ns == SAMPLES_TIME_UNKNOWN)
		return begin(s, k, p);
	if (p->time_ns <= k->time_ns)
		return repeat(s, k, p);
	if (p->since_ns > k->time_ns && p->since_ns <= p->time_ns)
		return after_reset(s, k, p);
	const uint64_t took_ns = (uint64_t)(p->time_ns - k->time_ns);
	const bool grew = subtract(s, k, p, &increase);
	s->decreases += grew ? 0 : 1;
	keep(k, p);
	return put(s, k, grew ? &increase : p, took_ns, grew ? 0 : SAMPLE_RESET);
}
