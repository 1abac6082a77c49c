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

void sequence_init(struct sequence *s)
{
	*s = (struct sequence){.count = 0};
}

void sequence_free(struct sequence *s)
{
	for (size_t i = 0; i < s->capacity; i++)
		free(s->process[i]);
	free(s->process);
	idmap_free(&s->numbers);
	s->process = NULL;
	s->count = s->capacity = 0;
}

/* Processes */

struct packet_process *sequence_find(const struct sequence *s, uint32_t number)
{
	const size_t i = idmap_find(&s->numbers, number);
	return i < s->capacity ? s->process[i] : NULL;
}

static void forget_ended(struct sequence *s)
{
	for (size_t i = 0; i < s->capacity; i++) {
		struct packet_process *p = s->process[i];
		if (p == NULL || !p->ended)
			continue;
		(void)idmap_remove(&s->numbers, p->number);
		s->process[i] = NULL;
		free(p);
		s->count--;
	}
	s->ended = 0;
}

/* Returns a new id for a number that is, or may be, in use in the trace. */
static uint32_t alias(struct sequence *s)
{
	uint32_t id;
	do
		id = ALIAS_FIRST + s->aliases++;
	while (sequence_find(s, id) != NULL);
	return id;
}

static uint32_t id_of(struct sequence *s, uint32_t number)
{
	bool taken = number >= ALIAS_FIRST && number - ALIAS_FIRST < s->aliases;
	return taken ? alias(s) : number;
}

static enum sequence_verdict add_process(struct sequence *s, uint32_t number,
					 struct packet_process **who)
{
	if (s->count >= SEQUENCE_COMPACT_AT && s->ended > s->count / 2)
		forget_ended(s);
	if (s->count == SEQUENCE_PROCESSES)
		return SEQUENCE_FULL;
	struct packet_process *p = calloc(1, sizeof(*p));
	const size_t i = p != NULL ? idmap_number(&s->numbers, number) : SIZE_MAX;
	if (p == NULL || !array_reserve_index(&s->process, &s->capacity, i, sizeof(p))) {
		free(p);
		return SEQUENCE_NO_MEMORY;
	}
	p->number = number;
	p->id = id_of(s, number);
	s->process[i] = *who = p;
	s->count++;
	s->processes++;
	return SEQUENCE_NEW;
}

void sequence_end_process(struct sequence *s, struct packet_process *who)
{
	s->ended += !who->ended;
	who->ended = true;
}

/* Ranges */

static void remove_range(struct sequence *s, size_t i)
{
	assert(i < s->ranges && s->waiting + s->unreported <= s->ranges);
	s->ranges--;
	memmove(&s->range[i], &s->range[i + 1], (s->ranges - i) * sizeof(s->range[0]));
}

static void lose(struct sequence *s, struct packet_range *r)
{
	r->lost = true;
	s->lost += r->count;
	s->waiting--;
	s->unreported++;
}

/* Frees one range: the oldest reported one, otherwise the oldest. */
static void forget_range(struct sequence *s)
{
	size_t i = 0;
	while (i < s->ranges && !s->range[i].reported)
		i++;
	if (i == s->ranges) {
		i = 0;
		if (!s->range[i].lost)
			lose(s, &s->range[i]);
		s->unreported--;
	}
	remove_range(s, i);
}

static void add_range(struct sequence *s, const struct packet_range *range)
{
	struct packet_range added = *range;
	if (s->ranges == SEQUENCE_RANGES)
		forget_range(s);
	s->range[s->ranges++] = added;
	s->waiting += !added.lost;
	s->unreported += added.lost && !added.reported;
}

static void miss(struct sequence *s, const struct packet_process *who, uint64_t end)
{
	add_range(s, &(struct packet_range){.number = who->number,
					    .id = who->id,
					    .first = who->next,
					    .count = end - who->next,
					    .noticed = s->packets,
					    .wall = s->wall});
}

