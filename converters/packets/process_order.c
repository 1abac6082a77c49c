/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap of the live processes; each stores its index. */
#include "packets.h"

#include <stdlib.h>

#include "lib/base/array.h"

static void put(struct procstat_order *o, size_t at, struct packet_process *who)
{
	o->heap[at] = who;
	who->place = at;
}

/* Moves `who`, whose slot `at` is empty, up or down to its position. */
static void settle(struct procstat_order *o, size_t at, struct packet_process *who)
{
	for (; at > 1 && o->heap[at / 2]->before_ns > who->before_ns; at /= 2)
		put(o, at, o->heap[at / 2]);
	for (;;) {
		size_t child = 2 * at;
		if (child < o->count && o->heap[child + 1]->before_ns < o->heap[child]->before_ns)
			child++;
		if (child > o->count || o->heap[child]->before_ns >= who->before_ns)
			break;
		put(o, at, o->heap[child]);
		at = child;
	}
	put(o, at, who);
}

bool procstat_order_set(struct procstat_order *o, struct packet_process *who)
{
	if (who->place != 0) {
		settle(o, who->place, who);
		return true;
	}
	if (!array_reserve(&o->heap, &o->capacity, o->count + 2, sizeof(who)))
		return false;
	settle(o, ++o->count, who);
	return true;
}

void procstat_order_remove(struct procstat_order *o, struct packet_process *who)
{
	size_t at = who->place;
	if (at == 0)
		return;
	struct packet_process *last = o->heap[o->count--];
	who->place = 0;
	if (last != who)
		settle(o, at, last);
}

int64_t procstat_order_min(const struct procstat_order *o)
{
	return o->count > 0 ? o->heap[1]->before_ns : INT64_MAX;
}
