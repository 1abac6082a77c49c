/* SPDX-License-Identifier: BSD-2-Clause */
#include "transfers.h"

#include <stdlib.h>

enum { CAPACITY_FIRST = 16 };

static bool grow(struct model_transfers *q)
{
	const size_t capacity = q->capacity == 0 ? CAPACITY_FIRST : 2 * q->capacity;
	struct model_transfer *of = malloc(capacity * sizeof *of);
	if (of == NULL)
		return false;
	for (size_t i = 0; i < q->count; i++)
		of[i] = q->of[(q->first + i) & (q->capacity - 1)];
	free(q->of);
	*q = (struct model_transfers){of, 0, q->count, capacity};
	return true;
}

bool model_transfers_add(struct model_transfers *q, const struct model_transfer *t)
{
	if (q->count == q->capacity && !grow(q))
		return false;
	q->of[(q->first + q->count++) & (q->capacity - 1)] = *t;
	return true;
}

struct model_transfer model_transfers_take(struct model_transfers *q)
{
	const struct model_transfer t = q->of[q->first];
	q->first = (q->first + 1) & (q->capacity - 1);
	q->count--;
	return t;
}

void model_transfers_free(struct model_transfers *q)
{
	free(q->of);
}
