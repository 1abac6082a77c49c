/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The criteria of section `map` of `iotrace analyze`: of one run, with columns for reads and
 * writes, or of several runs side by side.
 */
#ifndef CLI_ANALYZE_MAP_H
#define CLI_ANALYZE_MAP_H

#include "inputs.h"
#include "table.h"

enum { ANALYZE_MAPS_MAX = 1024 };

struct analyze_map;

/* All zeros: none. */
struct analyze_maps {
	struct analyze_map *map;
	size_t count, capacity;
};

/* Prints the map of one run as text. */
void analyze_map_print_text(struct output *out, const struct iot_analyze *a);

/* Adds a run to the struct analyze_maps. Returns IOT_OK, IOT_ENOMEM or IOT_ELIMIT. */
int analyze_maps_add(void *maps, const struct analyze_job_of *run);
/* Prints a column for each run: by number of processes, then bytes, then name. */
void analyze_maps_print(struct analyze_maps *m, struct output *out, enum analyze_form form);
void analyze_maps_free(struct analyze_maps *m);

#endif
