/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines which open of a file a call uses. From 2.3 on, calls contain the path with which a
 * descriptor was opened, but no descriptor. Each rank therefore has, for each path, the opens that
 * are not closed, and the one closed last, which a duplicate of its descriptor may keep alive (dup
 * is not traced).
 */
#include "recorder.h"

#include "lib/base/hash.h"

enum { MAP_START = 16 };

/* Maps */

static struct recorder_place **map_slot(const struct recorder_map *map, int64_t key)
{
	uint32_t mask = map->capacity - 1;
	for (uint32_t i = (uint32_t)hash_mix(map->seed, (uint64_t)key) & mask;; i = (i + 1) & mask)
		if (map->place[i] == NULL || map->place[i]->key == key)
			return &map->place[i];
}

static bool map_grow(struct recorder *r, struct recorder_map *map)
{
	struct recorder_map grown = {.capacity = map->capacity == 0 ? MAP_START : map->capacity * 2,
				     .count = map->count,
				     .seed = hash_seed(),
				     .last = map->last,
				     .fresh = map->fresh};
	grown.place = fdtable_grow(&r->tracker, NULL, 0, grown.capacity * sizeof *grown.place);
	if (grown.place == NULL)
		return false;
	for (uint32_t i = 0; i < map->capacity; i++)
		if (map->place[i] != NULL)
			*map_slot(&grown, map->place[i]->key) = map->place[i];
	fdtable_drop(&r->tracker, map->place, map->capacity * sizeof *map->place);
	*map = grown;
	return true;
}

struct recorder_place *recorder_place_find(const struct recorder_map *map, int64_t key)
{
	return map->capacity == 0 ? NULL : *map_slot(map, key);
}

struct recorder_place *recorder_index_new(struct recorder *r, struct recorder_map *map, int64_t key)
{
	if (map->count * 2 >= map->capacity && !map_grow(r, map))
		return NULL;
	struct recorder_place **slot = map_slot(map, key);
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

void recorder_map_free(struct recorder *r, struct recorder_map *map)
{
	for (uint32_t i = 0; i < map->capacity; i++) {
		struct recorder_place *p = map->place[i];
		if (p == NULL)
			continue;
		for (struct recorder_handle *h = p->newest, *next; h != NULL; h = next) {
			next = h->next;
			recorder_handle_free(r, h);
		}
		recorder_handle_free(r, p->remembered);
		fdtable_drop(&r->tracker, p, sizeof *p);
	}
	fdtable_drop(&r->tracker, map->place, map->capacity * sizeof *map->place);
	*map = (struct recorder_map){0};
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
	if (h == NULL || --h->refs > 0)
		return;
	open_description_free(&r->tracker, h->open);
	fdtable_drop(&r->tracker, h, sizeof *h);
}

void recorder_push(struct recorder_place *p, struct recorder_handle *h)
{
	h->next = p->newest;
	p->newest = h;
	for (unsigned access = 1; access <= (RECORDER_READS | RECORDER_WRITES); access++) {
		h->older[access - 1] = p->fit[access - 1];
		if ((h->access & access) == access)
			p->fit[access - 1] = h;
	}
}

struct recorder_handle *recorder_pick(struct recorder_place *p, unsigned access, bool *ambiguous)
{
	struct recorder_handle *h = access == 0 ? p->newest : p->fit[access - 1];
	*ambiguous = h != NULL && (access == 0 ? h->next : h->older[access - 1]) != NULL;
	return h != NULL ? h : p->remembered;
}

struct recorder_handle *recorder_pop(struct recorder *r, struct recorder_place *p)
{
	struct recorder_handle *h = p->newest;
	if (h == NULL)
		return NULL;
	p->newest = h->next;
	h->next = NULL;
	for (unsigned access = 1; access <= (RECORDER_READS | RECORDER_WRITES); access++)
		if ((h->access & access) == access)
			p->fit[access - 1] = h->older[access - 1];
	recorder_handle_free(r, p->remembered);
	p->remembered = h;
	return h;
}

/*
 * Sizes. The order of accesses of different ranks to a file is known only as far as their clocks
 * agree, so a size that two ranks change is unknown.
 */

bool recorder_is_owner(const struct recorder_rank *k, const struct tracked_file *f)
{
	return f->resizes.last[0].task == recorder_process(k) && f->resizes.last[0].turn == 0;
}

void recorder_resizes(struct recorder_rank *k, struct tracked_file *f)
{
	if (f->resizes.last[0].task == 0)
		f->resizes.last[0].task = recorder_process(k);
	if (f->resizes.last[0].task != recorder_process(k))
		f->resizes.last[0].turn = 1; /* permanently */
	if (f->resizes.last[0].turn != 0)
		f->size_known = false;
}

bool recorder_size_sure(const struct recorder_rank *k, const struct tracked_file *f)
{
	return f->size_known && recorder_is_owner(k, f);
}
