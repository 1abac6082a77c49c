/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of I/Os: found by file through short hash chains, filled, and written as payloads. */
#include "sender_batch.h"

#include <assert.h>
#include <stdlib.h>

/* The pool */

static uint32_t *chain_of(const struct sender_batches *all, uint32_t file)
{
	return &all->chain[(file * UINT32_C(0x9e3779b1) >> 8) & (all->chains - 1)];
}

bool sender_batches_init(struct sender_batches *all, uint32_t count)
{
	uint32_t chains = 1;
	while (chains < count)
		chains *= 2;
	*all = (struct sender_batches){.count = count, .chains = chains};
	all->batch = malloc(count * sizeof(*all->batch));
	all->chain = malloc(chains * sizeof(*all->chain));
	if (all->batch == NULL || all->chain == NULL)
		return false;
	sender_batches_clear(all);
	return true;
}

void sender_batches_free(struct sender_batches *all)
{
	free(all->batch);
	free(all->chain);
	*all = (struct sender_batches){.batch = NULL};
}

void sender_batches_clear(struct sender_batches *all)
{
	memset(all->chain, 0, all->chains * sizeof(*all->chain));
	for (uint32_t i = 0; i < all->count; i++) {
		all->batch[i].entries = all->batch[i].words = 0;
		all->batch[i].next = i + 2 <= all->count ? i + 2 : 0;
	}
	all->free = 1;
	all->hand = 0;
}

struct sender_batch *sender_batches_find(const struct sender_batches *all, uint32_t file)
{
	uint32_t i = *chain_of(all, file);
	while (i != 0 && all->batch[i - 1].file != file)
		i = all->batch[i - 1].next;
	return i != 0 ? &all->batch[i - 1] : NULL;
}

struct sender_batch *sender_batches_take(struct sender_batches *all, uint32_t file)
{
	if (all->free == 0)
		return NULL;
	uint32_t i = all->free, *chain = chain_of(all, file);
	struct sender_batch *b = &all->batch[i - 1];
	assert(b->entries == 0 && b->words == 0);
	all->free = b->next;
	b->file = file;
	b->next = *chain;
	*chain = i;
	return b;
}

struct sender_batch *sender_batches_oldest(struct sender_batches *all)
{
	all->hand = (all->hand + 1) % all->count;
	return &all->batch[all->hand];
}

void sender_batches_release(struct sender_batches *all, struct sender_batch *b)
{
	uint32_t i = (uint32_t)(b - all->batch) + 1, *link = chain_of(all, b->file);
	while (*link != i)
		link = &all->batch[*link - 1].next;
	*link = b->next;
	b->next = all->free;
	b->entries = b->words = 0;
	all->free = i;
}

/* One batch */

static bool continues(const struct packet_entry *before, const struct packet_entry *e)
{
	uint64_t after;
	return !__builtin_add_overflow(before->offset, before->length, &after) &&
	       e->offset == after;
}

/* Returns the words of an entry that follows another one; as the first entry if before is NULL. */
static uint32_t cost(const struct packet_entry *before, const struct packet_entry *e)
{
	if (before == NULL)
		return PACKET_ENTRY_MAX;
	return 3U + !continues(before, e) + (e->length != before->length);
}

bool sender_batch_add(struct sender_batch *b, const struct packet_entry *e)
{
	uint32_t at = b->entries;
	if (at == PACKET_ENTRIES_MAX)
		return false;
	while (at > 0 && b->entry[at - 1].start > e->start)
		at--;
	const struct packet_entry *before = at > 0 ? &b->entry[at - 1] : NULL,
				  *after = at < b->entries ? &b->entry[at] : NULL;
	uint32_t words = b->words + cost(before, e);
	if (after != NULL)
		words += cost(e, after) - cost(before, after);
	if (words > PACKET_PAYLOAD_MAX)
		return false;
	memmove(&b->entry[at + 1], &b->entry[at], (b->entries - at) * sizeof(*e));
	b->entry[at] = *e;
	b->entries++;
	b->words = words;
	return true;
}

void sender_batch_write(struct sender_batch *b, unsigned char *payload)
{
	const struct packet_entry *before = NULL;
	for (uint32_t i = 0; i < b->entries; i++) {
		const struct packet_entry *e = &b->entry[i];
		bool offset = before == NULL || !continues(before, e),
		     length = before == NULL || before->length != e->length;
		uint64_t word[PACKET_ENTRY_MAX] = {(uint64_t)e->type << 56 | e->elapsed, e->start,
						   e->cpu};
		uint32_t n = 3;
		if (offset) {
			word[0] |= PACKET_ENTRY_OFFSET;
			word[n++] = e->offset;
		}
		if (length) {
			word[0] |= PACKET_ENTRY_LENGTH;
			word[n++] = e->length;
		}
		for (uint32_t k = 0; k < n; k++, payload += PACKET_WORD_SIZE)
			packet_word_put(payload, word[k]);
		before = e;
	}
	b->entries = b->words = 0;
}
