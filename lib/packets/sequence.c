/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Missing ranges are in a list in the order in which they were noticed. The list is short, because
 * each range is filled, or becomes lost after a while and is finally evicted.
 */
#include "sequence.h"

#include <assert.h>
#include <stdlib.h>

#include "lib/base/array.h"

static const uint32_t ALIAS_FIRST = UINT32_C(1) << 31;

void sequence_init(struct sequence *l)
{
	*l = (struct sequence){.count = 0};
}

void sequence_free(struct sequence *l)
{
	for (size_t i = 0; i < l->capacity; i++)
		free(l->process[i]);
	free(l->process);
	idmap_free(&l->numbers);
	l->process = NULL;
	l->count = l->capacity = 0;
}

/* Processes */

struct packet_process *sequence_find(const struct sequence *l, uint32_t number)
{
	const size_t i = idmap_find(&l->numbers, number);
	return i < l->capacity ? l->process[i] : NULL;
}

static void forget_ended(struct sequence *l)
{
	for (size_t i = 0; i < l->capacity; i++) {
		struct packet_process *p = l->process[i];
		if (p == NULL || !p->ended)
			continue;
		(void)idmap_remove(&l->numbers, p->number);
		l->process[i] = NULL;
		free(p);
		l->count--;
	}
	l->ended = 0;
}

/* Returns a new id for a number that is, or may be, in use in the trace. */
static uint32_t alias(struct sequence *l)
{
	uint32_t id;
	do
		id = ALIAS_FIRST + l->aliases++;
	while (sequence_find(l, id) != NULL);
	return id;
}

static uint32_t id_of(struct sequence *l, uint32_t number)
{
	bool taken = number >= ALIAS_FIRST && number - ALIAS_FIRST < l->aliases;
	return taken ? alias(l) : number;
}

static enum sequence_verdict add_process(struct sequence *l, uint32_t number,
					 struct packet_process **who)
{
	if (l->count >= SEQUENCE_COMPACT_AT && l->ended > l->count / 2)
		forget_ended(l);
	if (l->count == SEQUENCE_PROCESSES)
		return SEQUENCE_FULL;
	struct packet_process *p = calloc(1, sizeof(*p));
	const size_t i = p != NULL ? idmap_number(&l->numbers, number) : SIZE_MAX;
	if (p == NULL || !array_reserve_index(&l->process, &l->capacity, i, sizeof(p))) {
		free(p);
		return SEQUENCE_NO_MEMORY;
	}
	p->number = number;
	p->id = id_of(l, number);
	l->process[i] = *who = p;
	l->count++;
	l->processes++;
	return SEQUENCE_NEW;
}

void sequence_end_process(struct sequence *l, struct packet_process *who)
{
	l->ended += !who->ended;
	who->ended = true;
}

/* Ranges */

static void remove_range(struct sequence *l, size_t i)
{
	assert(i < l->ranges && l->waiting + l->unreported <= l->ranges);
	l->ranges--;
	memmove(&l->range[i], &l->range[i + 1], (l->ranges - i) * sizeof(l->range[0]));
}

static void lose(struct sequence *l, struct packet_range *r)
{
	r->lost = true;
	l->lost += r->count;
	l->waiting--;
	l->unreported++;
}

/* Frees one range: the oldest reported one, otherwise the oldest. */
static void forget_range(struct sequence *l)
{
	size_t i = 0;
	while (i < l->ranges && !l->range[i].reported)
		i++;
	if (i == l->ranges) {
		i = 0;
		if (!l->range[i].lost)
			lose(l, &l->range[i]);
		l->unreported--;
	}
	remove_range(l, i);
}

static void add_range(struct sequence *l, const struct packet_range *range)
{
	struct packet_range added = *range;
	if (l->ranges == SEQUENCE_RANGES)
		forget_range(l);
	l->range[l->ranges++] = added;
	l->waiting += !added.lost;
	l->unreported += added.lost && !added.reported;
}

static void miss(struct sequence *l, const struct packet_process *who, uint64_t end)
{
	add_range(l, &(struct packet_range){.number = who->number,
					    .id = who->id,
					    .first = who->next,
					    .count = end - who->next,
					    .noticed = l->packets,
					    .wall = l->wall});
}

