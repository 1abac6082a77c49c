/* SPDX-License-Identifier: BSD-2-Clause */
/* Which jobs get the increase of a counter during an interval in which several of them ran. */
#ifndef CLI_MATCH_SHARES_H
#define CLI_MATCH_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum strategy { STRATEGY_WEIGHTED, STRATEGY_SIMPLE, STRATEGY_DISCARD, STRATEGY_DOUBLE, STRATEGIES };

/* A job during an interval. */
struct share {
	uint32_t job;                  /* orders ties */
	int64_t from_ns, to_ns;        /* the part of the interval in which it runs */
	uint64_t cpus;                 /* that the job has on the host; 0: unknown */
	bool runs_at_end;              /* of the interval */
	uint64_t weight;               /* set by shares_weigh() */
	uint64_t value, fraction_rank; /* set by shares_split() */
};

/*
 * Sorts the shares by job and sets their weights: the time in the interval, and if jobs overlap,
 * multiplied by the CPUs.
 */
void shares_weigh(struct share *s, size_t count);
/*
 * Splits a value. Weighted shares are rounded down; the largest fractions get the remainder, so
 * that the sum is the value.
 */
void shares_split(struct share *s, size_t count, enum strategy strategy, uint64_t value);
/* Returns by how much shares_split() can differ from the true value of a share. */
uint64_t share_bound(const struct share *s, size_t count, uint64_t value);

#endif
