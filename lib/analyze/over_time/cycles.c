/* SPDX-License-Identifier: BSD-2-Clause */
#include "cycles.h"

#include <math.h>
#include <stdlib.h>

#include "autocorrelation.h"
#include "burst_runs.h"
#include "surrogates.h"

enum { BURSTS_MIN = 4, INTERVALS_ROBUST = 8, INTERVALS_MANY = 10, PERIOD_STEPS = 1 << 16 };

/* Peaks that are this high count; the period is the least lag whose peak is nearly the highest. */
static const double correlation_min = 0.3, fundamental_min = 0.8;
/* Dispersions up to which intervals are even. */
static const double even_max = 0.36, even_max_per_interval = 0.04, even_max_robust = 0.2;

struct cycle_search {
	const uint64_t *bins;
	size_t n;
	double *capped, *surrogate;
	double *work; /* of the autocorrelation, later for intervals */
	uint64_t *scratch;
	uint32_t *order;
	struct burst *bursts;
	size_t burst_count;
	bool dense;
	double per_event; /* bins from the first to the last burst, for each event */
	struct correlation found;
};

/* Bins of up to twice the median, so that bursts at the start and end do not dominate. */
static void cap(struct cycle_search *s)
{
	const uint64_t median = burst_runs_median(s->bins, s->n, s->scratch);
	const uint64_t limit = median > UINT64_MAX / 2 ? UINT64_MAX : 2 * median;
	double max = 0;
	size_t high = 0;
	for (size_t i = 0; i < s->n; i++) {
		s->capped[i] = (double)(s->bins[i] < limit ? s->bins[i] : limit);
		max = s->capped[i] > max ? s->capped[i] : max;
	}
	for (size_t i = 0; i < s->n; i++)
		high += s->capped[i] * 20 > max;
	s->dense = high * 4 > s->n * 3;
}

static void set_period(struct cycle *c, enum cycle_method method, double period)
{
	c->method = method;
	c->period = floor(period * PERIOD_STEPS + 0.5) / PERIOD_STEPS;
}

static const struct correlation_peak *min_lag(const struct correlation *found)
{
	const struct correlation_peak *shortest = NULL;
	for (size_t i = 0; i < found->count; i++) {
		const struct correlation_peak *p = &found->peaks[i];
		if (p->height >= fundamental_min * found->highest &&
		    (shortest == NULL || p->lag < shortest->lag))
			shortest = p;
	}
	return shortest;
}

/* Returns whether series without a period have no peak that is as high. */
static bool is_significant(struct cycle_search *s)
{
	struct surrogates of = {.bins = s->capped,
				.n = s->n,
				.bursts = s->bursts,
				.burst_count = s->burst_count,
				.dense = s->dense,
				.order = s->order,
				.cuts = s->scratch};
	surrogates_begin(&of);
	for (unsigned i = 0; i < CYCLE_SURROGATES; i++) {
		surrogates_next(&of, s->surrogate);
		if (correlation_reaches(s->surrogate, s->n, s->per_event / 2, s->work,
					s->found.highest))
			return false;
	}
	return true;
}

/* The bytes of a request may spread over bins that alternate: lags within it are no candidates. */
static void search_correlation(struct cycle_search *s, struct cycle *c)
{
	correlation_find(&s->found, s->capped, s->n, s->per_event / 2, s->work);
	c->correlation = s->found.highest;
	c->reason = "no peak of the autocorrelation reaches 0.3";
	if (c->correlation < correlation_min)
		return;
	c->is_significant = is_significant(s);
	c->reason = "the peak of the autocorrelation is not higher than by chance";
	if (c->is_significant)
		set_period(c, CYCLE_AUTOCORRELATION,
			   correlation_refine(min_lag(&s->found), s->capped, s->n, s->work));
}

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;
	return a < b ? -1 : a > b;
}

/* The lower median. */
static double median_of(double *values, size_t n)
{
	qsort(values, n, sizeof *values, by_value);
	return values[(n - 1) / 2];
}

