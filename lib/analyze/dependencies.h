/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a process transfers bytes that it used last itself, or another process: for reads after
 * writes, overwrites, and writes after reads. Needs all requests in their order, so it is known of
 * whole traces only.
 */
#ifndef LIB_ANALYZE_DEPENDENCIES_H
#define LIB_ANALYZE_DEPENDENCIES_H

#include "owner_map.h"
#include "requests.h"
#include "values.h"

/* All zeros: no request. */
struct dependencies {
	struct owner_maps maps;
	struct owner_map *files;
	size_t capacity;
	/* bytes of reads and of writes; see struct owner_change */
	uint64_t bytes[2][OWNER_USES][2];
	bool unordered; /* traces without a common order of requests were added */
};

/* The requests in the order of the trace. Returns false if out of memory. */
bool dependencies_add(struct dependencies *d, const struct io_spans *spans);
/* Values of section `reuse`. */
void dependencies_values(const struct dependencies *d, struct values *v);
void dependencies_free(struct dependencies *d);

#endif
