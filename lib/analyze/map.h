/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The section `map`: the criteria of a study of I/O, in its order, from values of other sections.
 */
#ifndef LIB_ANALYZE_MAP_H
#define LIB_ANALYZE_MAP_H

#include "values.h"

enum { MAP_LAYERS = 2 };

struct map_source {
	uint64_t small;                   /* bytes of the largest small request */
	uint64_t requests[MAP_LAYERS][2]; /* of each layer: reads, writes */
};

/* After the values of all other sections but `findings`; values are named by their criterion. */
void map_values(const struct map_source *from, struct values *v);

#endif
