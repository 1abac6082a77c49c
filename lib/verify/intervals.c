/* SPDX-License-Identifier: BSD-2-Clause */
/* Determines which intervals are kept. See intervals.h for the rule. */
#include "intervals.h"

#include <stdlib.h>

#include <iotrace/iotrace.h>

#include "lib/base/array.h"

static bool same_position(const struct position *a, const struct position *b)
{
	return a->known && b->known && a->record == b->record && a->time == b->time;
}

/* Returns the position after an interval that begins at `m`. */
static struct position after(const struct position *p, const struct interval *interval)
{
	return (struct position){p->known, p->record + interval->records,
				 p->time + (uint64_t)interval->ticks};
}

/*
 * Returns the position before an interval, counted back from its close; unknown if that is a %end.
 */
static struct position counted_back(const struct interval *interval)
{
	return (struct position){interval->close.known && !interval->is_last,
				 interval->close.record - interval->records,
				 interval->close.time - (uint64_t)interval->ticks};
}

static bool is_perfect(const struct interval *interval)
{
	const struct position end = after(&interval->open, interval);
	return interval->proof == PROOF_HASH && interval->why_line == 0 && !interval->is_last &&
	       !interval->from_header && same_position(&end, &interval->close);
}

void intervals_free(struct intervals *all)
{
	free(all->entry);
	*all = (struct intervals){0};
}

int intervals_add(struct intervals *all, const struct interval *interval)
{
	struct interval *last = all->count > 0 ? &all->entry[all->count - 1] : NULL;
	const bool perfect = is_perfect(interval),
		   again = perfect && interval->close.record <= all->high;
	if ((perfect || interval->open_proven) &&
	    interval->open.record + interval->records > all->high)
		all->high = interval->open.record + interval->records;
	if (last != NULL && interval->follows && perfect && is_perfect(last) &&
	    last->again == again) {
		last->to = interval->to;
		last->close = interval->close;
		last->records += interval->records;
		last->ticks += interval->ticks;
		return IOT_OK;
	}
	if (all->count == INTERVALS_MAX)
		return IOT_ELIMIT;
	if (!array_reserve(&all->entry, &all->capacity, all->count + 1, sizeof(*all->entry)))
		return IOT_ENOMEM;
	all->entry[all->count] = *interval;
	all->entry[all->count++].again = again;
	return IOT_OK;
}

static const struct position unknown_position = {0};

/*
 * Returns the next interval, if it is proven and begins at the %sync that ends this one; otherwise
 * NULL.
 */
static const struct interval *witness_of(const struct intervals *all, size_t i)
{
	const struct interval *next = &all->entry[i + 1];
	return i + 1 < all->count && next->follows && next->proof == PROOF_HASH ? next : NULL;
}

/* Returns whether a proven interval, given its close, begins at m. */
static bool leads_to(const struct position *p, const struct interval *interval)
{
	const struct position back = counted_back(interval);
	if (interval->is_last)
		return p->known && p->record + interval->records == interval->close.record;
	return same_position(p, &back);
}

/*
 * Returns whether two different times are declared and a following %end, which has no time, cannot
 * decide between them.
 */
static bool time_is_ambiguous(const struct interval *interval, const struct interval *next)
{
	return next->is_last && !next->open_proven && interval->open.known &&
	       interval->close.known && interval->open.time != counted_back(interval).time;
}

/* Returns the position if the three declarations differ: the following interval decides. */
static struct position position_by_witness(const struct interval *interval,
					   const struct interval *next,
					   const struct position *before)
{
	const struct position after_open = after(&interval->open, interval),
			      before_previous = after(before, interval);
	if (next == NULL)
		return unknown_position;
	if (!before->known && time_is_ambiguous(interval, next))
		return unknown_position;
	if (interval->close.known && (next->open_proven || leads_to(&next->open, next)))
		return counted_back(interval);
	if (before->known && leads_to(&before_previous, next))
		return *before;
	return interval->open.known && leads_to(&after_open, next) ? interval->open
								   : unknown_position;
}

