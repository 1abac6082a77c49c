/* SPDX-License-Identifier: BSD-2-Clause */
#include "joint.h"

#include <string.h>

static void add_cell(struct joint_cell *to, const struct joint_cell *more)
{
	to->files += more->files;
	to->bytes += more->bytes;
}

void joint_join(struct joint_table *t, const struct joint_table *more)
{
	for (size_t i = 0; i < JOINT_CELLS; i++)
		add_cell(&t->cell[i], &more->cell[i]);
}

/* Merging */

/* The sizes of a group, which have at least min files together. */
struct size_group {
	unsigned from, to;
	struct joint_cell age[JOINT_AGES];
	uint64_t files;
};

/* Returns whether a size has files. */
static bool add_size(struct size_group *g, const struct joint_table *t, unsigned size)
{
	const uint64_t before = g->files;
	for (unsigned i = 0; i < JOINT_AGES; i++) {
		add_cell(&g->age[i], &t->cell[size * JOINT_AGES + i]);
		g->files += t->cell[size * JOINT_AGES + i].files;
	}
	if (g->files == before)
		return false;
	g->from = before == 0 ? size : g->from;
	g->to = size;
	return true;
}

/* Returns whether there are at least min larger files, which can be a group of their own. */
static bool has_more(const struct joint_table *t, unsigned size, uint64_t min)
{
	uint64_t files = 0;
	for (size_t i = (size_t)(size + 1) * JOINT_AGES; i < JOINT_CELLS && files < min; i++)
		files += t->cell[i].files;
	return files >= min;
}

/* Appends the ranges of a group of sizes. */
static void list_ages(const struct size_group *g, uint64_t min, struct joint_ranges *to)
{
	const size_t first = to->count;
	struct joint_range r = {g->from, g->to, 0, 0, {0, 0}};
	bool begun = false;
	for (unsigned i = 0; i < JOINT_AGES; i++) {
		if (g->age[i].files == 0)
			continue;
		r.age_from = begun ? r.age_from : i;
		r.age_to = i;
		begun = true;
		add_cell(&r.sum, &g->age[i]);
		if (r.sum.files < min)
			continue;
		to->range[to->count++] = r;
		r.sum = (struct joint_cell){0, 0};
		begun = false;
	}
	if (begun && to->count > first) {
		to->range[to->count - 1].age_to = r.age_to;
		add_cell(&to->range[to->count - 1].sum, &r.sum);
	} else if (begun) {
		to->range[to->count++] = r;
	}
}

void joint_merge(const struct joint_table *t, uint64_t min, struct joint_ranges *to)
{
	struct size_group g = {0};
	min = min > 0 ? min : 1;
	to->count = 0;
	for (unsigned size = 0; size < JOINT_SIZES; size++) {
		if (!add_size(&g, t, size) || g.files < min || !has_more(t, size, min))
			continue;
		list_ages(&g, min, to);
		memset(&g, 0, sizeof g);
	}
	if (g.files > 0)
		list_ages(&g, min, to);
}

void joint_coarsen(struct joint_table *t, const struct joint_ranges *r)
{
	memset(t, 0, sizeof *t);
	for (size_t i = 0; i < r->count; i++)
		t->cell[r->range[i].size_from * JOINT_AGES + r->range[i].age_from] =
		    r->range[i].sum;
}
