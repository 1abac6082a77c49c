/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time that samples of each host cover: the union of their intervals. It depends on the
 * intervals alone, not on their order, so parts of a trace join exactly.
 */
#ifndef LIB_ANALYZE_HOSTS_COVERAGE_H
#define LIB_ANALYZE_HOSTS_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct state;

enum { COVERAGE_MAX = 1 << 20 /* intervals; the hole before a further one counts as covered */ };

struct coverage_interval {
	uint64_t from_ns, to_ns; /* since 1970 */
};

struct coverage {
	struct coverage_host {
		struct coverage_interval *of; /* in order, with holes between them */
		size_t count, capacity;
	} * host;
	size_t hosts, capacity;
	size_t intervals; /* of all hosts */
};

/* These return false if out of memory. */
bool coverage_add(struct coverage *c, size_t host, struct coverage_interval more);
/* Adds a part whose hosts have these numbers in c. */
bool coverage_join(struct coverage *c, const struct coverage *part, const uint32_t *host);
/*
 * Stores the time that hosts cover, summed over all hosts, of each of n > 0 bins, which begin at
 * edge[0] to edge[n - 1]; the last one ends at edge[n].
 */
bool coverage_sum(const struct coverage *c, const uint64_t *edge, size_t n, uint64_t *ns);
/* The intervals of hosts 0 to hosts - 1. */
void coverage_state(struct state *s, const char *table, struct coverage *c, size_t hosts);
/* The time that any interval of a host covers, of all hosts. */
uint64_t coverage_total(const struct coverage *c);
void coverage_free(struct coverage *c);

#endif