struct settle_progress {
	/* position of the next interval, as the preceding one declares it */
	struct position before;
	bool ambiguous; /* the %sync that ends the preceding interval agrees with nothing */
	uint64_t done;  /* records before this one are kept or lost */
	bool another;   /* a second trace has begun */
};

/* Returns the position of the interval. */
static struct position position_of(const struct intervals *all, size_t i,
				   const struct settle_progress *p)
{
	const struct interval *interval = &all->entry[i];
	const struct position *before = &p->before, back = counted_back(interval);

	if (interval->open_proven)
		return interval->open;
	if (interval->is_last && interval->follows && p->ambiguous)
		return unknown_position;
	if (interval->proof == PROOF_FRAME)
		return interval->at_start ? *before : unknown_position;
	if (leads_to(&interval->open, interval))
		return before->known && before->record == interval->open.record ? *before
										: interval->open;
	if (leads_to(before, interval) ||
	    (before->known && back.known && back.record == before->record))
		return *before;
	if (interval->close.known)
		return position_by_witness(interval, witness_of(all, i), before);
	/* the %sync that ends it cannot be parsed: no other position is declared */
	return before->known ? *before : position_by_witness(interval, witness_of(all, i), before);
}

/*
 * Returns whether a %iotrace in the middle begins another trace, as opposed to a repeated first
 * interval.
 */
static bool another_begins(const struct intervals *all, const struct interval *interval,
			   uint64_t done)
{
	if (!interval->from_header)
		return false;
	return all->entry[0].proof == PROOF_NONE ? done > 0 : interval->hash != all->entry[0].hash;
}

static void settle_one(struct intervals *all, size_t i, struct settle_progress *p)
{
	struct interval *interval = &all->entry[i];
	interval->disposition = DISPOSITION_LOST;
	p->another |= another_begins(all, interval, p->done);
	if (p->another)
		return;
	if (!interval->follows)
		p->before.known = false;
	if (interval->at_start || interval->from_header)
		p->before = (struct position){.known = true};
	struct position position = {0};
	if (interval->proof != PROOF_NONE)
		position = position_of(all, i, p);
	p->before.known = false;
	p->ambiguous = interval->proof == PROOF_HASH && !position.known;
	if (!position.known)
		return;
	interval->record = position.record;
	interval->time = position.time;
	if (position.record >= p->done) {
		interval->disposition = DISPOSITION_KEPT;
		p->done = position.record + interval->records;
	} else if (position.record + interval->records <= p->done) {
		interval->disposition = DISPOSITION_REPEATED;
	}
	/* after a frame that is only proven by its checksum, text may be missing */
	if (interval->proof == PROOF_HASH)
		p->before = after(&position, interval);
}

static uint64_t first_kept_record(const struct intervals *all, size_t *i)
{
	while (*i < all->count && all->entry[*i].disposition != DISPOSITION_KEPT)
		++*i;
	return *i < all->count ? all->entry[*i].record : UINT64_MAX;
}

/* Finds unproven intervals that fit between proven ones. */
static void settle_unverified(struct intervals *all, enum disposition disposition)
{
	uint64_t done = 0;
	size_t next = 0;
	for (size_t i = 0; i < all->count; i++) {
		struct interval *interval = &all->entry[i];
		next = next < i ? i : next;
		const uint64_t limit = first_kept_record(all, &next);
		if (interval->disposition == DISPOSITION_KEPT)
			done = interval->record + interval->records;
		if (interval->disposition != DISPOSITION_LOST || interval->from_header ||
		    interval->records == 0 || !interval->open.known)
			continue;
		if (interval->open.record < done || interval->open.record > limit ||
		    interval->records > limit - interval->open.record)
			continue;
		interval->record = interval->open.record;
		interval->time = interval->open.time;
		interval->disposition = disposition;
		done = interval->record + interval->records;
	}
}

void intervals_settle(struct intervals *all, bool keep_unverified)
{
	struct settle_progress p = {0};
	for (size_t i = 0; i < all->count; i++)
		settle_one(all, i, &p);
	settle_unverified(all, keep_unverified ? DISPOSITION_UNVERIFIED : DISPOSITION_READABLE);
}
