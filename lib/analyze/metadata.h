/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations by name, their times, and the results of failed ones. */
#ifndef LIB_ANALYZE_METADATA_H
#define LIB_ANALYZE_METADATA_H

#include "lib/format/operation.h"

#include "values.h"

struct state;

enum { METADATA_MAX = 64, METADATA_GROUPS = 6 };

struct metadata_operation {
	uint64_t calls, failed;
	uint64_t timed, ns, min_ns, max_ns; /* min and max only if timed > 0 */
};

/*
 * Names in the order of their first use; not those that do not fit a key, or contain quotes. If
 * more than METADATA_MAX are used, the first ones in the order of bytes remain: a name that has
 * been dropped never returns, so the counts do not depend on how the calls are divided among parts.
 */
struct metadata_names {
	char name[METADATA_MAX][VALUE_KEY];
	struct metadata_operation of[METADATA_MAX]; /* by number of the name; of results, calls */
	size_t count;
	uint64_t other; /* uses of further names */
};

/* All zeros: empty. */
struct metadata {
	struct metadata_names names, results;
	struct metadata_operation all, kind[OPERATION_KINDS];
	uint64_t group[METADATA_GROUPS]; /* successful calls */
};

void metadata_add(struct metadata *m, const struct op *op);
/* Returns whether a name counts by itself: it fits a key, and contains no quotes. */
bool metadata_is_key(struct iot_text text);
/* Adds the part that follows. */
void metadata_join(struct metadata *m, const struct metadata *part);
/* files, requests: from the totals; ratios divide by them. */
void metadata_state(struct state *s, struct metadata *m);
/* counted: counters, which replace operations if there are none; NULL: none. */
struct counters_totals;
/* opens: successful ones; lacks: enum lack */
void metadata_values(const struct metadata *m, uint64_t opens, uint64_t lacks, uint64_t files,
		     uint64_t requests, const struct counters_totals *counted, struct values *v);

#endif
