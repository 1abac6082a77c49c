/* SPDX-License-Identifier: BSD-2-Clause */
#include "owner_map.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "saturate.h"

struct owner_node {
	struct owner_range range;
	uint32_t left, right, priority; /* left: also the next free node */
};

/* Nodes */

/* splitmix64: the shape of the tree does not depend on the data. */
static uint32_t next_priority(struct owner_maps *all)
{
	uint64_t z = all->seed += 0x9e3779b97f4a7c15U;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return (uint32_t)(z >> 32);
}

/* Returns 0 if out of memory. */
static uint32_t new_node(struct owner_maps *all, const struct owner_range *range)
{
	uint32_t n = all->free;
	if (n != 0) {
		all->free = all->nodes[n].left;
	} else {
		if (!array_reserve(&all->nodes, &all->capacity, all->count + 2, sizeof *all->nodes))
			return 0;
		n = (uint32_t)++all->count;
	}
	all->nodes[n] = (struct owner_node){.range = *range, .priority = next_priority(all)};
	all->ranges++;
	return n;
}

static void free_node(struct owner_maps *all, uint32_t n)
{
	all->nodes[n].left = all->free;
	all->free = n;
	all->ranges--;
}

/* Trees; 0 is an empty one */

/* Ranges that begin before `at`, and the others. */
static void split(struct owner_maps *all, uint32_t root, uint64_t at, uint32_t *low, uint32_t *high)
{
	struct owner_node *n = root != 0 ? &all->nodes[root] : NULL;
	if (n == NULL) {
		*low = *high = 0;
	} else if (n->range.begin < at) {
		*low = root;
		split(all, n->right, at, &n->right, high);
	} else {
		*high = root;
		split(all, n->left, at, low, &n->left);
	}
}

static uint32_t merge(struct owner_maps *all, uint32_t low, uint32_t high)
{
	if (low == 0 || high == 0)
		return low + high;
	if (all->nodes[low].priority > all->nodes[high].priority) {
		all->nodes[low].right = merge(all, all->nodes[low].right, high);
		return low;
	}
	all->nodes[high].left = merge(all, low, all->nodes[high].left);
	return high;
}

static const struct owner_range *last_range(const struct owner_maps *all, uint32_t root)
{
	while (root != 0 && all->nodes[root].right != 0)
		root = all->nodes[root].right;
	return root != 0 ? &all->nodes[root].range : NULL;
}

/* Appends the ranges of a tree to `before`, and frees its nodes. */
static bool flatten(struct owner_maps *all, uint32_t root, size_t *count)
{
	if (root == 0)
		return true;
	const struct owner_node n = all->nodes[root];
	if (!flatten(all, n.left, count) ||
	    !array_reserve(&all->before, &all->before_capacity, *count + 1, sizeof *all->before))
		return false;
	all->before[(*count)++] = n.range;
	free_node(all, root);
	return flatten(all, n.right, count);
}

/* Changes */

/* Moves the ranges that touch [begin, end] from a tree to `before`, in their order. */
static bool take_ranges(struct owner_maps *all, const struct owner_range *c, uint32_t *low,
			uint32_t *high, size_t *count)
{
	uint32_t root = *low, middle, first = 0;
	split(all, root, c->begin, low, &middle);
	const struct owner_range *last = last_range(all, *low);
	if (last != NULL && last->end >= c->begin)
		split(all, *low, last->begin, low, &first);
	if (c->end < UINT64_MAX)
		split(all, middle, c->end + 1, &middle, high);
	else
		*high = 0;
	*count = 0;
	return flatten(all, first, count) && flatten(all, middle, count);
}

