/* SPDX-License-Identifier: BSD-2-Clause */
#include "autocorrelation.h"

static const double narrow_min = 0.5;
enum { GROUP = 12 /* lags per pass over the bins */, SMOOTHED = CORRELATION_LAGS - 2, LAGS = 32 };

/* Replaces bins by their sums of two; returns their number. */
static size_t halve(double *sums, size_t n)
{
	for (size_t i = 0; i < n / 2; i++)
		sums[i] = sums[2 * i] + sums[2 * i + 1];
	return n / 2;
}

/* Sums of products at lags from `first` on. Zeros follow the n values. */
static void sum_products(double sum[GROUP], const double *of, size_t n, size_t first)
{
	double s[GROUP] = {0};
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < GROUP; k++)
			s[k] += of[i] * of[i + first + k];
	for (size_t k = 0; k < GROUP; k++)
		sum[k] = s[k];
}

/* Differences from the mean, and zeros after them. */
static void subtract_mean(double *to, const double *from, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += from[i];
	const double mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		to[i] = from[i] - mean;
	for (size_t i = n; i < n + CORRELATION_LAGS; i++)
		to[i] = 0;
}

/* Returns false if all values are equal. */
static bool correlate(double r[CORRELATION_LAGS], const double *from, size_t n, double *differences)
{
	subtract_mean(differences, from, n);
	for (size_t k = 0; k < CORRELATION_LAGS; k += GROUP)
		sum_products(r + k, differences, n, k);
	const double variance = r[0];
	if (!(variance > 0))
		return false;
	for (size_t k = 0; k < CORRELATION_LAGS; k++)
		r[k] = r[k] / variance * ((double)n / (double)(n - k));
	return true;
}

static void smooth_lags(double s[CORRELATION_LAGS], const double r[CORRELATION_LAGS])
{
	s[0] = r[0];
	s[1] = r[1];
	for (size_t k = 2; k < SMOOTHED; k++)
		s[k] = (r[k - 2] + 2 * r[k - 1] + 3 * r[k] + 2 * r[k + 1] + r[k + 2]) / 9;
	s[SMOOTHED] = s[SMOOTHED + 1] = 0;
}

/* The position of the vertex of a parabola through three values, from the middle one. */
static double vertex(double left, double middle, double right)
{
	const double bend = left - 2 * middle + right;
	return bend < 0 ? (left - right) / (2 * bend) : 0;
}

static void begin(struct correlation *c, double shortest)
{
	c->count = 0;
	c->highest = 0;
	c->shortest = shortest;
}

static void add_peak(struct correlation *c, const double *r, size_t k, unsigned octave, bool narrow)
{
	const double lag =
	    ((double)k + vertex(r[k - 1], r[k], r[k + 1])) * (double)((size_t)1 << octave);
	if (c->count == CORRELATION_PEAKS || lag < c->shortest)
		return;
	c->peaks[c->count++] = (struct correlation_peak){
	    .lag = lag, .height = r[k], .octave = octave, .narrow = narrow};
}

/* Peaks after the correlation has fallen to 0 for the first time. */
static void add_peaks(struct correlation *c, const double *r, size_t n, unsigned octave,
		      bool narrow)
{
	const double min = narrow ? narrow_min : 0;
	const size_t first = octave == 0 ? 4 : 8;
	size_t k = 2;
	while (k < LAGS && r[k] > 0)
		k++;
	for (k = k + 1 > first ? k + 1 : first; k < LAGS && 3 * k < n; k++)
		if (r[k - 1] < r[k] && r[k] >= r[k + 1] && r[k] > min)
			add_peak(c, r, k, octave, narrow);
}

static void set_highest(struct correlation *c)
{
	for (size_t i = 0; i < c->count; i++)
		c->highest = c->peaks[i].height > c->highest ? c->peaks[i].height : c->highest;
}

/* At widths of which there are at most bins_max bins, until a peak is high enough. */
static void find(struct correlation *c, const double *bins, size_t n, double *scratch,
		 size_t bins_max, double enough)
{
	double *sums = scratch, *differences = scratch + n + CORRELATION_LAGS;
	double r[CORRELATION_LAGS], s[CORRELATION_LAGS];
	for (size_t i = 0; i < n; i++)
		sums[i] = bins[i];
	for (unsigned octave = 0; n >= CORRELATION_BINS_MIN && c->highest < enough; octave++) {
		if (n <= bins_max && correlate(r, sums, n, differences)) {
			smooth_lags(s, r);
			add_peaks(c, s, n, octave, false);
			set_highest(c);
		}
		n = halve(sums, n);
	}
}

/* Smoothing makes peaks of a bin in a short period low. */
static void add_narrow_peaks(struct correlation *c, const double *bins, size_t n, double *scratch)
{
	double r[CORRELATION_LAGS];
	if (n >= CORRELATION_BINS_MIN && correlate(r, bins, n, scratch))
		add_peaks(c, r, n, 0, true);
}

void correlation_find(struct correlation *c, const double *bins, size_t n, double shortest,
		      double *scratch)
{
	begin(c, shortest);
	find(c, bins, n, scratch, n, 1e300);
	add_narrow_peaks(c, bins, n, scratch);
}

bool correlation_reaches(const double *bins, size_t n, double shortest, double *scratch,
			 double height)
{
	struct correlation c;
	begin(&c, shortest);
	find(&c, bins, n, scratch, CORRELATION_CHANCE_BINS, height);
	return c.highest >= height;
}

/* Returns the autocorrelation of n differences from the mean, at one lag, relative to lag 0. */
static double correlation_at(const double *differences, size_t n, size_t lag, double variance)
{
	double sum = 0;
	for (size_t i = lag; i < n; i++)
		sum += differences[i - lag] * differences[i];
	return sum / variance * ((double)n / (double)(n - lag));
}

/* The highest correlation near a lag, as the peak has it; stores the lag of its vertex. */
static double highest_near(const struct correlation_peak *peak, const double *differences, size_t n,
			   double near, double tolerance, double *lag)
{
	const size_t from = (size_t)(near - tolerance), count = (size_t)(near + tolerance) - from;
	double r[CORRELATION_LAGS] = {0}, s[CORRELATION_LAGS], variance = 0;
	size_t best = 3;
	for (size_t i = 0; i < n; i++)
		variance += differences[i] * differences[i];
	/* r[3] is at lag `from` */
	for (size_t k = 0; k <= count + 6; k++)
		r[k] = correlation_at(differences, n, from + k - 3, variance);
	smooth_lags(s, r);
	const double *of = peak->narrow ? r : s;
	for (size_t k = 3; k <= count + 3; k++)
		best = of[k] > of[best] ? k : best;
	*lag = (double)(from + best - 3) + vertex(of[best - 1], of[best], of[best + 1]);
	return of[best];
}

double correlation_refine(const struct correlation_peak *peak, const double *bins, size_t n,
			  double *scratch)
{
	double *sums = scratch, *differences = scratch + n + CORRELATION_LAGS, lag;
	double period = peak->lag / (double)((size_t)1 << peak->octave);
	for (size_t i = 0; i < n; i++)
		sums[i] = bins[i];
	for (unsigned i = 0; i < peak->octave; i++)
		n = halve(sums, n);
	subtract_mean(differences, sums, n);
	for (size_t times = 2; (double)(3 * times) * period < (double)n; times *= 2) {
		if (highest_near(peak, differences, n, (double)times * period, period / 4, &lag) <
		    peak->height / 2)
			break;
		period = lag / (double)times;
	}
	return period * (double)((size_t)1 << peak->octave);
}
