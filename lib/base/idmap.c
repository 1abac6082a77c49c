/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing over slots that hold numbers; at least half of the slots stay free. */
#include "idmap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

enum { FIRST_CAPACITY = 64, AHEAD = 16, NUMBER_BITS = 28 };

#define NUMBER_MASK ((UINT32_C(1) << NUMBER_BITS) - 1)

_Static_assert(IDMAP_MAX <= NUMBER_MASK, "a slot holds a number");

static uint64_t hash_of(const struct idmap *m, uint64_t key)
{
	return hash_mix(m->seed, key);
}

static size_t bucket_of(const struct idmap *m, uint64_t hash)
{
	return (size_t)hash & (2 * m->capacity - 1);
}

/* The other bits of a slot are of the hash, so that few keys are read that are not equal. */
static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> 32) & ~NUMBER_MASK;
}

static size_t number_in(uint32_t slot)
{
	return (slot & NUMBER_MASK) - 1;
}

static size_t slot_of(const struct idmap *m, uint64_t key, uint64_t hash)
{
	const size_t mask = 2 * m->capacity - 1;
	const uint32_t tag = tag_of(hash);
	size_t at = bucket_of(m, hash);
	while (m->slots[at] != 0 &&
	       ((m->slots[at] & ~NUMBER_MASK) != tag || m->keys[number_in(m->slots[at])] != key))
		at = (at + 1) & mask;
	return at;
}

/* Inserts all keys, which are distinct, into empty slots; each would be a cache miss. */
static void insert_all(struct idmap *m)
{
	const size_t mask = 2 * m->capacity - 1;
	for (size_t i = 0; i < m->count; i++) {
		const uint64_t hash = hash_of(m, m->keys[i]);
		size_t at = bucket_of(m, hash);
		if (i + AHEAD < m->count)
			__builtin_prefetch(&m->slots[bucket_of(m, hash_of(m, m->keys[i + AHEAD]))],
					   1);
		while (m->slots[at] != 0)
			at = (at + 1) & mask;
		m->slots[at] = tag_of(hash) | ((uint32_t)i + 1);
	}
}

void idmap_prefetch(const struct idmap *m, uint64_t key)
{
	if (m->count > 0)
		__builtin_prefetch(&m->slots[bucket_of(m, hash_of(m, key))]);
}

void idmap_prefetch_found(const struct idmap *m, uint64_t key)
{
	if (m->count == 0)
		return;
	const size_t mask = 2 * m->capacity - 1;
	const uint64_t hash = hash_of(m, key);
	size_t at = bucket_of(m, hash);
	while (m->slots[at] != 0 && (m->slots[at] & ~NUMBER_MASK) != tag_of(hash))
		at = (at + 1) & mask;
	if (m->slots[at] != 0)
		__builtin_prefetch(&m->keys[number_in(m->slots[at])]);
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
	const uint64_t hash = hash_of(m, key);
	const size_t at = slot_of(m, key, hash);
	if (m->slots[at] == 0) {
		const size_t number = new_number(m);
		m->keys[number] = key;
		m->slots[at] = tag_of(hash) | ((uint32_t)number + 1);
	}
	m->last_key = key;
	m->last = number_in(m->slots[at]) + 1;
	return m->last - 1;
}

size_t idmap_find(const struct idmap *m, uint64_t key)
{
	if (m->count == 0)
		return SIZE_MAX;
	const uint32_t slot = m->slots[slot_of(m, key, hash_of(m, key))];
	return slot != 0 ? number_in(slot) : SIZE_MAX;
}

/* Without tombstones: entries that follow the gap move up to where a lookup finds them. */
static void remove_slot(struct idmap *m, size_t gap)
{
	const size_t mask = 2 * m->capacity - 1;
	for (size_t i = (gap + 1) & mask; m->slots[i] != 0; i = (i + 1) & mask) {
		const uint64_t hash = hash_of(m, m->keys[number_in(m->slots[i])]);
		if (((i - bucket_of(m, hash)) & mask) < ((i - gap) & mask))
			continue;
		m->slots[gap] = m->slots[i];
		gap = i;
	}
	m->slots[gap] = 0;
}

size_t idmap_remove(struct idmap *m, uint64_t key)
{
	if (m->count == 0)
		return SIZE_MAX;
	const size_t at = slot_of(m, key, hash_of(m, key));
	if (m->slots[at] == 0)
		return SIZE_MAX;
	const size_t number = number_in(m->slots[at]);
	remove_slot(m, at);
	m->keys[number] = m->free;
	m->free = number + 1;
	m->last = 0;
	return number;
}

void idmap_renumber(struct idmap *m, size_t count)
{
	assert(m->free == 0 && count <= m->count);
	m->count = count;
	m->last = 0;
	if (m->slots == NULL)
		return;
	memset(m->slots, 0, 2 * m->capacity * sizeof *m->slots);
	insert_all(m);
}

void idmap_free(struct idmap *m)
{
	free(m->keys);
	free(m->slots);
	memset(m, 0, sizeof *m);
}
