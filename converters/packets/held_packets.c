/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets that arrived before earlier ones of their process. There are few: a missing packet counts
 * as lost after SEQUENCE_WINDOW packets of the stream.
 */
#include "packets.h"

#include <stdlib.h>

static bool may_go(const struct procstat *s, const struct procstat_held *h)
{
	return h->life < h->who->life ||
	       h->packet.sequence < sequence_missing(&s->sequence, h->who);
}

bool procstat_holds(const struct procstat *s, const struct packet_process *who)
{
	for (size_t i = 0; i < s->held_count; i++)
		if (s->held[i].who == who)
			return true;
	return false;
}

bool procstat_must_wait(const struct procstat *s, const struct packet_process *who)
{
	if (s->held_count == PROCSTAT_HELD_MAX)
		return false;
	if (s->packet.sequence > sequence_missing(&s->sequence, who))
		return true;
	for (size_t i = 0; i < s->held_count; i++)
		if (s->held[i].who == who && (s->held[i].life < who->life ||
					      s->held[i].packet.sequence < s->packet.sequence))
			return true;
	return false;
}

bool procstat_hold(struct procstat *s, struct packet_process *who)
{
	if (s->held == NULL)
		s->held = malloc((PROCSTAT_HELD_MAX + 1) * sizeof(*s->held));
	if (s->held == NULL)
		return false;
	struct procstat_held *h = &s->held[s->held_count++];
	h->who = who;
	h->life = who->life;
	h->packet = s->packet;
	memcpy(h->bytes, s->packet.payload, PACKET_WORD_SIZE * (size_t)s->packet.words);
	return true;
}

static bool is_before(const struct procstat_held *a, const struct procstat_held *b)
{
	return a->life != b->life ? a->life < b->life : a->packet.sequence < b->packet.sequence;
}

struct packet_process *procstat_ready(struct procstat *s)
{
	struct procstat_held *first = NULL;
	for (size_t i = 0; i < s->held_count; i++)
		if (may_go(s, &s->held[i]) && (first == NULL || is_before(&s->held[i], first)))
			first = &s->held[i];
	if (first == NULL)
		return NULL;
	struct procstat_held *last = &s->held[--s->held_count],
			     *spare = &s->held[PROCSTAT_HELD_MAX];
	*spare = *first;
	if (first != last)
		*first = *last;
	s->packet = spare->packet;
	s->packet.payload = spare->bytes;
	s->packet_life = spare->life;
	return spare->who;
}
