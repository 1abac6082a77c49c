/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * I/Os gathered for data packets: one batch for each active file, out of a fixed pool. Entries of a
 * batch are kept in order of start, and never more than one packet holds.
 */
#ifndef LIB_PACKETS_SENDER_BATCH_H
#define LIB_PACKETS_SENDER_BATCH_H

#include "packet.h"

struct sender_batch {
	uint32_t file;
	uint32_t next;    /* in its chain, or of the free ones; 1 + index, 0: none */
	uint32_t entries; /* in use, but empty: 0 */
	uint32_t words;   /* that they take in a packet */
	struct packet_entry entry[PACKET_ENTRIES_MAX];
};

struct sender_batches {
	struct sender_batch *batch;
	uint32_t *chain; /* by file */
	uint32_t count, chains, free, hand;
};

bool sender_batches_init(struct sender_batches *all, uint32_t count); /* false: no memory */
void sender_batches_free(struct sender_batches *all);
void sender_batches_clear(struct sender_batches *all); /* throws away what was gathered */

/* The batch of a file; NULL: it has none. */
struct sender_batch *sender_batches_find(const struct sender_batches *all, uint32_t file);
/* A batch for a file that has none; NULL: none is free. */
struct sender_batch *sender_batches_take(struct sender_batches *all, uint32_t file);
/* The one that has to make room, each in its turn: to be sent, and released. */
struct sender_batch *sender_batches_oldest(struct sender_batches *all);
void sender_batches_release(struct sender_batches *all, struct sender_batch *b);

/* False: there is no room for it, the batch has to be sent before. */
bool sender_batch_add(struct sender_batch *b, const struct packet_entry *e);
/* Writes the payload of b->words words and empties the batch. */
void sender_batch_write(struct sender_batch *b, unsigned char *payload);

#endif
