/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Missing ranges stand in a list in the order in which they were noticed; it is short, for each
 * either fills up, or is lost after a while and in the end pushed out by others.
 */
#include "sequence.h"

#include <stdlib.h>

#include "lib/base/hash.h"

enum { ROOM_FIRST = 64 };

static const uint32_t ALIAS_FIRST = UINT32_C(1) << 31;

void iot_ledger_init(struct iot_ledger *l)
{
	*l = (struct iot_ledger){.seed = iot_seed()};
}

void iot_ledger_free(struct iot_ledger *l)
{
	for (size_t i = 0; i < l->room; i++)
		free(l->process[i]);
	free(l->process);
	l->process = NULL;
	l->count = l->room = 0;
}

/* Processes */

static size_t slot_of(const struct iot_ledger *l, uint32_t number)
{
	size_t mask = l->room - 1, i = (size_t)iot_seed_hash(l->seed, number) & mask;
	while (l->process[i] != NULL && l->process[i]->number != number)
		i = (i + 1) & mask;
	return i;
}

struct iot_packet_process *iot_ledger_find(const struct iot_ledger *l, uint32_t number)
{
	return l->room > 0 ? l->process[slot_of(l, number)] : NULL;
}

/* Into a table of `room`; those that have ended are left behind where there are too many. */
static bool rehash(struct iot_ledger *l, size_t room, bool forget)
{
	struct iot_packet_process **old = l->process;
	size_t old_room = l->room;
	l->process = calloc(room, sizeof(struct iot_packet_process *));
	if (l->process == NULL) {
		l->process = old;
		return false;
	}
	l->room = room;
	for (size_t i = 0; i < old_room; i++) {
		if (old[i] == NULL)
			continue;
		if (!forget || !old[i]->ended) {
			l->process[slot_of(l, old[i]->number)] = old[i];
			continue;
		}
		free(old[i]);
		l->count--;
		l->ended--;
	}
	free(old);
	return true;
}

static bool make_room(struct iot_ledger *l)
{
	if (l->room == 0)
		return rehash(l, ROOM_FIRST, false);
	if (l->count >= IOT_LEDGER_TIDY && l->ended > l->count / 2 && !rehash(l, l->room, true))
		return false;
	return l->count * 2 < l->room || rehash(l, l->room * 2, false);
}

/* A number that is in use in the trace already, or that may be: by an alias. */
static uint32_t alias(struct iot_ledger *l)
{
	uint32_t id;
	do
		id = ALIAS_FIRST + l->aliases++;
	while (iot_ledger_find(l, id) != NULL);
	return id;
}

static uint32_t id_of(struct iot_ledger *l, uint32_t number)
{
	bool taken = number >= ALIAS_FIRST && number - ALIAS_FIRST < l->aliases;
	return taken ? alias(l) : number;
}

static enum iot_ledger_verdict add_process(struct iot_ledger *l, uint32_t number,
					   struct iot_packet_process **who)
{
	if (!make_room(l))
		return IOT_LEDGER_NO_MEMORY;
	if (l->count == IOT_LEDGER_PROCESSES)
		return IOT_LEDGER_FULL;
	struct iot_packet_process *p = calloc(1, sizeof(*p));
	if (p == NULL)
		return IOT_LEDGER_NO_MEMORY;
	p->number = number;
	p->id = id_of(l, number);
	l->process[slot_of(l, number)] = p;
	l->count++;
	l->processes++;
	*who = p;
	return IOT_LEDGER_NEW;
}

void iot_ledger_end_process(struct iot_ledger *l, struct iot_packet_process *who)
{
	l->ended += !who->ended;
	who->ended = true;
}

/* Ranges */

static void remove_range(struct iot_ledger *l, size_t i)
{
	l->ranges--;
	memmove(&l->range[i], &l->range[i + 1], (l->ranges - i) * sizeof(l->range[0]));
}

static void lose(struct iot_ledger *l, struct iot_packet_range *r)
{
	r->lost = true;
	l->lost += r->count;
	l->waiting--;
	l->untold++;
}

/* Room for one more: the oldest that was told goes, else the oldest. */
static void forget_range(struct iot_ledger *l)
{
	size_t i = 0;
	while (i < l->ranges && !l->range[i].told)
		i++;
	if (i == l->ranges) {
		i = 0;
		if (!l->range[i].lost)
			lose(l, &l->range[i]);
		l->untold--;
	}
	remove_range(l, i);
}

static void add_range(struct iot_ledger *l, const struct iot_packet_range *range)
{
	struct iot_packet_range added = *range;
	if (l->ranges == IOT_LEDGER_RANGES)
		forget_range(l);
	l->range[l->ranges++] = added;
	l->waiting += !added.lost;
	l->untold += added.lost && !added.told;
}

static void miss(struct iot_ledger *l, const struct iot_packet_process *who, uint64_t upto)
{
	add_range(l, &(struct iot_packet_range){.number = who->number,
						.id = who->id,
						.first = who->next,
						.count = upto - who->next,
						.noticed = l->packets,
						.wall = l->wall});
}

