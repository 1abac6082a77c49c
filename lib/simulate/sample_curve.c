/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample_curve.h"

#include <math.h>
#include <stdlib.h>

/* Student's t at 97.5 % with GROUPS - 1 degrees of freedom. */
#define T_LIMIT 2.365

/*
 * Keys that the sample lacks are referenced this much more often, while they are in use, than if
 * their references were spread evenly over them and over the trace. Measured.
 */
#define CONCENTRATION 4.0

/* The sample while sizes increase. */
struct part {
	const struct curve *curve;
	double missing; /* references, compared with their known number; negative: in excess */
	double use;     /* the share of references to one of the keys that are missing */
	double time;    /* references until a cache of this size has replaced all blocks */
	double misses;
	double missing_share; /* of the missing references: those that miss */
};

static double misses_at(const struct curve *c, size_t bin)
{
	return c->infinite + (bin < c->capacity ? c->bin[bin] : 0);
}

static struct part part_of(const struct curve *c, double rate, double references)
{
	const double missing = references - c->weight;
	return (struct part){.curve = c,
			     .missing = missing,
			     .use = CONCENTRATION * rate * fabs(missing) / references};
}

static void part_advance(struct part *p, size_t bin, double references)
{
	const double width = (double)(curve_end(bin) - (bin > 0 ? curve_end(bin - 1) : 0));
	p->missing_share = 1 / (1 + p->use * p->time);
	p->misses =
	    fmin(references, fmax(0, misses_at(p->curve, bin) + p->missing * p->missing_share));
	p->time += width * references / fmax(p->misses, 1);
}

static double variance_at(const struct curve *const group[SAMPLE_GROUPS], size_t bin)
{
	double sum = 0, squares = 0;
	for (size_t i = 0; i < SAMPLE_GROUPS; i++)
		sum += misses_at(group[i], bin);
	for (size_t i = 0; i < SAMPLE_GROUPS; i++) {
		const double difference = misses_at(group[i], bin) - sum / SAMPLE_GROUPS;
		squares += difference * difference;
	}
	return squares / (SAMPLE_GROUPS - 1) / SAMPLE_GROUPS;
}

/* Larger caches do not miss more. */
bool sample_curve_make(struct sample_curve *c, const struct curve *sample,
		       const struct curve *const group[SAMPLE_GROUPS], double rate,
		       double references)
{
	struct part p = part_of(sample, rate, references);
	double lowest = references;
	c->bins = sample->capacity + 1;
	c->largest = sample->largest;
	c->bin = malloc(c->bins * sizeof *c->bin);
	if (c->bin == NULL)
		return false;
	for (size_t i = 0; i < c->bins; i++) {
		part_advance(&p, i, references);
		lowest = fmin(lowest, p.misses);
		const double of_missing = p.missing * p.missing_share;
		c->bin[i] = (struct sample_point){
		    lowest,
		    sqrt(T_LIMIT * T_LIMIT * variance_at(group, i) + of_missing * of_missing),
		    p.missing_share};
	}
	return true;
}

struct sample_point sample_curve_at(const struct sample_curve *c, uint64_t capacity)
{
	if (capacity >= c->largest)
		return c->bin[c->bins - 1];
	size_t bin = curve_bin(capacity);
	bin += curve_end(bin) <= capacity;
	return c->bin[bin < c->bins ? bin : c->bins - 1];
}

void sample_curve_free(struct sample_curve *c)
{
	free(c->bin);
	*c = (struct sample_curve){.bin = NULL};
}
