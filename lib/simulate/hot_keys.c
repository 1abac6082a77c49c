/* SPDX-License-Identifier: BSD-2-Clause */
#include "hot_keys.h"

enum { INTERVAL = 16, ENOUGH = 4, LONG_AGO = 100000 };

uint64_t hot_random(struct hot_keys *h)
{
	uint64_t z = h->random += 0x9e3779b97f4a7c15U;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return z ^ z >> 31;
}

void hot_init(struct hot_keys *h)
{
	*h = (struct hot_keys){.wait = 1};
	for (unsigned i = 0; i < HOT_BUCKETS; i++)
		h->bucket[i].number[0] = HOT_NONE;
}

static void remove_number(struct hot_keys *h, unsigned number)
{
	struct hot_bucket *b = h->in[number];
	for (unsigned i = 0; i < HOT_WAYS; i++)
		if (b->tag[i] != 0 && b->number[1 + i] == number)
			b->tag[i] = 0;
	h->in[number] = NULL;
}

static uint32_t age(const struct hot_keys *h, unsigned number, uint64_t now)
{
	return (uint32_t)now - h->last[number];
}

static unsigned oldest(const struct hot_keys *h, uint64_t now)
{
	unsigned found = 0;
	for (unsigned i = 1; i < HOT_MAX; i++)
		found = age(h, i, now) > age(h, found, now) ? i : found;
	return found;
}

/* A number without a key, or HOT_NONE. */
static unsigned free_number(struct hot_keys *h, uint64_t now)
{
	if (h->count < HOT_MAX)
		return h->count++;
	const unsigned number = oldest(h, now);
	if (h->in[number] != NULL && age(h, number, now) < LONG_AGO)
		return HOT_NONE;
	if (h->in[number] != NULL)
		remove_number(h, number);
	return number;
}

/* Returns whether a candidate occurred often enough. The place of others is taken by degrees. */
static bool occurs_often(struct hot_candidate *c, uint64_t key)
{
	if (c->count == 0)
		c->key = key;
	if (c->key != key) {
		c->count--;
		return false;
	}
	return ++c->count >= ENOUGH;
}

unsigned hot_examine(struct hot_keys *h, uint64_t key, uint64_t hash, uint64_t now)
{
	struct hot_candidate *c = &h->candidate[hash / HOT_BUCKETS % HOT_CANDIDATES];
	struct hot_bucket *b = &h->bucket[hash % HOT_BUCKETS];
	unsigned way = 0;
	h->wait = 1 + (uint32_t)(hot_random(h) % (2 * INTERVAL - 1));
	if (!occurs_often(c, key))
		return HOT_NONE;
	c->count = 0;
	while (way < HOT_WAYS && b->tag[way] != 0)
		way++;
	const unsigned number = way < HOT_WAYS ? free_number(h, now) : HOT_NONE;
	if (number == HOT_NONE)
		return HOT_NONE;
	b->tag[way] = hot_tag(hash);
	b->number[1 + way] = (uint16_t)number;
	h->in[number] = b;
	h->key[number] = key;
	h->last[number] = (uint32_t)now;
	return number;
}

/* A key of long ago, or one that was removed, may count: a difference of one. */
uint32_t hot_between(const struct hot_keys *h, uint64_t time, uint64_t now)
{
	const uint32_t window = now - time < UINT32_MAX ? (uint32_t)(now - time) : UINT32_MAX;
	uint32_t n = 0;
	for (unsigned i = 0; i < HOT_MAX; i++)
		n += (uint32_t)now - h->last[i] < window;
	return n;
}

void hot_drop(struct hot_keys *h, uint64_t first, uint64_t last)
{
	for (unsigned i = 0; i < h->count; i++)
		if (h->in[i] != NULL && h->key[i] >= first && h->key[i] <= last)
			remove_number(h, i);
}
