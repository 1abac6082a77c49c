/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * I/Os gathered for data packets: one batch for each active file, out of a fixed pool. Entries of a
 * batch are kept in order of start, and never more than one packet holds.
 */
#ifndef LIB_PACKETS_SENDER_BATCH_H
#define LIB_PACKETS_SENDER_BATCH_H

#include "packet.h"

struct iot_batch {
	uint32_t file;
	uint32_t next;    /* in its chain, or of the free ones; 1 + index, 0: none */
	uint32_t entries; /* in use, but empty: 0 */
	uint32_t words;   /* that they take in a packet */
	struct iot_entry entry[IOT_ENTRIES_MAX];
};

struct iot_batches {
	struct iot_batch *batch;
	uint32_t *chain; /* by file */
	uint32_t count, chains, free, hand;
};

bool iot_batches_init(struct iot_batches *all, uint32_t count); /* false: no memory */
void iot_batches_free(struct iot_batches *all);
void iot_batches_clear(struct iot_batches *all); /* throws away what was gathered */

/* The batch of a file; NULL: it has none. */
struct iot_batch *iot_batches_find(const struct iot_batches *all, uint32_t file);
/* A batch for a file that has none; NULL: none is free. */
struct iot_batch *iot_batches_take(struct iot_batches *all, uint32_t file);
/* The one that has to make room, each in its turn: to be sent, and released. */
struct iot_batch *iot_batches_oldest(struct iot_batches *all);
void iot_batches_release(struct iot_batches *all, struct iot_batch *b);

/* False: there is no room for it, the batch has to be sent before. */
bool iot_batch_add(struct iot_batch *b, const struct iot_entry *e);
/* Writes the payload of b->words words and empties the batch. */
void iot_batch_write(struct iot_batch *b, unsigned char *payload);

#endif
