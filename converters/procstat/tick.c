/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tick of the stream is the one that most packets have: first in the head of the input, then
 * among the packets that have arrived. A packet with another tick is skipped and counted; the first
 * ones are stored, so that nothing is lost if the packets before them turn out to be the
 * exceptions.
 */
#include "procstat.h"

#include <stdlib.h>

enum { TICKS_MAX = 64, EPOCHS_MAX = 64, EPOCH_NEAR_NS = 1000000000, STORED_MAX = 64 };

/* The votes of the packets in a head. */
struct ballot {
	uint32_t tick[TICKS_MAX];
	uint64_t votes[TICKS_MAX];
	size_t ticks;
};

typedef void see_fn(void *context, const struct packet *p);

static void see_head(struct procstat *s, see_fn *see, void *context)
{
	struct packet_scan scan = {.tick_ps = 0};
	struct packet p;
	size_t size, used;
	const char *head = input_head(s->src->input, 0, &size);
	const unsigned char *at = (const unsigned char *)head;
	for (; packet_find(&scan, at, size, true, &used, &p); at += used, size -= used)
		see(context, &p);
}

static void vote(void *context, const struct packet *p)
{
	struct ballot *b = context;
	size_t i = 0;
	while (i < b->ticks && b->tick[i] != p->tick_ps)
		i++;
	if (i == TICKS_MAX)
		return;
	b->tick[i] = p->tick_ps;
	b->votes[i]++;
	b->ticks += i == b->ticks;
}

/* Epochs */

struct epochs {
	uint32_t tick_ps;
	uint64_t ns[EPOCHS_MAX];
	size_t count;
};

static void see_epoch(void *context, const struct packet *p)
{
	struct epochs *e = context;
	if (p->kind != PACKET_START || p->tick_ps != e->tick_ps || e->count == EPOCHS_MAX)
		return;
	const uint64_t ns = packet_word(p, 1);
	if (ns > 0 && ns <= INT64_MAX)
		e->ns[e->count++] = ns;
}

static int compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/*
 * Returns the first epoch that is close to the median, so that one wrong process does not decide.
 */
static int64_t choose_epoch(const struct epochs *e)
{
	uint64_t sorted[EPOCHS_MAX];
	if (e->count == 0)
		return 0;
	memcpy(sorted, e->ns, e->count * sizeof *sorted);
	qsort(sorted, e->count, sizeof *sorted, compare);
	const uint64_t median = sorted[(e->count - 1) / 2];
	size_t i = 0;
	while (e->ns[i] > median ? e->ns[i] - median > EPOCH_NEAR_NS
				 : median - e->ns[i] > EPOCH_NEAR_NS)
		i++;
	return (int64_t)e->ns[i];
}

void procstat_tick_find(struct procstat *s)
{
	struct ballot b = {.ticks = 0};
	struct epochs e = {.count = 0};
	see_head(s, vote, &b);
	for (size_t i = 0; i < b.ticks; i++) {
		if (b.votes[i] <= s->tick.votes)
			continue;
		s->tick.votes = b.votes[i];
		s->tick.ps = b.tick[i];
	}
	e.tick_ps = s->tick.ps;
	see_head(s, see_epoch, &e);
	s->epoch_ns = choose_epoch(&e);
}

/* Arriving packets */

/* Discards everything derived from packets with another tick. */
static void start_restart(struct procstat *s, uint32_t tick_ps)
{
	sequence_free(&s->sequence);
	sequence_init(&s->sequence);
	procstat_files_free(&s->files);
	s->files = (struct procstat_files){.ancestors = NULL};
	fdtable_init(&s->files.tracker);
	s->order.count = 0;
	s->held_count = 0;
	s->latest_ns = 0;
	s->tick.ps = tick_ps;
}

static bool keep(struct procstat *s)
{
	if (s->tick.other == NULL)
		s->tick.other = malloc(STORED_MAX * sizeof(*s->tick.other));
	if (s->tick.other == NULL)
		return false;
	procstat_store(&s->tick.other[s->tick.count++], &s->packet);
	return true;
}

static uint64_t kept_of(const struct procstat *s, uint32_t tick_ps)
{
	uint64_t n = 0;
	for (size_t i = 0; i < s->tick.count; i++)
		n += s->tick.other[i].packet.tick_ps == tick_ps;
	return n;
}

bool procstat_tick_fits(struct procstat *s, bool *failed)
{
	const uint32_t tick_ps = s->packet.tick_ps;
	*failed = false;
	if (s->tick.ps == 0)
		s->tick.ps = tick_ps;
	if (s->tick.ps == tick_ps) {
		s->tick.votes++;
		s->tick.arrived++;
		return true;
	}
	s->tick.others++;
	if (s->tick.votes >= STORED_MAX || s->tick.count == STORED_MAX)
		return false;
	*failed = !keep(s);
	const uint64_t votes = *failed ? 0 : kept_of(s, tick_ps);
	if (votes <= s->tick.votes)
		return false;
	start_restart(s, tick_ps);
	s->tick.others += s->tick.arrived;
	s->tick.others -= votes;
	s->tick.arrived = 0;
	s->tick.votes = 0;
	s->tick.again = true;
	s->tick.next = 0;
	return false;
}

bool procstat_tick_again(struct procstat *s)
{
	while (s->tick.again && s->tick.next < s->tick.count) {
		const struct procstat_stored *o = &s->tick.other[s->tick.next++];
		if (o->packet.tick_ps != s->tick.ps)
			continue;
		s->packet = procstat_restore(o);
		return true;
	}
	if (s->tick.again)
		s->tick.count = 0;
	s->tick.again = false;
	return false;
}
