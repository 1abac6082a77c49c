/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors under way from one end of a pair of sockets to the other. A message that was read as
 * plain bytes has lost what came with it, so messages are told by how many they carry.
 */
#include "fdtable.h"

enum { UNDER_WAY_MAX = 1024 }; /* messages to one end; what nobody fetches is forgotten then */

struct queue {
	struct iot_parcel *first, **tail;
	uint32_t count;
};

struct iot_pair {
	struct iot_description *end[2]; /* NULL: closed */
	struct queue to[2];
};

static size_t parcel_size(uint32_t count)
{
	return sizeof(struct iot_parcel) + count * sizeof(struct iot_description *);
}

struct iot_parcel *iot_parcel_new(struct iot_tracker *t, uint32_t count, uint32_t sender)
{
	struct iot_parcel *p = iot_tracker_grow(t, NULL, 0, parcel_size(count));
	if (p == NULL)
		return NULL;
	p->count = count;
	p->sender = sender;
	return p;
}

void iot_parcel_free(struct iot_tracker *t, struct iot_parcel *p)
{
	if (p == NULL)
		return;
	for (uint32_t i = 0; i < p->count; i++)
		iot_description_free(t, p->open[i]);
	iot_tracker_drop(t, p, parcel_size(p->count));
}

/* Takes out what *at points to. */
static struct iot_parcel *take(struct queue *q, struct iot_parcel **at)
{
	struct iot_parcel *p = *at;
	*at = p->next;
	if (q->tail == &p->next)
		q->tail = at;
	q->count--;
	return p;
}

void iot_pair_new(struct iot_tracker *t, struct iot_description *a, struct iot_description *b)
{
	if (a->pair != NULL || b->pair != NULL || a == b)
		return;
	struct iot_pair *pair = iot_tracker_grow(t, NULL, 0, sizeof *pair);
	if (pair == NULL)
		return;
	pair->end[0] = a;
	pair->end[1] = b;
	pair->to[0].tail = &pair->to[0].first;
	pair->to[1].tail = &pair->to[1].first;
	a->pair = b->pair = pair;
}

static unsigned end_of(const struct iot_description *d)
{
	return d->pair->end[1] == d;
}

void iot_pair_leave(struct iot_tracker *t, struct iot_description *d)
{
	struct iot_pair *pair = d->pair;
	if (pair == NULL)
		return;
	const unsigned end = end_of(d);
	struct queue *q = &pair->to[end];
	while (q->first != NULL)
		iot_parcel_free(t, take(q, &q->first));
	pair->end[end] = NULL;
	d->pair = NULL;
	if (pair->end[1 - end] == NULL)
		iot_tracker_drop(t, pair, sizeof *pair);
}

/* What is on its way from d; NULL: the other end is not known. */
static struct queue *queue_from(const struct iot_description *d)
{
	if (d->pair == NULL)
		return NULL;
	const unsigned other = 1 - end_of(d);
	return d->pair->end[other] == NULL ? NULL : &d->pair->to[other];
}

bool iot_pair_send(struct iot_tracker *t, struct iot_description *from, struct iot_parcel *p)
{
	struct queue *q = queue_from(from);
	if (q == NULL)
		return false;
	if (q->count == UNDER_WAY_MAX)
		iot_parcel_free(t, take(q, &q->first));
	*q->tail = p;
	q->tail = &p->next;
	q->count++;
	return true;
}

void iot_pair_take_back(struct iot_tracker *t, struct iot_description *from, uint32_t sender)
{
	struct queue *q = queue_from(from);
	struct iot_parcel **last = NULL;
	for (struct iot_parcel **at = q == NULL ? NULL : &q->first; at != NULL && *at != NULL;
	     at = &(*at)->next)
		if ((*at)->sender == sender)
			last = at;
	if (last != NULL)
		iot_parcel_free(t, take(q, last));
}

struct iot_parcel *iot_pair_receive(struct iot_tracker *t, struct iot_description *at,
				    uint32_t count)
{
	if (at->pair == NULL)
		return NULL;
	struct queue *q = &at->pair->to[end_of(at)];
	const struct iot_parcel *p = q->first;
	while (p != NULL && p->count != count)
		p = p->next;
	if (p == NULL)
		return NULL;
	while (q->first != p)
		iot_parcel_free(t, take(q, &q->first));
	return take(q, &q->first);
}
