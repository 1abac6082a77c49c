/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing over slots that hold numbers; at least half of the slots stay free. */
#include "idmap.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"

enum { FIRST_CAPACITY = 64 };

static size_t slot_of(const struct idmap *m, uint64_t key)
{
	size_t mask = 2 * m->capacity - 1;
	size_t at = (size_t)hash_mix(m->seed, key) & mask;
	while (m->slots[at] != 0 && m->keys[m->slots[at] - 1] != key)
		at = (at + 1) & mask;
	return at;
}

static bool grow(struct idmap *m)
{
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
	for (size_t i = 0; i < m->count; i++)
		slots[slot_of(m, keys[i])] = (uint32_t)i + 1;
	return true;
}

size_t idmap_number_of_next(struct idmap *m, uint64_t key)
{
	if (m->count == m->capacity && !grow(m))
		return SIZE_MAX;
	size_t at = slot_of(m, key);
	if (m->slots[at] == 0) {
		m->keys[m->count] = key;
		m->slots[at] = (uint32_t)++m->count;
	}
	m->last_key = key;
	m->last = m->slots[at] - 1;
	return m->last;
}

size_t idmap_find(const struct idmap *m, uint64_t key)
{
	if (m->count == 0)
		return SIZE_MAX;
	const uint32_t number = m->slots[slot_of(m, key)];
	return number > 0 ? number - 1 : SIZE_MAX;
}

void idmap_free(struct idmap *m)
{
	free(m->keys);
	free(m->slots);
	memset(m, 0, sizeof *m);
}

void *idmap_reserve(void *array, size_t *capacity, size_t number, size_t size)
{
	if (number < *capacity)
		return array;
	if (number >= IDMAP_MAX)
		return NULL;
	size_t wanted = *capacity ? 2 * *capacity : FIRST_CAPACITY;
	while (wanted <= number)
		wanted *= 2;
	char *fitted = realloc(array, wanted * size);
	if (!fitted)
		return NULL;
	memset(fitted + *capacity * size, 0, (wanted - *capacity) * size);
	*capacity = wanted;
	return fitted;
}