/* Appends a range to `after`, or extends its last one if that is alike. */
static void emit(struct owner_maps *all, size_t *count, const struct owner_range *range)
{
	struct owner_range *last = *count > 0 ? &all->after[*count - 1] : NULL;
	if (range->begin >= range->end)
		return;
	if (last != NULL && last->end == range->begin && last->process == range->process &&
	    last->use == range->use)
		last->end = range->end;
	else
		all->after[(*count)++] = *range;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Returns a range as it is after a read. */
static struct owner_range read_range(const struct owner_change *c, struct owner_range range)
{
	if (range.use == OWNER_READ)
		range.process = c->to.process;
	else
		range.use = OWNER_WRITTEN_READ;
	return range;
}

/* Bytes of the change without a range before it. */
static bool change_gap(struct owner_maps *all, const struct owner_change *c, size_t *count,
		       uint64_t begin, uint64_t end)
{
	struct owner_range own = c->to;
	own.begin = begin;
	own.end = end;
	if (begin >= end)
		return true;
	if (!c->write && !c->keeps_gaps)
		emit(all, count, &own);
	return c->gap == NULL || c->gap(c->context, begin, end);
}

/* The bytes of a range that are within the change. */
static bool change_inside(struct owner_maps *all, const struct owner_change *c, size_t *count,
			  const struct owner_range *inside)
{
	const struct owner_range read = read_range(c, *inside);
	if (!c->write)
		emit(all, count, &read);
	return c->counts == NULL || c->counts(c->context, inside, inside->end - inside->begin);
}

/* Stores in `after` what the change makes of the ranges `before`, and their number. */
static bool change_ranges(struct owner_maps *all, const struct owner_change *c, size_t before,
			  size_t *count)
{
	const struct owner_range *to = &c->to;
	struct owner_range tail = {.begin = 0};
	uint64_t at = to->begin; /* the bytes before it are done */
	*count = 0;
	for (size_t i = 0; i < before; i++) {
		struct owner_range inside = all->before[i], head = inside;
		head.end = min(head.end, to->begin);
		emit(all, count, &head);
		tail = inside;
		tail.begin = max(tail.begin, to->end);
		inside.begin = max(inside.begin, to->begin);
		inside.end = min(inside.end, to->end);
		if (inside.begin >= inside.end)
			continue;
		if (!change_gap(all, c, count, at, inside.begin) ||
		    !change_inside(all, c, count, &inside))
			return false;
		at = inside.end;
	}
	if (!change_gap(all, c, count, at, to->end))
		return false;
	if (c->write)
		emit(all, count, to);
	emit(all, count, &tail);
	return true;
}

static void limit(struct owner_maps *all, size_t visited)
{
	all->visits += visited;
	all->changes++;
	all->limited |= all->ranges > OWNER_RANGES_MAX ||
			all->visits / OWNER_VISITS_PER_CHANGE >
			    OWNER_VISITS_MAX / OWNER_VISITS_PER_CHANGE + all->changes;
}

bool owner_map_change(struct owner_maps *all, struct owner_map *m, const struct owner_change *c)
{
	uint32_t low = m->root, high = 0, middle = 0;
	size_t before, after;
	if (c->to.begin >= c->to.end || all->limited)
		return true;
	if (!take_ranges(all, &c->to, &low, &high, &before) ||
	    !array_reserve(&all->after, &all->after_capacity, 2 * before + 2, sizeof *all->after) ||
	    !change_ranges(all, c, before, &after))
		return false;
	for (size_t i = 0; i < after; i++) {
		const uint32_t n = new_node(all, &all->after[i]);
		if (n == 0)
			return false;
		middle = merge(all, middle, n);
	}
	m->root = merge(all, merge(all, low, middle), high);
	limit(all, before);
	return true;
}

static bool list_tree(const struct owner_maps *all, uint32_t root, struct owner_range **list,
		      size_t *capacity, size_t *count)
{
	if (root == 0)
		return true;
	const struct owner_node *n = &all->nodes[root];
	if (!list_tree(all, n->left, list, capacity, count) ||
	    !array_reserve(list, capacity, *count + 1, sizeof **list))
		return false;
	(*list)[(*count)++] = n->range;
	return list_tree(all, n->right, list, capacity, count);
}

bool owner_map_list(const struct owner_maps *all, const struct owner_map *m,
		    struct owner_range **list, size_t *capacity, size_t *count)
{
	*count = 0;
	return list_tree(all, m->root, list, capacity, count);
}

void owner_maps_free(struct owner_maps *all)
{
	free(all->nodes);
	free(all->before);
	free(all->after);
}
