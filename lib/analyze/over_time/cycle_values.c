/* SPDX-License-Identifier: BSD-2-Clause */
#include "cycle_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/task_ring.h"
#include "lib/result/names.h"

#include "bursts.h"
#include "cycle_shape.h"
#include "cycles.h"

struct cycle_names {
	const char *period, *method, *correlation, *p, *dispersion, *cycles, *similarity, *duty,
	    *amount;
};

#define NAMES(prefix)                                                                              \
	{                                                                                          \
		prefix "period_s", prefix "period_method", prefix "correlation", prefix "p_value", \
		    prefix "dispersion", prefix "cycles", prefix "similarity",                     \
		    prefix "duty_share", prefix "cycle_amount"                                     \
	}

/* All bytes, bytes of reads, bytes of writes, and operations; their amounts are in this unit. */
enum { OF_BYTES, OF_READS, OF_WRITES, OF_OPERATIONS, SERIES };
static const struct cycle_names names[SERIES] = {NAMES(""), NAMES("read_"), NAMES("write_"),
						 NAMES("operation_")};
static const char *const units[SERIES] = {"bytes", "bytes", "bytes", ""};

enum { TYPES = 3 };
static const char *const types[TYPES] = {"read", "write", "read/write"};

struct cycle_run {
	struct view view;
	const struct series *series;
	uint64_t *bins; /* of the current series */
	uint64_t *all;  /* bins of all series, then bins of types */
	struct cycle of[SERIES], of_type[TYPES];
	uint64_t pairs[TYPES];
	struct values *v;
};

static void fill(struct cycle_run *r, unsigned series)
{
	const struct view *view = &r->view;
	r->bins = r->all + series * view->bins;
	for (size_t i = 0; i < view->bins && series != OF_OPERATIONS; i++)
		r->bins[i] =
		    series == OF_BYTES ? view_bytes(view, i) : view->bytes[i][series == OF_WRITES];
	if (series != OF_OPERATIONS)
		return;
	for (int64_t bin = r->series->first_bin; bin <= r->series->last_bin; bin++)
		r->bins[view_bin(view, bin, series_k(r->series)) - view->first] +=
		    series_at(r->series, bin)->operations;
}

static struct iot_text text_of(const char *word)
{
	return (struct iot_text){word, strlen(word)};
}

/* Whether there is a period, and the evidence. */
static void evidence(const struct cycle_run *r, unsigned series)
{
	static const char *const methods[] = {"none", "autocorrelation", "intervals"};
	const struct cycle *c = &r->of[series];
	const struct cycle_names *name = &names[series];
	if (c->method != CYCLE_NONE)
		values_real(r->v, name->period, NULL, "s", c->period * r->view.width_s);
	else
		values_unknown(r->v, name->period, NULL, "s", c->reason);
	values_text(r->v, name->method, NULL, text_of(methods[c->method]));
	values_ratio(r->v, name->correlation, NULL, "", c->correlation, c->correlation > 0 ? 1 : 0,
		     "the autocorrelation has no peak");
	values_ratio(r->v, name->p, NULL, "", c->is_significant ? 1 : 0,
		     c->is_significant ? CYCLE_SURROGATES + 1 : 0,
		     "not less than 0.01, or not computed");
	values_ratio(r->v, name->dispersion, NULL, "", c->dispersion, c->dispersion >= 0 ? 1 : 0,
		     "not computed");
}

static void unknown_shape(const struct cycle_run *r, unsigned series)
{
	static const char reason[] = "no period";
	const struct cycle_names *name = &names[series];
	values_unknown(r->v, name->cycles, NULL, "", reason);
	values_unknown(r->v, name->similarity, NULL, "", reason);
	values_unknown(r->v, name->duty, NULL, "", reason);
	values_unknown(r->v, name->amount, NULL, units[series], reason);
}

static void amount(const struct cycle_run *r, const char *name, const char *unit,
		   const struct cycle_amount *a)
{
	values_real(r->v, name, "mean", unit, a->mean);
	values_ratio(r->v, name, "cv", "", a->variation, a->mean > 0 ? 1 : 0, "the mean is 0");
}

/* In amounts per second. */
static void profile(const struct cycle_run *r, const struct cycle_shape *s)
{
	static const char *const of[3] = {"profile", "profile_low", "profile_high"};
	const double phase_s = r->of[OF_BYTES].period * r->view.width_s / CYCLE_PHASES;
	const double *const rows[3] = {s->mean, s->low, s->high};
	char key[VALUE_KEY];
	for (unsigned row = 0; row < 3; row++)
		for (unsigned i = 0; i < CYCLE_PHASES; i++)
			values_real(r->v, of[row], values_key(key, i), "bytes/s",
				    rows[row][i] / phase_s);
}

/* In a word: periodic, else bursty if a quarter of the bins is idle, else steady. */
static void temporal_pattern(const struct cycle_run *r)
{
	const struct cycle *c = &r->of[OF_BYTES];
	if (c->bursts == 0)
		values_unknown(r->v, NAME_OF(temporal_pattern), NULL, "", c->reason);
	else
		values_text(r->v, NAME_OF(temporal_pattern), NULL,
			    text_of(c->method != CYCLE_NONE ? "periodic"
				    : c->dense              ? "steady"
							    : "bursty"));
}

/* Requests have no series of their own: they count in the cycles of the bytes. */
static bool requests(struct cycle_run *r)
{
	struct cycle_amount a;
	for (size_t i = 0; i < r->view.bins; i++)
		r->bins[i] = view_sum(r->view.requests[i], EITHER);
	if (!cycle_amount_make(&a, r->bins, r->view.bins, &r->of[OF_BYTES].span))
		return false;
	amount(r, "cycle_requests", "", &a);
	return true;
}

