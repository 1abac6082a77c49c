/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables that several groups of statistics have. */
#include <stdlib.h>

#include "state.h"

/* The bins have to add up, as values are computed from both. */
void state_histogram(struct state *s, struct state_names name, struct histogram *h)
{
	uint64_t sum = 0;
	size_t i;
	while (state_each(s, name.kind, 1, &i)) {
		state_number(s, "count", &h->count);
		state_number(s, "sum", &h->sum);
		state_number(s, "min", &h->min);
		state_number(s, "max", &h->max);
		state_wide(s, "squares", &h->squares);
	}
	while (state_each(s, name.list, HISTOGRAM_BINS, &i)) {
		state_number(s, "count", &h->bin[i]);
		sum += h->bin[i];
	}
	state_check(s, sum == h->count, "bins whose sum is the number of values");
}

static uint64_t expected_share(const uint64_t *calls, unsigned k, unsigned n, uint64_t sum)
{
	bool alone = calls != NULL && calls[k] > 0;
	for (unsigned i = 0; i < n && alone; i++)
		alone = i == k || calls[i] == 0;
	return alone ? sum : 0;
}

void state_shares(struct state *s, const char *const key[], uint64_t *v, const uint64_t *calls,
		  unsigned n)
{
	uint64_t sum = 0;
	for (unsigned k = 0; k < n; k++)
		sum += v[k];
	state_number(s, key[0], &sum);
	v[0] = sum;
	for (unsigned k = 1; k < n; k++) {
		const uint64_t expected = expected_share(calls, k, n, sum);
		uint64_t share = v[k] - expected;
		state_number(s, key[k], &share);
		v[k] = share + expected;
		v[0] -= v[k];
	}
}

void state_differing(struct state *s, const char *key, uint64_t *v, uint64_t expected)
{
	int64_t more = (int64_t)(*v - expected);
	state_signed(s, key, &more);
	*v = expected + (uint64_t)more;
}

static int by_value(const void *left, const void *right)
{
	const struct common_value *a = left, *b = right;
	return a->value < b->value ? -1 : a->value > b->value;
}

/* Returns the values in ascending order, or NULL if out of memory. */
static struct common_value *sorted_values(const struct common *c)
{
	struct common_value *v = calloc(c->map.count + 1, sizeof *v);
	for (size_t i = 0; i < c->map.count && v != NULL; i++)
		v[i] = (struct common_value){c->map.keys[i], c->counts[i]};
	if (v != NULL)
		qsort(v, c->map.count, sizeof *v, by_value);
	return v;
}

void state_common(struct state *s, struct state_names name, struct common *c)
{
	struct common_value *v = sorted_values(c), one = {0, 0};
	const size_t n = c->map.count;
	size_t i;
	if (v == NULL)
		state_no_memory(s);
	while (v != NULL && state_each(s, name.kind, 1, &i)) {
		uint32_t level = c->level;
		state_number(s, "other", &c->other);
		state_small(s, "level", &level, COMMON_LEVEL_MAX);
		c->level = level;
	}
	for (i = 0; v != NULL && state_list(s, name.list, i < n); i++) {
		one = i < n ? v[i] : one;
		state_number(s, "value", &one.value);
		state_number(s, "count", &one.count);
		state_check(s, i < COMMON_MAX && common_keeps(c->level, one.value),
			    "up to 16384 values of the sample");
		if (!state_saves(s) && !state_failed(s) && !common_add(c, one.value, one.count))
			state_no_memory(s);
	}
	free(v);
}

static size_t sort_few(const struct few *f, struct common_value v[FEW_MAX])
{
	const struct few_value *value;
	size_t n = 0;
	for (; (value = few_at(f, (unsigned)n)) != NULL; n++)
		v[n] = (struct common_value){value->value, value->count};
	qsort(v, n, sizeof *v, by_value);
	if (f->many)
		v[n++] = (struct common_value){0, 0};
	return n;
}

/* Rows of few number i; of many values, one row whose count is 0. */
struct few_rows {
	struct common_value value[FEW_MAX];
	size_t i, count, next;
};

/* Moves on to the next value of any. */
static bool next_few(struct few_rows *r, struct few *(*at)(void *, size_t), void *context, size_t n)
{
	while (r->next == r->count && r->i + 1 < n + 1) {
		const struct few *f = at(context, r->i++);
		r->count = f != NULL ? sort_few(f, r->value) : 0;
		r->next = 0;
	}
	return r->next < r->count;
}

static void load_few(struct state *s, struct few *f, const struct common_value *v)
{
	if (f == NULL) {
		state_no_memory(s);
	} else if (v->count == 0) {
		few_free(f);
		f->many = true;
	} else if (!few_add(f, v->value, v->count)) {
		state_no_memory(s);
	}
}

void state_few(struct state *s, const char *kind, struct few *(*at)(void *context, size_t i),
	       void *context, size_t n)
{
	struct few_rows r = {.i = 0};
	while (state_list(s, kind, state_saves(s) && next_few(&r, at, context, n))) {
		uint64_t of = r.i - 1;
		struct common_value v = {0, 0};
		if (state_saves(s))
			v = r.value[r.next++];
		state_limited(s, "of", &of, n - 1);
		state_number(s, "value", &v.value);
		state_number(s, "count", &v.count);
		if (!state_saves(s) && !state_failed(s) && of < n)
			load_few(s, at(context, (size_t)of), &v);
	}
}