/* Handles a number below the expected one; returns whether it fills a gap. */
static bool fill(struct sequence *l, const struct packet_process *who, uint64_t sequence)
{
	for (size_t i = l->ranges; i-- > 0;) {
		struct packet_range *r = &l->range[i];
		if (r->number != who->number || r->id != who->id || sequence < r->first ||
		    sequence - r->first >= r->count)
			continue;
		struct packet_range after = *r;
		after.first = sequence + 1;
		after.count = r->first + r->count - after.first;
		r->count = sequence - r->first;
		l->found += r->lost;
		l->lost -= r->lost;
		if (r->count == 0) {
			l->waiting -= !r->lost;
			l->unreported -= r->lost && !r->reported;
			remove_range(l, i);
		}
		if (after.count > 0)
			add_range(l, &after);
		return true;
	}
	return false;
}

/* Declares lost what has been missing for long, and all gaps of a process that restarts. */
static void lose_ranges(struct sequence *l, const struct packet_process *of)
{
	for (size_t i = 0; i < l->ranges && l->waiting > 0; i++) {
		struct packet_range *r = &l->range[i];
		bool late = l->packets - r->noticed >= SEQUENCE_WINDOW;
		if (!r->lost && (late || (of != NULL && r->number == of->number)))
			lose(l, r);
	}
}

uint64_t sequence_missing(const struct sequence *l, const struct packet_process *who)
{
	uint64_t min = UINT64_MAX;
	for (size_t i = 0; i < l->ranges && l->waiting > 0; i++) {
		const struct packet_range *r = &l->range[i];
		if (!r->lost && r->number == who->number && r->first < min)
			min = r->first;
	}
	return min;
}

bool sequence_lost(struct sequence *l, struct packet_range *range)
{
	for (size_t i = 0; i < l->ranges && l->unreported > 0; i++) {
		struct packet_range *r = &l->range[i];
		if (!r->lost || r->reported)
			continue;
		r->reported = true;
		l->unreported--;
		*range = *r;
		return true;
	}
	return false;
}

uint64_t sequence_hole(const struct sequence *l)
{
	uint64_t min = UINT64_MAX;
	if (l->waiting + l->unreported == 0)
		return min;
	for (size_t i = 0; i < l->ranges; i++)
		if (!l->range[i].reported && l->range[i].wall < min)
			min = l->range[i].wall;
	return min;
}

/* Packets */

/*
 * Returns whether a number seen before is a duplicate packet, as opposed to a restart of its
 * process.
 */
static bool is_again(const struct packet_process *who, const struct packet *p, bool starts)
{
	return starts && who->started ? who->start_crc == p->crc : p->wall <= who->wall;
}

static void begin_restart(struct sequence *l, struct packet_process *who)
{
	lose_ranges(l, who);
	who->started = false;
	who->next = 0;
	who->generation++;
	if (!who->ended)
		return;
	who->id = alias(l);
	who->ended = false;
	l->ended--;
	l->processes++;
}

/* Handles the expected number, or a later one. */
static void go_on(struct sequence *l, struct packet_process *who, uint64_t sequence)
{
	if (sequence > who->next)
		miss(l, who, sequence);
	who->next = sequence + 1;
}

static enum sequence_verdict place(struct sequence *l, struct packet_process *who,
				   const struct packet *p)
{
	bool starts = p->kind == PACKET_START && p->sequence == 0, restart = false;
	if (p->sequence >= who->next) {
		go_on(l, who, p->sequence);
	} else if (!fill(l, who, p->sequence)) {
		if (is_again(who, p, starts)) {
			l->duplicates++;
			return SEQUENCE_DUPLICATE;
		}
		restart = true;
		begin_restart(l, who);
		go_on(l, who, p->sequence);
	}
	if (starts) {
		who->started = true;
		who->start_crc = p->crc;
	}
	if (p->wall > who->wall)
		who->wall = p->wall;
	return starts || restart ? SEQUENCE_BEGINS : SEQUENCE_NEW;
}

enum sequence_verdict sequence_accept(struct sequence *l, const struct packet *p,
				      struct packet_process **who)
{
	*who = sequence_find(l, p->process);
	if (*who == NULL) {
		enum sequence_verdict verdict = add_process(l, p->process, who);
		if (verdict != SEQUENCE_NEW)
			return verdict;
	}
	enum sequence_verdict verdict = place(l, *who, p);
	l->packets++;
	if (p->wall > l->wall)
		l->wall = p->wall;
	lose_ranges(l, NULL);
	return verdict;
}

void sequence_end(struct sequence *l)
{
	for (size_t i = 0; i < l->ranges; i++)
		if (!l->range[i].lost)
			lose(l, &l->range[i]);
}