static bool shape(struct cycle_run *r, unsigned series)
{
	const struct cycle_span *span = &r->of[series].span;
	const struct cycle_names *name = &names[series];
	struct cycle_shape s;
	struct cycle_amount a;
	if (!cycle_shape_make(&s, r->bins, r->view.bins, span) ||
	    !cycle_amount_make(&a, r->bins, r->view.bins, span))
		return false;
	values_number(r->v, name->cycles, NULL, "", s.cycles);
	values_real(r->v, name->similarity, NULL, "", s.similarity);
	values_ratio(r->v, name->duty, NULL, "", s.duty, isnan(s.duty) ? 0 : 1, "no cycle has any");
	amount(r, name->amount, units[series], &a);
	if (series != OF_BYTES)
		return true;
	profile(r, &s);
	return requests(r);
}

/* Requests of a series of bytes; operations, which are a series themselves. */
static uint64_t events_of(const struct cycle_run *r, unsigned series)
{
	static const unsigned directions[] = {
	    [OF_BYTES] = EITHER, [OF_READS] = READS, [OF_WRITES] = WRITES};
	uint64_t n = 0;
	for (size_t i = 0; i < r->view.bins; i++)
		n = saturate_add(n, series == OF_OPERATIONS
					? r->all[series * r->view.bins + i]
					: view_sum(r->view.requests[i], directions[series]));
	return n;
}

static bool add_series(struct cycle_run *r, unsigned series)
{
	r->bins = r->all + series * r->view.bins;
	evidence(r, series);
	if (r->of[series].method != CYCLE_NONE)
		return shape(r, series);
	unknown_shape(r, series);
	return true;
}

/* Pairs of bins at a distance that have the type. */
static uint64_t pairs_of(const uint64_t *indicator, size_t n, size_t distance)
{
	uint64_t pairs = 0;
	for (size_t i = distance; i < n; i++)
		pairs += indicator[i] & indicator[i - distance];
	return pairs;
}

/* Whether bins that one type dominates repeat. */
static void add_type(struct cycle_run *r, unsigned type)
{
	const struct cycle *c = &r->of_type[type];
	const uint64_t *bins = r->all + (SERIES + type) * r->view.bins;
	r->pairs[type] = pairs_of(bins, r->view.bins, (size_t)(c->period + 0.5));
	if (c->method != CYCLE_NONE)
		values_real(r->v, NAME_OF(type_period_s), types[type], "s",
			    c->period * r->view.width_s);
	else
		values_unknown(r->v, NAME_OF(type_period_s), types[type], "s", c->reason);
}

static void add_types(struct cycle_run *r)
{
	for (unsigned i = 0; i < TYPES; i++)
		add_type(r, i);
	for (unsigned i = 0; i < TYPES; i++)
		if (r->of_type[i].method != CYCLE_NONE)
			values_number(r->v, NAME_OF(type_pairs), types[i], "", r->pairs[i]);
		else
			values_unknown(r->v, NAME_OF(type_pairs), types[i], "", "no period");
}

static bool find(void *context, unsigned task, size_t slot)
{
	struct cycle_run *r = context;
	struct cycle *to = task < SERIES ? &r->of[task] : &r->of_type[task - SERIES];
	const uint64_t events = task < SERIES ? events_of(r, task) : UINT64_MAX;
	(void)slot;
	return cycle_find(to, r->all + task * r->view.bins, r->view.bins, events);
}

/* Each series on one of the threads. */
static bool find_all(struct cycle_run *r, uint64_t threads)
{
	const struct task_ring_options options = {find, r, SERIES + TYPES, 2};
	struct task_ring *ring = threads > 1 ? task_ring_new(&options, (size_t)threads - 1) : NULL;
	bool done = true;
	for (unsigned i = 0; i < SERIES + TYPES && ring == NULL && done; i++)
		done = find(r, i, 0);
	if (ring == NULL)
		return done;
	task_ring_publish(ring);
	task_ring_drain(ring);
	done = !task_ring_failed(ring);
	task_ring_free(ring);
	return done;
}

static void fill_all(struct cycle_run *r)
{
	for (unsigned i = 0; i < SERIES; i++)
		fill(r, i);
	for (unsigned type = 0; type < TYPES; type++)
		for (size_t i = 0; i < r->view.bins; i++)
			r->all[(SERIES + type) * r->view.bins + i] =
			    view_dominating(r->view.requests[i]) == type;
}

static bool add_all(struct cycle_run *r, uint64_t threads)
{
	values_real(r->v, NAME_OF(bin_width_s), NULL, "s", r->view.width_s);
	values_number(r->v, NAME_OF(bins), NULL, "", r->view.bins);
	fill_all(r);
	if (!find_all(r, threads))
		return false;
	for (unsigned i = 0; i < SERIES; i++)
		if (!add_series(r, i))
			return false;
	temporal_pattern(r);
	add_types(r);
	return true;
}

bool cycle_values(const struct view_source *from, uint64_t threads, struct values *v)
{
	struct cycle_run r = {.series = from->series, .v = v};
	v->section = SECTION_OF(cycles);
	if (!from->series->any)
		return true;
	bool done = view_make(&r.view, from, BURST_BINS_MAX);
	r.all = calloc(r.view.bins * (SERIES + TYPES), sizeof *r.all);
	done = done && r.all != NULL && add_all(&r, threads);
	free(r.all);
	view_free(&r.view);
	return done;
}
