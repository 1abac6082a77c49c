/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_queue.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

static bool precedes(const struct queue_event *a, const struct queue_event *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

bool event_queue_add(struct event_queue *q, struct queue_event event)
{
	size_t at = q->count;
	if (!array_reserve(&q->events, &q->capacity, q->count + 1, sizeof *q->events))
		return false;
	q->count++;
	for (; at > 0 && precedes(&event, &q->events[(at - 1) / 2]); at = (at - 1) / 2)
		q->events[at] = q->events[(at - 1) / 2];
	q->events[at] = event;
	return true;
}

struct queue_event event_queue_take(struct event_queue *q)
{
	const struct queue_event first = q->events[0], last = q->events[--q->count];
	size_t at = 0;
	for (size_t child = 1; child < q->count; child = 2 * at + 1) {
		if (child + 1 < q->count && precedes(&q->events[child + 1], &q->events[child]))
			child++;
		if (!precedes(&q->events[child], &last))
			break;
		q->events[at] = q->events[child];
		at = child;
	}
	q->events[at] = last;
	return first;
}

void event_queue_free(struct event_queue *q)
{
	free(q->events);
	memset(q, 0, sizeof *q);
}
