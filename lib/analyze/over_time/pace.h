/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How an amount moves during an interval: up to time x, floor(amount * (x - start) / duration) of
 * it has moved.
 */
#ifndef LIB_ANALYZE_OVER_TIME_PACE_H
#define LIB_ANALYZE_OVER_TIME_PACE_H

#include "cells.h"

/* Returns the amount that has moved at a time. */
static inline uint64_t moved_until(const struct cells_request *q, uint64_t ns)
{
	const uint64_t duration = q->end_ns - q->start_ns + 1, passed = ns - q->start_ns;
	uint64_t product;
	if (!__builtin_mul_overflow(q->length, passed, &product))
		return product / duration;
	return (uint64_t)((uint128)q->length * passed / duration);
}

/* The amount that moves until the start of a bin, and in each of the following bins. */
struct pace {
	uint64_t moved, rest, step, step_rest; /* rest: of the division by the duration */
	uint64_t duration;
};

static inline uint64_t pace_divide(uint64_t a, uint64_t b, uint64_t by, uint64_t *rest)
{
	const uint128 product = (uint128)a * b;
	const uint64_t quotient =
	    product <= UINT64_MAX ? (uint64_t)product / by : (uint64_t)(product / by);
	*rest = (uint64_t)product - quotient * by;
	return quotient;
}

/* For bins of one width, and a bin after the first bin of the request. */
static inline struct pace pace_from(const struct cells_request *q, int64_t bin, int k)
{
	const uint64_t ns = cells_start(bin, k), width = cells_start(bin + 1, k) - ns;
	struct pace p = {.duration = q->end_ns - q->start_ns + 1};
	p.moved = pace_divide(q->length, ns - q->start_ns, p.duration, &p.rest);
	p.step = pace_divide(q->length, width, p.duration, &p.step_rest);
	return p;
}

/* Returns the amount of the next bin: the difference of moved_until(), without a division. */
static inline uint64_t pace_next(struct pace *p)
{
	const uint64_t missing = p->duration - p->rest;
	const bool carry = p->step_rest >= missing;
	p->rest = carry ? p->step_rest - missing : p->rest + p->step_rest;
	p->moved += p->step + carry;
	return p->step + carry;
}

/* Takes back the last pace_next(), and returns the same. */
static inline uint64_t pace_back(struct pace *p)
{
	const bool carry = p->rest < p->step_rest;
	p->rest = carry ? p->rest + (p->duration - p->step_rest) : p->rest - p->step_rest;
	p->moved -= p->step + carry;
	return p->step + carry;
}

#endif
