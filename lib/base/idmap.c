/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing over slots that hold numbers; at least half of the slots stay free. */
#include "idmap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

enum { FIRST_CAPACITY = 64, AHEAD = 16 };

static size_t bucket_of(const struct idmap *m, uint64_t key)
{
	return (size_t)hash_mix(m->seed, key) & (2 * m->capacity - 1);
}

static size_t slot_of(const struct idmap *m, uint64_t key)
{
	size_t mask = 2 * m->capacity - 1;
	size_t at = bucket_of(m, key);
	while (m->slots[at] != 0 && m->keys[m->slots[at] - 1] != key)
		at = (at + 1) & mask;
	return at;
}

/* Inserts all keys, which are distinct, into empty slots; each would be a cache miss. */
static void insert_all(struct idmap *m)
{
	const size_t mask = 2 * m->capacity - 1;
	for (size_t i = 0; i < m->count; i++) {
		size_t at = bucket_of(m, m->keys[i]);
		if (i + AHEAD < m->count)
			__builtin_prefetch(&m->slots[bucket_of(m, m->keys[i + AHEAD])], 1);
		while (m->slots[at] != 0)
			at = (at + 1) & mask;
		m->slots[at] = (uint32_t)i + 1;
	}
}

void idmap_prefetch(const struct idmap *m, uint64_t key)
{
	if (m->count > 0)
		__builtin_prefetch(&m->slots[bucket_of(m, key)]);
}

/* Only without free numbers, so every number has a key. */
static bool grow(struct idmap *m)
{
	assert(m->free == 0 && m->count == m->capacity);
	size_t capacity = m->capacity ? 2 * m->capacity : FIRST_CAPACITY;
	if (capacity > IDMAP_MAX)
		return false;
	uint64_t *keys = realloc(m->keys, capacity * sizeof *keys);
	if (keys)
		m->keys = keys;
	uint32_t *slots = calloc(2 * capacity, sizeof *slots);
	if (!keys || !slots) {
		free(slots);
		return false;
	}
	free(m->slots);
	m->slots = slots;
	m->capacity = capacity;
	m->seed = hash_seed();
	insert_all(m);
	return true;
}

static size_t new_number(struct idmap *m)
{
	if (m->free == 0)
		return m->count++;
	const size_t number = (size_t)m->free - 1;
	m->free = m->keys[number];
	return number;
}

size_t idmap_number_of_next(struct idmap *m, uint64_t key)
{
	if (m->count == m->capacity && m->free == 0 && !grow(m))
		return SIZE_MAX;
	size_t at = slot_of(m, key);
	if (m->slots[at] == 0) {
		const size_t number = new_number(m);
		m->keys[number] = key;
		m->slots[at] = (uint32_t)number + 1;
	}
	m->last_key = key;
	m->last = m->slots[at];
	return m->last - 1;
}

size_t idmap_find(const struct idmap *m, uint64_t key)
{
	if (m->count == 0)
		return SIZE_MAX;
	const uint32_t number = m->slots[slot_of(m, key)];
	return number > 0 ? number - 1 : SIZE_MAX;
}

/* Without tombstones: entries that follow the gap move up to where a lookup finds them. */
static void remove_slot(struct idmap *m, size_t gap)
{
	const size_t mask = 2 * m->capacity - 1;
	for (size_t i = (gap + 1) & mask; m->slots[i] != 0; i = (i + 1) & mask) {
		if (((i - bucket_of(m, m->keys[m->slots[i] - 1])) & mask) < ((i - gap) & mask))
			continue;
		m->slots[gap] = m->slots[i];
		gap = i;
	}
	m->slots[gap] = 0;
}

size_t idmap_remove(struct idmap *m, uint64_t key)
{
	const size_t number = idmap_find(m, key);
	if (number == SIZE_MAX)
		return SIZE_MAX;
	remove_slot(m, slot_of(m, key));
	m->keys[number] = m->free;
	m->free = number + 1;
	m->last = 0;
	return number;
}

void idmap_free(struct idmap *m)
{
	free(m->keys);
	free(m->slots);
	memset(m, 0, sizeof *m);
}
