/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directories in which operations on names take place. Only the directories of the first
 * PLACES_MAX names are kept; with more, none is, so that the result does not depend on the order in
 * which parts are joined.
 */
#ifndef LIB_ANALYZE_PLACES_H
#define LIB_ANALYZE_PLACES_H

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"
#include "lib/format/operation.h"

struct state;

enum { PLACES_MAX = 4096, PLACE_PATH_MAX = 4096 };

struct place {
	char *path; /* percent-encoded */
	size_t size;
	uint64_t calls[OPERATION_KINDS], ns[OPERATION_KINDS];
};

/* All zeros: empty. */
struct places {
	struct idmap map; /* hashes of paths */
	struct place *place;
	size_t count, capacity;
	bool full; /* more than PLACES_MAX: nothing is kept */
};

/* These return false if out of memory. */
/* Counts an %op in its directory; a readdir counts in the directory that it reads. */
bool places_add(struct places *p, const struct op *op);
bool places_join(struct places *p, const struct places *part);
void places_state(struct state *s, struct places *p);
/* Returns the directory with most time in operations of this kind; NULL if it is unknown. */
const struct place *places_max(const struct places *p, enum operation_kind kind);
void places_free(struct places *p);

#endif
