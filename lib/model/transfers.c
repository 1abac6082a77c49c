/* SPDX-License-Identifier: BSD-2-Clause */
#include "transfers.h"

#include <assert.h>
#include <stdlib.h>

struct transfer_block {
	struct model_transfer of[TRANSFERS_OF_BLOCK];
	struct transfer_block *next;
};

static_assert(sizeof(struct model_transfer) == 16, "a transfer is 16 bytes");

static bool add_block(struct model_transfers *q)
{
	struct transfer_block *b = malloc(sizeof *b);
	if (b == NULL)
		return false;
	b->next = NULL;
	if (q->last != NULL)
		q->last->next = b;
	else
		q->first = b;
	q->last = b;
	return true;
}

static void remove_block(struct model_transfers *q)
{
	struct transfer_block *b = q->first;
	q->first = b->next;
	if (q->first == NULL)
		q->last = NULL;
	q->at = 0;
	free(b);
}

bool model_transfers_add(struct model_transfers *q, const struct model_transfer *t)
{
	const size_t end = (q->at + q->count) % TRANSFERS_OF_BLOCK;
	if (end == 0 && !add_block(q))
		return false;
	q->last->of[end] = *t;
	q->count++;
	return true;
}

const struct model_transfer *model_transfers_first(const struct model_transfers *q)
{
	return &q->first->of[q->at];
}

struct model_transfer model_transfers_take(struct model_transfers *q)
{
	const struct model_transfer t = *model_transfers_first(q);
	q->at++;
	q->count--;
	if (q->at == TRANSFERS_OF_BLOCK || q->count == 0)
		remove_block(q);
	return t;
}

void model_transfers_free(struct model_transfers *q)
{
	while (q->first != NULL)
		remove_block(q);
}