/* A number below what was expected: does it fill a hole? */
static bool fill(struct iot_ledger *l, const struct iot_packet_process *who, uint64_t sequence)
{
	for (size_t i = l->ranges; i-- > 0;) {
		struct iot_packet_range *r = &l->range[i];
		if (r->number != who->number || r->id != who->id || sequence < r->first ||
		    sequence - r->first >= r->count)
			continue;
		struct iot_packet_range behind = *r;
		behind.first = sequence + 1;
		behind.count = r->first + r->count - behind.first;
		r->count = sequence - r->first;
		l->found += r->lost;
		l->lost -= r->lost;
		if (r->count == 0) {
			l->waiting -= !r->lost;
			l->untold -= r->lost && !r->told;
			remove_range(l, i);
		}
		if (behind.count > 0)
			add_range(l, &behind);
		return true;
	}
	return false;
}

/* What has been missing for long, or of a process that begins anew, is lost. */
static void lose_ranges(struct iot_ledger *l, const struct iot_packet_process *of)
{
	for (size_t i = 0; i < l->ranges && l->waiting > 0; i++) {
		struct iot_packet_range *r = &l->range[i];
		bool late = l->packets - r->noticed >= IOT_LEDGER_PATIENCE;
		if (!r->lost && (late || (of != NULL && r->number == of->number)))
			lose(l, r);
	}
}

uint64_t iot_ledger_missing(const struct iot_ledger *l, const struct iot_packet_process *who)
{
	uint64_t least = UINT64_MAX;
	for (size_t i = 0; i < l->ranges && l->waiting > 0; i++) {
		const struct iot_packet_range *r = &l->range[i];
		if (!r->lost && r->number == who->number && r->first < least)
			least = r->first;
	}
	return least;
}

bool iot_ledger_lost(struct iot_ledger *l, struct iot_packet_range *range)
{
	for (size_t i = 0; i < l->ranges && l->untold > 0; i++) {
		struct iot_packet_range *r = &l->range[i];
		if (!r->lost || r->told)
			continue;
		r->told = true;
		l->untold--;
		*range = *r;
		return true;
	}
	return false;
}

uint64_t iot_ledger_hole(const struct iot_ledger *l)
{
	uint64_t least = UINT64_MAX;
	if (l->waiting + l->untold == 0)
		return least;
	for (size_t i = 0; i < l->ranges; i++)
		if (!l->range[i].told && l->range[i].wall < least)
			least = l->range[i].wall;
	return least;
}

/* Packets */

/* A number that was seen before: the same packet again, or that of a new life of its process? */
static bool is_again(const struct iot_packet_process *who, const struct iot_packet *p, bool starts)
{
	return starts && who->started ? who->start_crc == p->crc : p->wall <= who->wall;
}

static void begin_anew(struct iot_ledger *l, struct iot_packet_process *who)
{
	lose_ranges(l, who);
	who->started = false;
	who->next = 0;
	who->life++;
	if (!who->ended)
		return;
	who->id = alias(l);
	who->ended = false;
	l->ended--;
	l->processes++;
}

/* The packet's number is the one expected, or comes behind it. */
static void go_on(struct iot_ledger *l, struct iot_packet_process *who, uint64_t sequence)
{
	if (sequence > who->next)
		miss(l, who, sequence);
	who->next = sequence + 1;
}

static enum iot_ledger_verdict place(struct iot_ledger *l, struct iot_packet_process *who,
				     const struct iot_packet *p)
{
	bool starts = p->kind == IOT_PACKET_START && p->sequence == 0, anew = false;
	if (p->sequence >= who->next) {
		go_on(l, who, p->sequence);
	} else if (!fill(l, who, p->sequence)) {
		if (is_again(who, p, starts)) {
			l->duplicates++;
			return IOT_LEDGER_DUPLICATE;
		}
		anew = true;
		begin_anew(l, who);
		go_on(l, who, p->sequence);
	}
	if (starts) {
		who->started = true;
		who->start_crc = p->crc;
	}
	if (p->wall > who->wall)
		who->wall = p->wall;
	return starts || anew ? IOT_LEDGER_BEGINS : IOT_LEDGER_NEW;
}

enum iot_ledger_verdict iot_ledger_enter(struct iot_ledger *l, const struct iot_packet *p,
					 struct iot_packet_process **who)
{
	*who = iot_ledger_find(l, p->process);
	if (*who == NULL) {
		enum iot_ledger_verdict verdict = add_process(l, p->process, who);
		if (verdict != IOT_LEDGER_NEW)
			return verdict;
	}
	enum iot_ledger_verdict verdict = place(l, *who, p);
	l->packets++;
	if (p->wall > l->wall)
		l->wall = p->wall;
	lose_ranges(l, NULL);
	return verdict;
}

void iot_ledger_end(struct iot_ledger *l)
{
	for (size_t i = 0; i < l->ranges; i++)
		if (!l->range[i].lost)
			lose(l, &l->range[i]);
}
