/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_tails.h"

#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "lib/base/array.h"

static uint64_t object_of(uint64_t key)
{
	return key >> CACHE_BLOCK_BITS;
}

static void swap(uint64_t *a, uint64_t *b)
{
	const uint64_t key = *a;
	*a = *b;
	*b = key;
}

bool key_tails_add(struct key_tails *t, uint64_t key)
{
	const size_t number = idmap_number(&t->objects, object_of(key));
	if (!array_reserve_index(&t->heap, &t->capacity, number, sizeof *t->heap))
		return false;
	struct key_heap *h = &t->heap[number];
	const size_t before = h->capacity;
	if (!array_reserve(&h->key, &h->capacity, h->count + 1, sizeof *h->key))
		return false;
	t->bytes += (h->capacity - before) * sizeof *h->key;
	size_t i = h->count++;
	h->key[i] = key;
	for (; i > 0 && h->key[i] > h->key[(i - 1) / 2]; i = (i - 1) / 2)
		swap(&h->key[i], &h->key[(i - 1) / 2]);
	return true;
}

bool key_tails_take(struct key_tails *t, uint64_t first, uint64_t *key)
{
	const size_t number = idmap_find(&t->objects, object_of(first));
	struct key_heap *h = number != SIZE_MAX ? &t->heap[number] : NULL;
	if (h == NULL || h->count == 0 || h->key[0] < first)
		return false;
	*key = h->key[0];
	h->key[0] = h->key[--h->count];
	for (size_t i = 0, largest; 2 * i + 1 < h->count; i = largest) {
		largest = 2 * i + 1;
		if (largest + 1 < h->count && h->key[largest + 1] > h->key[largest])
			largest++;
		if (h->key[i] >= h->key[largest])
			break;
		swap(&h->key[i], &h->key[largest]);
	}
	return true;
}

uint64_t key_tails_bytes(const struct key_tails *t)
{
	return idmap_bytes(&t->objects) + t->capacity * sizeof *t->heap + t->bytes;
}

void key_tails_free(struct key_tails *t)
{
	for (size_t i = 0; i < t->objects.count && i < t->capacity; i++)
		free(t->heap[i].key);
	free(t->heap);
	idmap_free(&t->objects);
	memset(t, 0, sizeof *t);
}
