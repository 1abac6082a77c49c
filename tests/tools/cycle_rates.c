/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Error rates of the detection of cycles: cycle_rates [SEEDS [BINS]]. Makes series without a period
 * and series of known period, prints how many of each kind have a period according to cycle_find,
 * within 5 % of the known one, for each seed, and fails if a seed misses a goal.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/over_time/cycles.h"

enum { BINS = 4096, BINS_MAX = 1 << 14, SEEDS = 4, SEEDS_MAX = 100, EACH = 12 };

struct bins {
	uint64_t at[BINS_MAX];
	size_t n;
	double scale; /* n / 4096: of numbers of bins */
	double period;
	uint64_t random;
};

/* splitmix64 */
static double uniform(struct bins *b)
{
	uint64_t z = b->random += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double normal(struct bins *b)
{
	const double size = sqrt(-2 * log(1 - uniform(b)));
	return size * cos(6.283185307179586 * uniform(b));
}

static void set(struct bins *b, size_t bin, double bytes)
{
	b->at[bin] = bytes > 0 ? (uint64_t)bytes : 0;
}

static void add_burst(struct bins *b, double from, double width, double bytes)
{
	const double first = floor(from + 0.5), end = first + floor(width + 0.5);
	for (double bin = first; bin < end; bin++)
		if (bin >= 0 && bin < (double)b->n)
			b->at[(size_t)bin] += (uint64_t)bytes;
}

static double some_bytes(struct bins *b)
{
	return 1e6 * (0.8 + 0.4 * uniform(b));
}

/* Series without a period */

struct made {
	const char *name;
	unsigned number;
	void (*make)(struct bins *b, const struct made *m);
	double a, b; /* parameters of make */
	unsigned goal;
};

/* a bursts of b bins at random times. */
static void poisson(struct bins *b, const struct made *m)
{
	const double width = m->b * b->scale;
	for (unsigned i = 0; i < m->a; i++) {
		const double from = uniform(b) * ((double)b->n - width);
		add_burst(b, from, width, some_bytes(b));
	}
}

static void noise(struct bins *b, const struct made *m)
{
	(void)m;
	for (size_t i = 0; i < b->n; i++)
		set(b, i, 1e6 + 3e5 * normal(b));
}

/* Each bin depends on its predecessor with factor a. */
static void persistent(struct bins *b, const struct made *m)
{
	double d = normal(b) / sqrt(1 - m->a * m->a);
	for (size_t i = 0; i < b->n; i++) {
		set(b, i, 1e6 * (5 + d));
		d = m->a * d + normal(b);
	}
}

/* Gaps of two exponential parts with mean a together. */
static void single_requests(struct bins *b, const struct made *m)
{
	const double part = m->a * b->scale / 2;
	for (double at = 0;;) {
		at -= part * (log(1 - uniform(b)) + log(1 - uniform(b)));
		if (at >= (double)b->n)
			return;
		add_burst(b, floor(at), 1, 1e6);
	}
}

static void start_and_end(struct bins *b, const struct made *m)
{
	(void)m;
	add_burst(b, 0, (40 + 20 * uniform(b)) * b->scale, some_bytes(b));
	add_burst(b, (double)b->n - 60 * b->scale, 60 * b->scale, some_bytes(b));
}

static void ramp(struct bins *b, const struct made *m)
{
	(void)m;
	for (size_t i = 0; i < b->n; i++)
		set(b, i, 1e3 * (double)i + 1e5 * uniform(b));
}

static void constant(struct bins *b, const struct made *m)
{
	(void)m;
	for (size_t i = 0; i < b->n; i++)
		set(b, i, 1e6);
}

static const struct made aperiodic[] = {
    {"24 bursts of 20 bins at random", 40, poisson, 24, 20, 0},
    {"8 bursts of 60 bins at random", 40, poisson, 8, 60, 0},
    {"100 bursts of 8 bins at random", 40, poisson, 100, 8, 0},
    {"normal noise", 40, noise, 0, 0, 0},
    {"autoregressive noise, 0.9", 40, persistent, 0.9, 0, 0},
    {"requests, gamma(2) gaps of 120", 40, single_requests, 120, 0, 0},
    {"start and end only", 5, start_and_end, 0, 0, 0},
    {"ramp", 5, ramp, 0, 0, 0},
    {"constant", 3, constant, 0, 0, 0},
};

/* Series with a period */

enum { PERIOD = 170, WIDTH = 20 };

/* Bursts at normal distances from an even grid, with deviation a of the period of b bins. */
static void off_grid(struct bins *b, const struct made *m)
{
	const double width = (m->b > PERIOD ? 60 : WIDTH) * b->scale;
	b->period = m->b * b->scale;
	const double phase = uniform(b) * (b->period - width);
	for (double at = phase; at < (double)b->n; at += b->period) {
		const double from = at + m->a * b->period * normal(b);
		add_burst(b, from, width, some_bytes(b));
	}
}

/* The distance is uniform, up to a of the period. */
static void off_grid_uniform(struct bins *b, const struct made *m)
{
	b->period = PERIOD * b->scale;
	const double phase = uniform(b) * (b->period - WIDTH * b->scale);
	for (double at = phase; at < (double)b->n; at += b->period) {
		const double from = at + m->a * b->period * (2 * uniform(b) - 1);
		add_burst(b, from, WIDTH * b->scale, some_bytes(b));
	}
}

/* Bursts at normal intervals, so that deviations add up. The period is their mean. */
static void varying_intervals(struct bins *b, const struct made *m)
{
	const double period = PERIOD * b->scale, phase = uniform(b) * period;
	double last = phase;
	unsigned intervals = 0;
	add_burst(b, last, WIDTH * b->scale, some_bytes(b));
	for (;; intervals++) {
		const double next = last + period * fmax(0.05, 1 + m->a * normal(b));
		if (next >= (double)b->n)
			break;
		add_burst(b, next, WIDTH * b->scale, some_bytes(b));
		last = next;
	}
	b->period = (last - phase) / intervals;
}

/* The second burst of a cycle follows the first after a of the period. */
static void two_bursts(struct bins *b, const struct made *m)
{
	b->period = PERIOD * b->scale;
	const double phase = uniform(b) * b->period / 2;
	for (double at = phase; at < (double)b->n; at += b->period)
		for (unsigned i = 0; i < 2; i++) {
			const double from =
			    at + i * m->a * b->period + 0.03 * b->period * normal(b);
			add_burst(b, from, m->b * b->scale, some_bytes(b));
		}
}

static void two_levels(struct bins *b, const struct made *m)
{
	(void)m;
	b->period = PERIOD * b->scale;
	const double phase = uniform(b) * b->period;
	for (size_t i = 0; i < b->n; i++) {
		const bool high = fmod((double)i + phase, b->period) < b->period / 2;
		set(b, i, (high ? 2e6 : 1e6) * (1 + 0.1 * normal(b)));
	}
}

static void noisy_sine(struct bins *b, const struct made *m)
{
	(void)m;
	b->period = PERIOD * b->scale;
	const double phase = uniform(b) * b->period;
	for (size_t i = 0; i < b->n; i++) {
		const double turns = ((double)i + phase) / b->period;
		set(b, i, 1e6 * (2 + sin(6.283185307179586 * turns) + 0.7 * normal(b)));
	}
}

static void high_ends(struct bins *b, const struct made *m)
{
	off_grid(b, m);
	add_burst(b, 0, 60 * b->scale, 1e7);
	add_burst(b, (double)b->n - 60 * b->scale, 60 * b->scale, 1e7);
}

static const struct made periodic[] = {
    {"bursts every 170 bins", EACH, off_grid, 0, PERIOD, 11},
    {"5 % off the grid, normal", EACH, off_grid, 0.05, PERIOD, 11},
    {"10 % off the grid, normal", EACH, off_grid, 0.1, PERIOD, 11},
    {"20 % off the grid, normal", EACH, off_grid, 0.2, PERIOD, 9},
    {"up to 10 % off the grid, uniform", EACH, off_grid_uniform, 0.1, 0, 11},
    {"up to 20 % off the grid, uniform", EACH, off_grid_uniform, 0.2, 0, 9},
    {"intervals vary by 5 %, normal", EACH, varying_intervals, 0.05, 0, 11},
    {"intervals vary by 10 %, normal", EACH, varying_intervals, 0.1, 0, 11},
    {"intervals vary by 20 %, normal", EACH, varying_intervals, 0.2, 0, 9},
    {"4 cycles, 3 % off the grid", EACH, off_grid, 0.03, 1024, 10},
    {"two bursts per cycle, at 0.2", EACH, two_bursts, 0.2, 15, 9},
    {"two bursts per cycle, at 1/3", EACH, two_bursts, 1.0 / 3, 15, 9},
    {"two bursts per cycle, at 0.4", EACH, two_bursts, 0.4, 15, 9},
    {"two bursts of 2 bins, at 1/3", EACH, two_bursts, 1.0 / 3, 2, 0},
    {"two levels, dense", EACH, two_levels, 0, 0, EACH},
    {"noisy sine", EACH, noisy_sine, 0, 0, EACH},
    {"start and end ten times as high", EACH, high_ends, 0.05, PERIOD, 11},
};

enum {
	APERIODIC = sizeof aperiodic / sizeof aperiodic[0],
	PERIODIC = sizeof periodic / sizeof periodic[0]
};

/* Returns the number of series with a period, for periodic series with one that is about right. */
static unsigned count_found(struct bins *b, const struct made *m, uint64_t seed)
{
	unsigned found = 0;
	struct cycle c;
	b->random = seed;
	for (unsigned i = 0; i < m->number; i++) {
		memset(b->at, 0, sizeof b->at);
		b->period = 0;
		m->make(b, m);
		if (!cycle_find(&c, b->at, b->n, UINT64_MAX)) {
			fprintf(stderr, "cycle_rates: out of memory\n");
			exit(2);
		}
		found += c.method != CYCLE_NONE &&
			 (b->period <= 0 || fabs(c.period / b->period - 1) <= 0.05);
	}
	return found;
}

struct sums {
	unsigned of[SEEDS_MAX], made;
};

static void print_row(struct bins *b, const struct made *m, uint64_t row, unsigned seeds,
		      struct sums *sums, struct sums *missed)
{
	unsigned sum = 0;
	printf("%-34s %4u ", m->name, m->number);
	for (unsigned seed = 0; seed < seeds; seed++) {
		const unsigned found = count_found(b, m, (seed + 1) * 1000003 + row * 7919);
		sum += found;
		sums->of[seed] += found;
		missed->of[seed] += found < m->goal;
		if (seed < 10)
			printf(" %3u", found);
	}
	sums->made += m->number;
	printf("  sum %u of %u", sum, m->number * seeds);
	if (m->goal > 0)
		printf(", goal >= %u", m->goal);
	printf("\n");
}

static unsigned number(const char *text, unsigned max)
{
	const unsigned long n = strtoul(text, NULL, 10);
	return n < 1 ? 1 : n > max ? max : (unsigned)n;
}

int main(int argc, char **argv)
{
	enum { GOAL = 3 };
	static struct bins b;
	static struct sums reported, found, missed;
	const unsigned seeds = argc > 1 ? number(argv[1], SEEDS_MAX) : SEEDS;
	unsigned sum = 0, failed = 0, max = 0;
	b.n = argc > 2 ? number(argv[2], BINS_MAX) : BINS;
	b.scale = (double)b.n / BINS;
	printf("series of %zu bins: those reported as periodic, by seed\n", b.n);
	for (unsigned i = 0; i < APERIODIC; i++)
		print_row(&b, &aperiodic[i], i, seeds, &reported, &missed);
	for (unsigned seed = 0; seed < seeds; seed++) {
		sum += reported.of[seed];
		max = reported.of[seed] > max ? reported.of[seed] : max;
		failed += reported.of[seed] > GOAL;
	}
	printf("without a period: %u of %u reported (%.2f %%), at most %u of %u with one seed, "
	       "goal <= %u\n\nperiodic series: those found within 5 %% of the period, by seed\n",
	       sum, reported.made * seeds, 100.0 * sum / (reported.made * seeds), max,
	       reported.made, GOAL);
	for (unsigned i = 0; i < PERIODIC; i++)
		print_row(&b, &periodic[i], APERIODIC + i, seeds, &found, &missed);
	for (unsigned seed = 0; seed < seeds; seed++)
		failed += missed.of[seed];
	printf("goals missed: %u\n", failed);
	return failed > 0;
}
