/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exact sums of the files that a sample leaves out, see sample.h: tables and totals add them to the
 * rows of the sample, so that no file is missing there, whatever its size.
 */
#ifndef LIB_ANALYZE_TABLES_FILE_SUMS_H
#define LIB_ANALYZE_TABLES_FILE_SUMS_H

#include <stddef.h>

#include "lib/analyze/row_sums.h"
#include "lib/base/idmap.h"

struct file_key;

enum { FILE_SUMS_LAYERS = 2 };

struct file_sum {
	struct row_sums sums;
	uint64_t extent; /* the highest end; only if `located` */
	bool located;
};

/* The same in two thirds of the memory: of calls without times only whether all are. */
struct file_sums_packed {
	uint64_t count[ROW_KINDS], ns[ROW_KINDS], bytes[2], extent;
	int64_t first_ns, last_ns;
	uint32_t opens, closes;
	bool has_time[ROW_KINDS], timed, located;
};

/* All zeros: empty. Files of a layer that has no requests have no element. */
struct file_sums {
	struct file_sums_map {
		struct idmap map; /* objects; (process, fileId) of files without an object */
		struct file_sums_packed *file[FILE_SUMS_LAYERS];
		size_t capacity[FILE_SUMS_LAYERS];
	} objects, streams;
};

/* These return false if out of memory. */
/* Adds the sums of a file in a layer. extent: ignored unless `located`. */
bool file_sums_add(struct file_sums *l, const struct file_key *key, unsigned layer,
		   const struct file_sum *more);
/* Returns the number of a file, which it keeps, among objects or other files; SIZE_MAX. */
size_t file_sums_number(struct file_sums *l, const struct file_key *key);
/* Loads the sums of a file, before they are added to. */
void file_sums_ahead(const struct file_sums *l, bool object, size_t number, unsigned layer);
/* Adds n requests of the file of a number, whose offsets and lengths have the unit 1 << shift. */
bool file_sums_add_records(struct file_sums *l, size_t number, unsigned layer,
			   const struct iot_event *ev, size_t n, unsigned shift);
bool file_sums_add_operation(struct file_sums *l, const struct file_key *key, unsigned layers,
			     const struct op *of);
bool file_sums_join(struct file_sums *l, const struct file_sums *more);

/* Returns whether file i of a map is used in a layer. */
bool file_sums_uses(const struct file_sums_map *m, unsigned layer, size_t i);
size_t file_sums_count(const struct file_sums *l);
/* The key and the sums of file i. Returns false if it is not used in the layer. */
bool file_sums_at(const struct file_sums *l, unsigned layer, size_t i, struct file_key *key,
		  struct file_sum *f);
/* Returns false if the file is not in it. */
bool file_sums_find(const struct file_sums *l, unsigned layer, const struct file_key *key,
		    struct file_sum *f);
/* Times then count from an earlier epoch. */
void file_sums_shift(struct file_sums *l, uint64_t by);
struct state;
void file_sums_state(struct state *s, struct file_sums *l);
void file_sums_free(struct file_sums *l);

#endif
