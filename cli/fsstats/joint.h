/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A joint table: files and their bytes by class of size and class of age, which are the bins of the
 * histograms of sizes and of ages. Tables of disjoint sets of files add up exactly.
 */
#ifndef CLI_FSSTATS_JOINT_H
#define CLI_FSSTATS_JOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOINT_SIZES = 54, JOINT_AGES = 48, JOINT_CELLS = JOINT_SIZES * JOINT_AGES };

struct joint_cell {
	uint64_t files, bytes;
};

/* All zeros: empty. Cell of bins: bin of the size x JOINT_AGES + bin of the age. */
struct joint_table {
	struct joint_cell cell[JOINT_CELLS];
};

static inline void joint_add(struct joint_table *t, unsigned size_bin, unsigned age_bin,
			     uint64_t bytes)
{
	struct joint_cell *c = &t->cell[size_bin * JOINT_AGES + age_bin];
	c->files++;
	c->bytes += bytes;
}

void joint_join(struct joint_table *t, const struct joint_table *more);

/* A cell, or several adjacent ones that were merged; the bins are inclusive. */
struct joint_range {
	unsigned size_from, size_to, age_from, age_to;
	struct joint_cell sum;
};

struct joint_ranges {
	struct joint_range range[JOINT_CELLS];
	size_t count;
};

/*
 * Lists the cells that have files, by size, then by age. A cell with fewer than min files is merged
 * with older ones of its size, the last one with younger ones; if a size has fewer than min files
 * altogether, it is merged with the next larger size, the last one with the one before. So no range
 * has fewer files unless the table has.
 */
void joint_merge(const struct joint_table *t, uint64_t min, struct joint_ranges *to);
/* Replaces each merged range by its first cell, so that the table contains no smaller cells. */
void joint_coarsen(struct joint_table *t, const struct joint_ranges *r);

#endif
