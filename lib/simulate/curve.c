/* SPDX-License-Identifier: BSD-2-Clause */
#include "curve.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

bool curve_add(struct curve *c, uint64_t distance, double weight)
{
	const size_t bin = curve_bin(distance);
	if (!array_reserve_index(&c->bin, &c->capacity, bin, sizeof *c->bin))
		return false;
	c->bin[bin] += weight;
	c->largest = distance > c->largest ? distance : c->largest;
	c->weight += weight;
	return true;
}

void curve_add_infinite(struct curve *c, double weight)
{
	c->infinite += weight;
	c->weight += weight;
}

void curve_finish(struct curve *c)
{
	double sum = 0;
	for (size_t i = c->capacity; i-- > 0;)
		c->bin[i] = sum += c->bin[i];
}

/* A bin that the capacity does not reach the end of misses as a whole, except the last one. */
double curve_misses(const struct curve *c, uint64_t capacity)
{
	if (capacity == 0)
		return c->weight;
	if (capacity >= c->largest)
		return c->infinite;
	size_t bin = curve_bin(capacity);
	bin += curve_end(bin) <= capacity;
	return c->infinite + (bin < c->capacity ? c->bin[bin] : 0);
}

void curve_free(struct curve *c)
{
	free(c->bin);
	memset(c, 0, sizeof *c);
}
