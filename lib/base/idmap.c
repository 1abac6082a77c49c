/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing over slots that hold numbers; half of them stay free. */
#include "idmap.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"

enum { FIRST_ROOM = 64 };

static size_t slot_of(const struct iot_map *m, uint64_t key)
{
	size_t mask = 2 * m->room - 1;
	size_t at = (size_t)iot_seed_hash(m->seed, key) & mask;
	while (m->slots[at] != 0 && m->keys[m->slots[at] - 1] != key)
		at = (at + 1) & mask;
	return at;
}

static bool grow(struct iot_map *m)
{
	size_t room = m->room ? 2 * m->room : FIRST_ROOM;
	if (room > IOT_MAP_MAX)
		return false;
	uint64_t *keys = realloc(m->keys, room * sizeof *keys);
	if (keys)
		m->keys = keys;
	uint32_t *slots = calloc(2 * room, sizeof *slots);
	if (!keys || !slots) {
		free(slots);
		return false;
	}
	free(m->slots);
	m->slots = slots;
	m->room = room;
	m->seed = iot_seed();
	for (size_t i = 0; i < m->count; i++)
		slots[slot_of(m, keys[i])] = (uint32_t)i + 1;
	return true;
}

size_t iot_map_number_of_another(struct iot_map *m, uint64_t key)
{
	if (m->count == m->room && !grow(m))
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

size_t iot_map_find(const struct iot_map *m, uint64_t key)
{
	if (m->count == 0)
		return SIZE_MAX;
	const uint32_t number = m->slots[slot_of(m, key)];
	return number > 0 ? number - 1 : SIZE_MAX;
}

void iot_map_free(struct iot_map *m)
{
	free(m->keys);
	free(m->slots);
	memset(m, 0, sizeof *m);
}

void *iot_map_fit(void *array, size_t *room, size_t number, size_t size)
{
	if (number < *room)
		return array;
	if (number >= IOT_MAP_MAX)
		return NULL;
	size_t wanted = *room ? 2 * *room : FIRST_ROOM;
	while (wanted <= number)
		wanted *= 2;
	char *fitted = realloc(array, wanted * size);
	if (!fitted)
		return NULL;
	memset(fitted + *room * size, 0, (wanted - *room) * size);
	*room = wanted;
	return fitted;
}
