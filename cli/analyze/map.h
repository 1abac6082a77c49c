/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The criteria of section `map` of `iotrace analyze`: of one run, with columns for reads and
 * writes, or of several runs side by side.
 */
#ifndef CLI_ANALYZE_MAP_H
#define CLI_ANALYZE_MAP_H

#include "cli/ui/output.h"

#include "inputs.h"
#include "shown.h"

enum { ANALYZE_MAPS_MAX = 1024 };

struct map_value {
	struct iot_analyze_value value;
	char text[SHOWN_FIELD]; /* a copy of the text of the value */
};

struct analyze_map {
	char *name;
	uint64_t processes, bytes;
	struct map_value *values; /* by criterion */
	size_t count;
};

/* All zeros: none. */
struct analyze_maps {
	struct analyze_map *map;
	size_t count, capacity;
};

/* Prints the map of one run as text. */
void analyze_map_print_text(struct output *out, const struct iot_analyze *a);

/* Adds a run to the struct analyze_maps. Returns IOT_OK, IOT_ENOMEM or IOT_ELIMIT. */
int analyze_maps_add(void *maps, const struct analyze_job_of *run);
/* By number of processes, then bytes, then name. */
void analyze_maps_sort(struct analyze_maps *m);
/* Returns the value of a run, or NULL. */
const struct iot_analyze_value *analyze_map_find(const struct analyze_map *map,
						 const char *criterion, const char *key);
/* Returns whether any run has the value. */
bool analyze_maps_have(const struct analyze_maps *m, const char *criterion, const char *key);
/* Prints a column for each run as text. */
void analyze_maps_text(const struct analyze_maps *m, struct output *out);
void analyze_maps_free(struct analyze_maps *m);

#endif
