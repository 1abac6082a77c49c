/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directories in which operations on names take place, and the files that truncate(2) empties,
 * which it names by their paths. Only the first PLACES_MAX of them are kept; with more, none is, so
 * that the result does not depend on the order in which parts are joined.
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
/*
 * Counts an %op in its directory; a readdir counts in the directory that it reads, and a truncation
 * of a path to nothing at that path.
 */
bool places_add(struct places *p, const struct op *op);
bool places_join(struct places *p, const struct places *part);
void places_state(struct state *s, struct places *p);
/* Returns the directory with most time in operations of this kind; NULL if it is unknown. */
const struct place *places_max(const struct places *p, enum operation_kind kind);
/* Returns how often operations truncated the file of this path to nothing. */
uint64_t places_truncations(const struct places *p, struct iot_text path);
void places_free(struct places *p);

#endif
