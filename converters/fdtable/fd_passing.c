/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors in flight between the two ends of a socketpair. A message that was read as plain
 * bytes loses its descriptors, so a receiver matches messages by the number of descriptors.
 */
#include "fdtable.h"

/* Limit of messages in flight to one end; beyond it, the oldest is dropped. */
enum { UNDER_WAY_MAX = 1024 };

struct queue {
	struct fd_message *first, **tail;
	uint32_t count;
};

struct fd_socketpair {
	struct open_description *end[2]; /* NULL if closed */
	struct queue to[2];
};

static size_t message_size(uint32_t count)
{
	return sizeof(struct fd_message) + count * sizeof(struct open_description *);
}

struct fd_message *fd_message_new(struct fdtable *t, uint32_t count, uint32_t sender)
{
	struct fd_message *p = fdtable_grow(t, NULL, 0, message_size(count));
	if (p == NULL)
		return NULL;
	p->count = count;
	p->sender = sender;
	return p;
}

void fd_message_free(struct fdtable *t, struct fd_message *p)
{
	if (p == NULL)
		return;
	for (uint32_t i = 0; i < p->count; i++)
		open_description_free(t, p->open[i]);
	fdtable_drop(t, p, message_size(p->count));
}

/* Unlinks and returns the message *at. */
static struct fd_message *take(struct queue *q, struct fd_message **at)
{
	struct fd_message *p = *at;
	*at = p->next;
	if (q->tail == &p->next)
		q->tail = at;
	q->count--;
	return p;
}

void fd_socketpair_new(struct fdtable *t, struct open_description *a, struct open_description *b)
{
	if (a->pair != NULL || b->pair != NULL || a == b)
		return;
	struct fd_socketpair *pair = fdtable_grow(t, NULL, 0, sizeof *pair);
	if (pair == NULL)
		return;
	pair->end[0] = a;
	pair->end[1] = b;
	pair->to[0].tail = &pair->to[0].first;
	pair->to[1].tail = &pair->to[1].first;
	a->pair = b->pair = pair;
}

static unsigned end_of(const struct open_description *d)
{
	return d->pair->end[1] == d;
}

void fd_socketpair_leave(struct fdtable *t, struct open_description *d)
{
	struct fd_socketpair *pair = d->pair;
	if (pair == NULL)
		return;
	const unsigned end = end_of(d);
	struct queue *q = &pair->to[end];
	while (q->first != NULL)
		fd_message_free(t, take(q, &q->first));
	pair->end[end] = NULL;
	d->pair = NULL;
	if (pair->end[1 - end] == NULL)
		fdtable_drop(t, pair, sizeof *pair);
}

/* Returns the queue of messages that d has sent; NULL if the other end is unknown. */
static struct queue *queue_from(const struct open_description *d)
{
	if (d->pair == NULL)
		return NULL;
	const unsigned other = 1 - end_of(d);
	return d->pair->end[other] == NULL ? NULL : &d->pair->to[other];
}

bool fd_socketpair_send(struct fdtable *t, struct open_description *from, struct fd_message *p)
{
	struct queue *q = queue_from(from);
	if (q == NULL)
		return false;
	if (q->count == UNDER_WAY_MAX)
		fd_message_free(t, take(q, &q->first));
	*q->tail = p;
	q->tail = &p->next;
	q->count++;
	return true;
}

void fd_socketpair_take_back(struct fdtable *t, struct open_description *from, uint32_t sender)
{
	struct queue *q = queue_from(from);
	struct fd_message **last = NULL;
	for (struct fd_message **at = q == NULL ? NULL : &q->first; at != NULL && *at != NULL;
	     at = &(*at)->next)
		if ((*at)->sender == sender)
			last = at;
	if (last != NULL)
		fd_message_free(t, take(q, last));
}

struct fd_message *fd_socketpair_receive(struct fdtable *t, struct open_description *at,
					 uint32_t count)
{
	if (at->pair == NULL)
		return NULL;
	struct queue *q = &at->pair->to[end_of(at)];
	const struct fd_message *p = q->first;
	while (p != NULL && p->count != count)
		p = p->next;
	if (p == NULL)
		return NULL;
	while (q->first != p)
		fd_message_free(t, take(q, &q->first));
	return take(q, &q->first);
}
