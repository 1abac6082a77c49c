/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines which open of a file a call uses. From 2.3 on, calls contain the path with which a
 * descriptor was opened, but no descriptor. Each rank therefore has, for each path, the opens that
 * are not closed, and the one closed last, which a duplicate of its descriptor may keep alive (dup
 * is not traced).
 */
#include "recorder.h"

#include <assert.h>

#include "lib/base/hash.h"

enum { MAP_FIRST = 16 };

/* Targets: open addressing; at least half of the slots stay free */

static struct recorder_target **find_slot(const struct recorder_map *map, int64_t key)
{
	const uint32_t mask = map->capacity - 1;
	uint32_t i = (uint32_t)hash_mix(map->seed, (uint64_t)key) & mask;
	while (map->target[i] != NULL && map->target[i]->key != key)
		i = (i + 1) & mask;
	return &map->target[i];
}

static bool map_grow(struct recorder *r, struct recorder_map *map)
{
	struct recorder_map old = *map;
	map->capacity = old.capacity == 0 ? MAP_FIRST : old.capacity * 2;
	map->target = fdtable_grow(&r->tracker, NULL, 0, map->capacity * sizeof *map->target);
	if (map->target == NULL) {
		*map = old;
		return false;
	}
	map->seed = hash_seed();
	for (uint32_t i = 0; i < old.capacity; i++)
		if (old.target[i] != NULL)
			*find_slot(map, old.target[i]->key) = old.target[i];
	fdtable_drop(&r->tracker, old.target, old.capacity * sizeof *old.target);
	return true;
}

struct recorder_target *recorder_target_of_next(struct recorder *r, struct recorder_map *map,
						int64_t key)
{
	if (map->count * 2 >= map->capacity && !map_grow(r, map))
		return NULL;
	struct recorder_target **slot = find_slot(map, key);
	if (*slot == NULL) {
		*slot = fdtable_grow(&r->tracker, NULL, 0, sizeof **slot);
		if (*slot == NULL)
			return NULL;
		(*slot)->key = key;
		map->count++;
	}
	map->last = *slot;
	return *slot;
}

struct recorder_target *recorder_target_find(const struct recorder_map *map, int64_t key)
{
	return map->capacity == 0 ? NULL : *find_slot(map, key);
}

void recorder_map_free(struct recorder *r, struct recorder_map *map)
{
	for (uint32_t i = 0; i < map->capacity; i++) {
		struct recorder_target *t = map->target[i];
		if (t == NULL)
			continue;
		for (struct recorder_handle *h = t->newest, *next; h != NULL; h = next) {
			next = h->next;
			recorder_handle_free(r, h);
		}
		recorder_handle_free(r, t->last_closed);
		fdtable_drop(&r->tracker, t, sizeof *t);
	}
	fdtable_drop(&r->tracker, map->target, map->capacity * sizeof *map->target);
}

/* Handles */

struct recorder_handle *recorder_handle_new(struct recorder *r, struct tracked_file *file)
{
	struct recorder_handle *h = fdtable_grow(&r->tracker, NULL, 0, sizeof *h);
	if (h == NULL)
		return NULL;
	h->open = open_description_new(&r->tracker, FD_FILE, file);
	h->refs = 1;
	h->access = RECORDER_READS | RECORDER_WRITES;
	if (h->open != NULL)
		return h;
	fdtable_drop(&r->tracker, h, sizeof *h);
	return NULL;
}

void recorder_handle_free(struct recorder *r, struct recorder_handle *h)
{
	assert(h == NULL || h->refs > 0);
	if (h == NULL || --h->refs > 0)
		return;
	open_description_free(&r->tracker, h->open);
	fdtable_drop(&r->tracker, h, sizeof *h);
}

void recorder_push(struct recorder_target *t, struct recorder_handle *h)
{
	h->next = t->newest;
	t->newest = h;
	for (unsigned access = 1; access <= (RECORDER_READS | RECORDER_WRITES); access++) {
		h->older[access - 1] = t->fit[access - 1];
		if ((h->access & access) == access)
			t->fit[access - 1] = h;
	}
}

struct recorder_handle *recorder_pick(struct recorder_target *t, unsigned access, bool *ambiguous)
{
	struct recorder_handle *h = access == 0 ? t->newest : t->fit[access - 1];
	*ambiguous = h != NULL && (access == 0 ? h->next : h->older[access - 1]) != NULL;
	return h != NULL ? h : t->last_closed;
}

struct recorder_handle *recorder_pop(struct recorder *r, struct recorder_target *t)
{
	struct recorder_handle *h = t->newest;
	if (h == NULL)
		return NULL;
	t->newest = h->next;
	h->next = NULL;
	for (unsigned access = 1; access <= (RECORDER_READS | RECORDER_WRITES); access++)
		if ((h->access & access) == access)
			t->fit[access - 1] = h->older[access - 1];
	recorder_handle_free(r, t->last_closed);
	t->last_closed = h;
	return h;
}

/*
 * Sizes. The order of accesses of different ranks to a file is known only as far as their clocks
 * agree, so a size that two ranks change is unknown.
 */

bool recorder_is_owner(const struct recorder_rank *rk, const struct tracked_file *f)
{
	return f->resizes.last[0].task == recorder_process(rk) && f->resizes.last[0].turn == 0;
}

void recorder_resizes(struct recorder_rank *rk, struct tracked_file *f)
{
	if (f->resizes.last[0].task == 0)
		f->resizes.last[0].task = recorder_process(rk);
	if (f->resizes.last[0].task != recorder_process(rk))
		f->resizes.last[0].turn = 1; /* permanently */
	if (f->resizes.last[0].turn != 0)
		f->size_known = false;
}

bool recorder_size_sure(const struct recorder_rank *rk, const struct tracked_file *f)
{
	return f->size_known && recorder_is_owner(rk, f);
}