/* Handles a number below the expected one; returns whether it fills a gap. */
static bool fill(struct sequence *s, const struct packet_process *who, uint64_t sequence)
{
	for (size_t i = s->ranges; i-- > 0;) {
		struct packet_range *r = &s->range[i];
		if (r->number != who->number || r->id != who->id || sequence < r->first ||
		    sequence - r->first >= r->count)
			continue;
		struct packet_range after = *r;
		after.first = sequence + 1;
		after.count = r->first + r->count - after.first;
		r->count = sequence - r->first;
		s->found += r->lost;
		s->lost -= r->lost;
		if (r->count == 0) {
			s->waiting -= !r->lost;
			s->unreported -= r->lost && !r->reported;
			remove_range(s, i);
		}
		if (after.count > 0)
			add_range(s, &after);
		return true;
	}
	return false;
}

/* Declares lost what has been missing for long, and all gaps of a process that restarts. */
static void lose_ranges(struct sequence *s, const struct packet_process *restarted)
{
	for (size_t i = 0; i < s->ranges && s->waiting > 0; i++) {
		struct packet_range *r = &s->range[i];
		bool late = s->packets - r->noticed >= SEQUENCE_WINDOW;
		if (!r->lost && (late || (restarted != NULL && r->number == restarted->number)))
			lose(s, r);
	}
}

uint64_t sequence_missing(const struct sequence *s, const struct packet_process *who)
{
	uint64_t min = UINT64_MAX;
	for (size_t i = 0; i < s->ranges && s->waiting > 0; i++) {
		const struct packet_range *r = &s->range[i];
		if (!r->lost && r->number == who->number && r->first < min)
			min = r->first;
	}
	return min;
}

bool sequence_pop_lost(struct sequence *s, struct packet_range *range)
{
	for (size_t i = 0; i < s->ranges && s->unreported > 0; i++) {
		struct packet_range *r = &s->range[i];
		if (!r->lost || r->reported)
			continue;
		r->reported = true;
		s->unreported--;
		*range = *r;
		return true;
	}
	return false;
}

uint64_t sequence_earliest_gap(const struct sequence *s)
{
	uint64_t min = UINT64_MAX;
	if (s->waiting + s->unreported == 0)
		return min;
	for (size_t i = 0; i < s->ranges; i++)
		if (!s->range[i].reported && s->range[i].wall < min)
			min = s->range[i].wall;
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

static void begin_restart(struct sequence *s, struct packet_process *who)
{
	lose_ranges(s, who);
	who->started = false;
	who->next = 0;
	who->generation++;
	if (!who->ended)
		return;
	who->id = alias(s);
	who->ended = false;
	s->ended--;
	s->processes++;
}

/* Handles the expected number, or a later one. */
static void go_on(struct sequence *s, struct packet_process *who, uint64_t sequence)
{
	if (sequence > who->next)
		miss(s, who, sequence);
	who->next = sequence + 1;
}

static enum sequence_verdict place(struct sequence *s, struct packet_process *who,
				   const struct packet *p)
{
	bool starts = p->kind == PACKET_START && p->sequence == 0, restart = false;
	if (p->sequence >= who->next) {
		go_on(s, who, p->sequence);
	} else if (!fill(s, who, p->sequence)) {
		if (is_again(who, p, starts)) {
			s->duplicates++;
			return SEQUENCE_DUPLICATE;
		}
		restart = true;
		begin_restart(s, who);
		go_on(s, who, p->sequence);
	}
	if (starts) {
		who->started = true;
		who->start_crc = p->crc;
	}
	if (p->wall > who->wall)
		who->wall = p->wall;
	return starts || restart ? SEQUENCE_BEGINS : SEQUENCE_NEW;
}

enum sequence_verdict sequence_accept(struct sequence *s, const struct packet *p,
				      struct packet_process **who)
{
	*who = sequence_find(s, p->process);
	if (*who == NULL) {
		enum sequence_verdict verdict = add_process(s, p->process, who);
		if (verdict != SEQUENCE_NEW)
			return verdict;
	}
	enum sequence_verdict verdict = place(s, *who, p);
	s->packets++;
	if (p->wall > s->wall)
		s->wall = p->wall;
	lose_ranges(s, NULL);
	return verdict;
}

void sequence_end(struct sequence *s)
{
	for (size_t i = 0; i < s->ranges; i++)
		if (!s->range[i].lost)
			lose(s, &s->range[i]);
}
