/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations by name, their times, and the results of failed ones. */
#ifndef LIB_ANALYZE_METADATA_H
#define LIB_ANALYZE_METADATA_H

#include "lib/format/operation.h"

#include "values.h"

struct state;

enum { METADATA_MAX = 64, METADATA_GROUPS = 6 };

/* Names in the order of their first use; not those that do not fit a key, or contain quotes. */
struct metadata_names {
	char name[METADATA_MAX][VALUE_KEY];
	size_t count;
	uint64_t other; /* uses of further names */
};

struct metadata_operation {
	uint64_t calls, failed;
	uint64_t timed, ns, min_ns, max_ns; /* min and max only if timed > 0 */
};

/* All zeros: empty. */
struct metadata {
	struct metadata_names names, results;
	struct metadata_operation operation[METADATA_MAX]; /* by number of the name */
	uint64_t errors[METADATA_MAX];                     /* by number of the result */
	struct metadata_operation all, kind[OPERATION_KINDS];
	uint64_t group[METADATA_GROUPS]; /* successful calls */
	bool inexact;                    /* a part counted names as others that the whole knows */
};

void metadata_add(struct metadata *m, const struct op *op);
/* Whether a name counts by itself: it fits a key, and contains no quotes. */
bool metadata_is_key(struct iot_text text);
/* Adds the part that follows. */
void metadata_join(struct metadata *m, const struct metadata *part);
/* files, requests: from the totals; ratios divide by them. */
void metadata_state(struct state *s, struct metadata *m);
/* counted: counters, which replace operations if there are none; NULL: none. */
struct counters_totals;
/* opens: successful ones */
void metadata_values(const struct metadata *m, uint64_t opens, uint64_t files, uint64_t requests,
		     const struct counters_totals *counted, struct values *v);

#endif
