/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects I/Os for data packets: one batch per active file, from a fixed pool. The entries of a
 * batch are in order of start and always fit one packet.
 */
#ifndef LIB_PACKETS_SENDER_BATCH_H
#define LIB_PACKETS_SENDER_BATCH_H

#include "packet.h"

struct sender_batch {
	uint32_t file;
	/* index + 1 of the next batch in its chain or in the free list; 0: none */
	uint32_t next;
	uint32_t entries; /* 0 in an empty batch, used or free */
	uint32_t words;   /* words that the entries need in a packet */
	struct packet_entry entry[PACKET_ENTRIES_MAX];
};

struct sender_batches {
	struct sender_batch *batch;
	uint32_t *chain; /* by file */
	uint32_t count, chains, free, hand;
};

/* Returns false if out of memory. */
bool sender_batches_init(struct sender_batches *all, uint32_t count);
void sender_batches_free(struct sender_batches *all);
void sender_batches_clear(struct sender_batches *all); /* Discards all collected entries. */

/* Returns the batch of a file, or NULL if it has none. */
struct sender_batch *sender_batches_find(const struct sender_batches *all, uint32_t file);
/* Takes a free batch for a file that has none; returns NULL if none is free. */
struct sender_batch *sender_batches_take(struct sender_batches *all, uint32_t file);
/* Returns the batch to evict, in rotation; the caller sends and releases it. */
struct sender_batch *sender_batches_oldest(struct sender_batches *all);
void sender_batches_release(struct sender_batches *all, struct sender_batch *b);

/* Returns false if the entry does not fit; the batch must be sent first. */
bool sender_batch_add(struct sender_batch *b, const struct packet_entry *e);
/* Writes the payload of b->words words and empties the batch. */
void sender_batch_write(struct sender_batch *b, unsigned char *payload);

#endif