static double mean_of(const double *values, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

static double variation_of(const double *values, size_t n, double mean)
{
	double squares = 0;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return sqrt(squares / (double)n) / mean;
}

/* Few intervals are even by chance, so they have to be more even. */
static bool are_even(size_t m, double variation)
{
	return variation <= even_max &&
	       (m >= INTERVALS_MANY || variation <= even_max_per_interval * (double)(m - 1));
}

/*
 * Leaves out intervals far from the median, such as where a burst is missing. Even intervals in
 * less than half of the time, such as between requests at the start, are not a period of the
 * series.
 */
static void search_robust_intervals(struct cycle_search *s, struct cycle *c, const double *interval,
				    size_t m)
{
	double *scratch = s->surrogate, sum = 0;
	size_t near = 0;
	for (size_t i = 0; i < m; i++)
		scratch[i] = interval[i];
	const double median = median_of(scratch, m);
	for (size_t i = 0; i < m; i++)
		scratch[i] = fabs(interval[i] - median);
	const double unit = 1.4826 * median_of(scratch, m);
	for (size_t i = 0; i < m; i++)
		if (fabs(interval[i] - median) <= 3 * unit + 1) {
			sum += interval[i];
			near++;
		}
	if (unit > even_max_robust * median || near * 4 < m * 3 || sum * 2 < (double)s->n)
		return;
	c->dispersion = unit / median;
	set_period(c, CYCLE_INTERVALS, sum / (double)near);
}

static void search_intervals(struct cycle_search *s, struct cycle *c)
{
	const size_t m = s->burst_count - 1;
	double *interval = s->work;
	for (size_t i = 0; i < m; i++)
		interval[i] = (double)(s->bursts[i + 1].begin - s->bursts[i].begin);
	const double mean = mean_of(interval, m);
	c->dispersion = variation_of(interval, m, mean);
	if (are_even(m, c->dispersion) && mean * (double)m * 2 >= (double)s->n)
		set_period(c, CYCLE_INTERVALS, mean);
	else if (m >= INTERVALS_ROBUST)
		search_robust_intervals(s, c, interval, m);
}

static double bins_per_event(const struct cycle_search *s, uint64_t events)
{
	const size_t span =
	    s->dense ? s->n : s->bursts[s->burst_count - 1].end - s->bursts[0].begin;
	return (double)span / (double)events;
}

/* With a burst in each cycle, their mean distance is more precise than a peak at few cycles. */
static void refine_by_bursts(const struct cycle_search *s, struct cycle *c)
{
	const size_t m = s->burst_count - 1;
	for (size_t i = 0; i < m; i++) {
		const double interval = (double)(s->bursts[i + 1].begin - s->bursts[i].begin);
		if (fabs(interval - c->period) > c->period / 4)
			return;
	}
	set_period(c, c->method, (double)(s->bursts[m].begin - s->bursts[0].begin) / (double)m);
}

static void finish_correlation(const struct cycle_search *s, struct cycle *c)
{
	if (!s->dense && s->burst_count >= BURSTS_MIN)
		refine_by_bursts(s, c);
	c->reason = "fewer requests than cycles";
	if (c->period < s->per_event)
		c->method = CYCLE_NONE;
}

static void search(struct cycle_search *s, struct cycle *c, uint64_t events)
{
	cap(s);
	s->burst_count = burst_runs_find(s->bins, s->n, s->scratch, s->bursts);
	c->dense = s->dense;
	c->bursts = s->burst_count;
	c->reason = "nothing in any bin";
	if (s->burst_count == 0)
		return;
	c->reason = "fewer than 4 bursts";
	if (!s->dense && s->burst_count < BURSTS_MIN)
		return;
	s->per_event = bins_per_event(s, events);
	search_correlation(s, c);
	s->burst_count = burst_runs_trim(s->bins, s->bursts, s->burst_count, s->scratch);
	if (c->method != CYCLE_NONE)
		finish_correlation(s, c);
	if (c->method != CYCLE_NONE || s->dense)
		return;
	c->reason = "fewer requests than bursts";
	if (events < c->bursts)
		return;
	c->reason = "no high peak of the autocorrelation, and no even intervals between bursts";
	if (s->burst_count >= BURSTS_MIN)
		search_intervals(s, c);
}

bool cycle_find(struct cycle *c, const uint64_t *bins, size_t n, uint64_t events)
{
	*c = (struct cycle){.reason = "fewer than 48 bins", .dispersion = -1};
	if (n < CYCLE_BINS_MIN)
		return true;
	struct cycle_search s = {.bins = bins,
				 .n = n,
				 .capped = calloc(n, sizeof *s.capped),
				 .surrogate = calloc(n, sizeof *s.surrogate),
				 .work = calloc(2 * (n + CORRELATION_LAGS), sizeof *s.work),
				 .scratch = calloc(n, sizeof *s.scratch),
				 .order = calloc(n, sizeof *s.order),
				 .bursts = calloc(n, sizeof *s.bursts)};
	const bool done = s.capped != NULL && s.surrogate != NULL && s.work != NULL &&
			  s.scratch != NULL && s.order != NULL && s.bursts != NULL;
	if (done)
		search(&s, c, events);
	if (done && c->method != CYCLE_NONE)
		c->span = s.dense
			      ? cycle_span_of_all(n, c->period)
			      : cycle_span_of_bursts(s.bursts, s.burst_count, c->period, s.scratch);
	free(s.capped);
	free(s.surrogate);
	free(s.work);
	free(s.scratch);
	free(s.order);
	free(s.bursts);
	return done;
}
